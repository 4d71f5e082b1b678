// SPDX-License-Identifier: GPL-2.0

//! A device's memory as a program has it mapped.

use iostat::{
    abi::{
        binary::Device,
        map::{
            Layout,
            MapDevice, //
            MapHeader,
        },
    },
    acct::{
        busy::{
            Gauge,
            Tree, //
        },
        record::CpuRecord,
        transition::Transition, //
    },
};
use iostat_map::Block;
use std::ptr::NonNull;

#[repr(C, align(4096))]
struct Page([u8; PAGE]);

/// The owner, the record that CPUs share, and those of all CPUs.
pub struct Twin {
    header: Box<MapHeader>,
    layout: Layout,
    cpus: usize,
    memory: Vec<Page>,
}

const PAGE: usize = 4096;

impl Twin {
    /// With something recorded on every CPU.
    pub fn new(cpus: usize) -> Self {
        let layout = Layout {
            page: PAGE,
            records: 1 + cpus,
        };
        let pages = layout.pages_of_device();
        let memory = (0..pages).map(|_| Page([0; PAGE])).collect();
        let mut twin = Twin {
            header: Box::new(MapHeader::new(&layout)),
            layout,
            cpus,
            memory,
        };
        // SAFETY: The first page is as large as a `MapDevice` and aligned for it, zeros are a valid `MapDevice`, and `twin` is
        // borrowed by no other code.
        let owner = unsafe { &mut *twin.memory.as_mut_ptr().cast::<MapDevice>() };
        owner.set(Device::default());
        (0..=cpus).for_each(|index| owner.present.set(index));
        twin.record();
        twin
    }

    /// Records something on every CPU.
    pub fn record(&self) {
        let gauge = Gauge::default();
        let tree = Tree {
            leaf: &gauge,
            root: None,
        };
        for index in 1..=self.cpus {
            let page = &self.memory[self.layout.page_of_record(index)];
            // SAFETY: A record of zeros is valid, and the page is as large and as aligned.
            let record = unsafe { &*std::ptr::from_ref(page).cast::<CpuRecord>() };
            Transition::StartRunqEnter.apply(&record.write(), &tree, 1000);
        }
    }

    /// What a program reads it by.
    pub fn block(&self) -> Block {
        let owner = NonNull::from(&self.memory[0]).cast();
        // SAFETY: Both are laid out as the header says, and outlive what the benches do with it.
        unsafe { Block::new(NonNull::from(&*self.header).cast(), owner) }
    }
}
