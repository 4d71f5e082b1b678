// SPDX-License-Identifier: GPL-2.0

//! A device's memory as a program has it mapped.

use iostat::{
    abi::{
        binary::Device,
        map::{
            Header,
            Layout,
            Owner, //
        },
    },
    acct::{
        busy::{
            Gauge,
            Tree, //
        },
        record::CpuRecord,
        verb::Verb, //
    },
};
use iostat_map::Block;
use std::ptr::NonNull;

/// A page, or as many as a record takes.
#[repr(C, align(4096))]
struct Pages<T>(T);

/// The records of all CPUs and, before the first, the owner.
pub struct Twin {
    header: Box<Header>,
    memory: Vec<Pages<[u8; STRIDE]>>,
}

const PAGE: usize = 4096;
const STRIDE: usize = size_of::<Pages<CpuRecord>>();

impl Twin {
    /// With something recorded on every CPU.
    pub fn new(cpus: usize) -> Self {
        let layout = Layout {
            page: PAGE,
            cpus,
            stride: STRIDE,
            block: PAGE + cpus * STRIDE,
        };
        let memory = (0..=cpus).map(|_| Pages([0; STRIDE])).collect();
        let mut twin = Twin {
            header: Box::new(Header::new(&layout)),
            memory,
        };
        let owner = Owner::new(Device::default());
        // SAFETY: There is room for it, and nobody else has it.
        unsafe { twin.memory.as_mut_ptr().cast::<Owner>().write(owner) };
        let gauge = Gauge::default();
        let tree = Tree {
            leaf: &gauge,
            root: None,
        };
        for cpu in 0..cpus {
            let at = twin.memory.as_ptr().cast::<u8>();
            // SAFETY: A record of zeros is valid, it is within the memory, and aligned.
            let record = unsafe { &*at.add(PAGE + cpu * STRIDE).cast::<CpuRecord>() };
            Verb::StartRunqEnter.apply(&record.write(), &tree, 1000);
        }
        twin
    }

    /// What a program reads it by.
    pub fn block(&self) -> Block {
        let owner = NonNull::from(&self.memory[0]).cast();
        // SAFETY: Both are laid out as the header says, and outlive what the benches do with it.
        unsafe { Block::new(NonNull::from(&*self.header).cast(), owner) }
    }
}
