// SPDX-License-Identifier: GPL-2.0

//! The records of an account: one for all CPUs, and one for each CPU that has done I/O on it. User space can map them.
//!
//! A CPU that does its first I/O on an account has no record, and a probe cannot allocate memory. The CPU then uses
//! the record that CPUs share, and requests one of its own. [`Records::upkeep`] allocates it, and publishes it on
//! that CPU, with interrupts off, so that each step is recorded in exactly one of the two.

mod events;

use super::{
    region_areas::RegionAreas,
    upkeep, //
};
use crate::kernel_ext::{
    mmap::MappedPages,
    once::OnceBox,
    pages::PageOf,
    percpu::{
        nr_cpu_ids,
        this_cpu_id,
        with_interrupts_off,
        PerCpu,
        ThisCpu, //
    },
    published::{
        Node,
        Published, //
    },
    zeroed::{
        zeroed_vec,
        Zeroed, //
    }, //
};
use crate::{
    abi::{
        binary::Device,
        map::{
            DevicePage,
            Indices,
            Layout,
            MapDevice,
            Present, //
        }, //
    },
    acct::{
        absorb::PartitionSum,
        busy::Root,
        histogram::Bases,
        record::{
            CpuRecord,
            RecordPart,
            WritingShared, //
        },
        region::only::OnlyRegion,
        turns::Turns, //
    },
};
use core::{
    ffi::c_void,
    ops::Range,
    ptr::{
        from_ref,
        NonNull, //
    },
    sync::atomic::{
        AtomicBool,
        AtomicPtr,
        AtomicU64,
        Ordering::{
            AcqRel,
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
};
use events::RecordPage;
use kernel::{
    alloc::KVVec,
    bindings,
    page::PAGE_SIZE,
    prelude::*,
    sync::Arc, //
};

/// Pointers of one CPU to its record of an account, to the root of that record, and to its part of the only region.
///
/// # Invariants
///
/// All point to valid values. Record and root are those of the account, or both those of the same CPU's [`Absent`]; only
/// code on that CPU with interrupts off changes them. They are there while probes may find the account. The region is that
/// of [`Absent`], or this CPU's of the [`RegionAreas`] that are published. Those that were published before are there until
/// the probes that may have found them have returned.
#[repr(C)]
pub(super) struct CpuPlace {
    record: AtomicPtr<RecordPage>,
    root: AtomicPtr<Root>,
    region: AtomicPtr<OnlyRegion>,
}

#[cfg(target_arch = "x86_64")]
impl CpuPlace {
    /// Offset of `record`, bytes.
    pub(super) const RECORD_OFFSET: usize = core::mem::offset_of!(CpuPlace, record);

    /// Offset of `root`, bytes.
    pub(super) const ROOT_OFFSET: usize = core::mem::offset_of!(CpuPlace, root);

    /// Offset of `region`, bytes.
    pub(super) const REGION_OFFSET: usize = core::mem::offset_of!(CpuPlace, region);
}

// SAFETY: Null pointers; `Records::new` replaces them.
unsafe impl Zeroed for CpuPlace {}

/// A record and its root that a CPU writes to for all accounts in which it has no record. The record is never read.
/// `no_region` is a region that contains no I/O, and is never written.
pub(crate) struct Absent {
    record: RecordPage,
    root: Root,
    no_region: OnlyRegion,
}

// SAFETY: Integers.
unsafe impl Zeroed for Absent {}

impl Absent {
    /// Creates the values of all CPUs, for all accounts. May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Arc<PerCpu<Absent>>> {
        let absent = PerCpu::<Absent>::new()?;
        absent.iter().for_each(|cpu| cpu.root.set_absent());
        Ok(Arc::new(absent, GFP_KERNEL)?)
    }
}

/// The bases of the histograms on the page with this number, and a link to those of other pages.
struct BasesOf {
    page: usize,
    bases: PageOf<Bases>,
    next: OnceBox<BasesOf>,
}

impl Drop for BasesOf {
    /// One after another: there may be one for each CPU, and a recursion would need as many frames on the stack.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut bases) = next {
            next = bases.next.take();
        }
    }
}

/// The records of an account: see the documentation of this module.
///
/// # Invariants
///
/// The record of each CPU whose bit is set in `head` is the one that its place points to, and from [`PageOf::into_raw`].
pub(crate) struct Records {
    places: PerCpu<CpuPlace>,
    region: Published<Arc<RegionAreas>>,
    /// Turns of the callers that change `region`.
    region_turns: Turns,
    turns: Turns,
    head: PageOf<MapDevice>,
    shared: PageOf<RecordPage>,
    bases: OnceBox<BasesOf>,
    /// Bits of CPUs that want a record.
    wanted: KVVec<AtomicU64>,
    is_wanted: AtomicBool,
    layout: Layout,
    first_page: usize,
    absent: Arc<PerCpu<Absent>>,
}

/// The number of the page with the [`MapDevice`], which has the rare histograms.
const HEAD: usize = 0;

impl Records {
    /// Creates the records of a device. May sleep; `ENOMEM`.
    pub(crate) fn new(
        absent: Arc<PerCpu<Absent>>,
        first_page: usize,
        device: Option<Device>,
    ) -> Result<Arc<Self>> {
        let places = PerCpu::<CpuPlace>::new()?;
        for (place, absent) in places.iter().zip(absent.iter()) {
            place
                .record
                .store(from_ref(&absent.record).cast_mut(), Relaxed);
            place.root.store(from_ref(&absent.root).cast_mut(), Relaxed);
            let no_region = from_ref(&absent.no_region).cast_mut();
            place.region.store(no_region, Relaxed);
        }
        let mut head = PageOf::<MapDevice>::zeroed(0)?;
        if let Some(device) = device {
            // SAFETY: A number and a `Device` are stored, neither of which has padding.
            unsafe { head.get_mut() }.set(device);
        }
        head.present.set(0);
        let records = Records {
            places,
            region: Published::new(),
            region_turns: Turns::default(),
            turns: Turns::default(),
            head,
            shared: PageOf::zeroed(0)?,
            bases: OnceBox::new(),
            wanted: zeroed_vec(nr_cpu_ids().div_ceil(64))?,
            is_wanted: AtomicBool::new(false),
            layout: layout(),
            first_page,
            absent,
        };
        Ok(Arc::new(records, GFP_KERNEL)?)
    }

    /// The content of the first page.
    pub(crate) fn head(&self) -> &MapDevice {
        &self.head
    }

    /// Where each CPU finds its [`CpuPlace`].
    pub(crate) fn places(&self) -> u64 {
        self.places.address()
    }

    /// Stores each CPU's part of `region` in its place; without a region, the empty one of [`Absent`]. Frees the former region
    /// once no probe uses it.
    pub(crate) fn set_region(&self, region: Option<KBox<Node<Arc<RegionAreas>>>>) {
        let _turn = self.region_turns.take();
        let mut heads = region.iter().flat_map(|node| node.value().own().heads());
        for (place, absent) in self.places.iter().zip(self.absent.iter()) {
            let no_region = from_ref(&absent.no_region).cast_mut();
            // INVARIANT: Of the CPU's `Absent`, or published below, in which there is one for each possible CPU. Release:
            // what is there was written before.
            place
                .region
                .store(heads.next().unwrap_or(no_region), Release);
        }
        drop(heads);
        // Now no place refers to the former region, which is dropped after all present probes have returned.
        self.region.replace(region);
    }

    /// This CPU's record of the account with this root, if it has one. No other code of this CPU can interrupt the
    /// caller.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>, root: &Root) -> Option<&'a CpuRecord> {
        Some(&self.this_cpu_page(cpu, root)?.record)
    }

    /// The page of that record.
    #[inline(always)]
    fn this_cpu_page<'a>(&'a self, cpu: ThisCpu<'a>, root: &Root) -> Option<&'a RecordPage> {
        let place = self.places.this_cpu(cpu);
        let is_own = core::ptr::eq(place.root.load(Relaxed), root);
        // SAFETY: By the type invariant of `CpuPlace` it is of this account, and lives as long as `self`.
        is_own.then(|| unsafe { &*place.record.load(Relaxed) })
    }

    /// Calls `write` with the record that CPUs share.
    pub(crate) fn write_shared<R>(&self, write: impl FnOnce(&WritingShared<'_>) -> R) -> R {
        write(
            &self
                .shared
                .record
                .write_shared(&self.turns, &self.head.rare),
        )
    }

    /// Requests a record for this CPU, which has none. With interrupts off, in any context but NMI.
    #[cold]
    pub(crate) fn want_this_cpu(&self) {
        let cpu = this_cpu_id();
        let (word, bit) = (cpu / 64, 1u64 << (cpu % 64));
        let Some(word) = self.wanted.get(word) else {
            return;
        };
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
            // Release: `upkeep` must find the bit, because a CPU makes no further request while its
            // bit is set.
            self.is_wanted.store(true, Release);
            upkeep::wake();
        }
    }

    /// Gives records of the account with this root to CPUs that want one, and updates bases from their counts. One call
    /// at a time; may sleep. Without memory, it is tried again the next time.
    pub(crate) fn upkeep(&self, root: &Root) {
        if self.is_wanted.swap(false, AcqRel) {
            for (number, word) in self.wanted.iter().enumerate() {
                let mut bits = word.load(Relaxed);
                while bits != 0 {
                    let bit = bits & bits.wrapping_neg();
                    bits &= !bit;
                    let cpu = number
                        .wrapping_mul(64)
                        .wrapping_add(bit.trailing_zeros() as usize);
                    match self.give(cpu, root) {
                        Ok(true) => {}
                        // The CPU is offline. It makes another request when it is online and does
                        // I/O.
                        Ok(false) => drop(word.fetch_and(!bit, Relaxed)),
                        Err(_) => self.is_wanted.store(true, Relaxed),
                    }
                }
            }
        }
        for (page, part) in self.numbered_parts() {
            if part.needs_bases() {
                let has_bases =
                    part.bases.is_some() && part.rare.is_none_or(|rare| rare.1.is_some());
                if !has_bases {
                    let of_rare = part.rare.is_some().then_some(HEAD);
                    for page in [Some(page), of_rare].into_iter().flatten() {
                        let _ = self.add_bases(page);
                    }
                }
            }
            part.follow();
        }
    }

    /// Gives a record to a CPU; false if the CPU is not online. `ENOMEM`.
    fn give(&self, cpu: usize, root: &Root) -> Result<bool> {
        let Some(place) = self.places.of(cpu) else {
            return Ok(false);
        };
        if core::ptr::eq(place.root.load(Relaxed), root) {
            return Ok(true);
        }
        let record = PageOf::<RecordPage>::zeroed(cpu)?.into_raw();
        let published = Publication {
            place,
            record,
            root,
            present: &self.head.present,
            index: cpu.saturating_add(1),
        };
        let data = from_ref(&published).cast_mut().cast();
        // The argument `wait` is an int in kernel 7.2.
        #[allow(clippy::useless_conversion)]
        let wait = true.into();
        let publish = Some(Publication::publish as unsafe extern "C" fn(*mut c_void));
        // SAFETY: The function has returned when this returns 0, and is not called if it returns anything else.
        let error = unsafe { bindings::smp_call_function_single(cpu as i32, publish, data, wait) };
        if error != 0 {
            if let Some(record) = NonNull::new(record) {
                // SAFETY: From `into_raw`, and not published.
                drop(unsafe { PageOf::from_raw(record) });
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Adds bases for the histograms on the page with this number, unless there are some already.
    fn add_bases(&self, page: usize) -> Result {
        if self.bases_of(page).is_some() {
            return Ok(());
        }
        let new = BasesOf {
            page,
            bases: PageOf::zeroed(0)?,
            next: OnceBox::new(),
        };
        let mut new = KBox::new(new, GFP_KERNEL)?;
        let mut end = &self.bases;
        loop {
            match end.set(new) {
                Ok(()) => return Ok(()),
                Err(back) => new = back,
            }
            match end.get() {
                Some(bases) => end = &bases.next,
                None => return Err(ENOMEM),
            }
        }
    }

    fn bases_of(&self, page: usize) -> Option<&PageOf<Bases>> {
        let mut next = self.bases.get();
        while let Some(bases) = next {
            if bases.page == page {
                return Some(&bases.bases);
            }
            next = bases.next.get();
        }
        None
    }

    /// The record with this index. Index 0 is the record that CPUs share.
    fn record(&self, index: usize) -> Option<&CpuRecord> {
        Some(&self.page_of(index)?.record)
    }

    /// The page of that record.
    fn page_of(&self, index: usize) -> Option<&RecordPage> {
        let Some(cpu) = index.checked_sub(1) else {
            return Some(&self.shared);
        };
        // The bit is read first: it was set after the record was published.
        if !self.head.present.has(index) {
            return None;
        }
        let record = self.places.of(cpu)?.record.load(Acquire);
        // SAFETY: By the type invariant it is of this account, and lives as long as `self`.
        Some(unsafe { &*record })
    }

    /// The indices of all existing records.
    fn indices(&self) -> Indices<'_> {
        self.head.present.iter(self.layout.records)
    }

    /// All existing records, with the numbers of their pages.
    fn numbered_parts(&self) -> impl Iterator<Item = (usize, RecordPart<'_>)> {
        self.indices().filter_map(|index| {
            let record = self.record(index)?;
            let page = self.layout.page_of_record(index);
            let bases = |page| self.bases_of(page).map(|bases| &**bases);
            let part = RecordPart {
                record,
                bases: bases(page),
                rare: (index == 0).then(|| (&self.head.rare, bases(HEAD))),
            };
            Some((page, part))
        })
    }

    /// Adds the counts of the records of a partition, in which nothing is recorded any more, to these records of its
    /// disk. The caller excludes [`Records::upkeep`], and readers by system calls. May sleep. `ENOMEM`: nothing was added.
    pub(crate) fn absorb(&self, partition: &Records) -> Result {
        let mut sums = zeroed_vec::<PartitionSum>(1)?;
        let Some(sum) = sums.first_mut() else {
            return Err(ENOMEM);
        };
        sum.take(|| partition.iter());
        let (page, part) = self.numbered_parts().next().ok_or(ENOMEM)?;
        if part.needs_bases_with(sum.most_times()) {
            self.add_bases(page)?;
            self.add_bases(HEAD)?;
        }
        let follow = || {
            if let Some((_, part)) = self.numbered_parts().next() {
                part.follow();
            }
        };
        follow();
        self.head.partitions.begins_to_absorb();
        while with_interrupts_off(|_| self.write_shared(|shared| sum.add_to(shared))) {
            follow();
        }
        follow();
        self.head.partitions.has_absorbed();
        Ok(())
    }

    /// All existing records, without bases and rare histograms.
    pub(crate) fn cpu_records(&self) -> impl Iterator<Item = &CpuRecord> {
        self.indices().filter_map(|index| self.record(index))
    }

    /// All existing records.
    pub(crate) fn iter(&self) -> impl Iterator<Item = RecordPart<'_>> {
        self.numbered_parts().map(|(_, part)| part)
    }
}

/// The layout of the mapped file.
pub(crate) fn layout() -> Layout {
    Layout {
        page: PAGE_SIZE,
        records: nr_cpu_ids().saturating_add(1),
    }
}

/// A new record, and where its CPU publishes it.
struct Publication<'a> {
    place: &'a CpuPlace,
    record: *mut RecordPage,
    root: &'a Root,
    present: &'a Present,
    index: usize,
}

impl Publication<'_> {
    /// # Safety
    ///
    /// On the CPU of the place, with interrupts off; `data` is a `Publication`, and its record a valid one of no other
    /// place.
    unsafe extern "C" fn publish(data: *mut c_void) {
        // SAFETY: By this function's requirement.
        let new = unsafe { &*data.cast::<Publication<'_>>() };
        // INVARIANT: Of the account, changed on that CPU with interrupts off.
        new.place.record.store(new.record, Relaxed);
        new.place.root.store(from_ref(new.root).cast_mut(), Relaxed);
        // Set before anything is recorded there, so that readers find it. INVARIANT: It is the one in the place.
        // Releases the zeros of the record, and the place.
        new.present.set(new.index);
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        for index in self.indices() {
            let Some(place) = index.checked_sub(1).and_then(|cpu| self.places.of(cpu)) else {
                continue;
            };
            if let Some(record) = NonNull::new(place.record.load(Relaxed)) {
                // SAFETY: By the type invariant it is from `into_raw`, and nothing refers to it any more.
                drop(unsafe { PageOf::from_raw(record) });
            }
        }
    }
}

// SAFETY: All are addresses of values in a `PageOf`, which `self` owns, so all of these pages are initialised and user space
// may read them. A record that exists is not removed before `self`.
unsafe impl MappedPages for Records {
    fn pages(&self) -> Range<usize> {
        let pages = self.layout.pages_of_device();
        self.first_page..self.first_page.saturating_add(pages)
    }

    fn page(&self, number: usize) -> Option<*const c_void> {
        let page = number.checked_sub(self.first_page)?;
        Some(match self.layout.page(page)? {
            DevicePage::Owner => from_ref(&*self.head).cast(),
            DevicePage::Record(index) => from_ref(self.record(index)?).cast(),
            DevicePage::Bases(page) => from_ref(&**self.bases_of(page)?).cast(),
        })
    }
}
