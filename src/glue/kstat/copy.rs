// SPDX-License-Identifier: GPL-2.0

//! A snapshot of the data of a kstat, in memory of iostat.

use super::{
    named,
    size, //
};
use crate::{
    acct::kstat::{
        KstatQueue,
        KstatType,
        Value,
        INTR, //
    },
    glue::bindings as own,
    kernel_ext::zeroed::zeroed_vec_charged, //
};
use core::{
    ffi::c_void,
    mem::size_of, //
};
use kernel::{
    alloc::KVVec,
    bindings,
    prelude::*,
    transmute::AsBytes, //
};

/// Memory for a snapshot: the data, and the strings in it.
#[derive(Default)]
pub(super) struct SnapshotMemory {
    words: KVVec<u64>,
    text: KVVec<u8>,
}

impl SnapshotMemory {
    pub(super) fn bytes(&self) -> usize {
        self.words.len().saturating_mul(size_of::<u64>())
    }

    /// Allocates this number of bytes, zeroed. May sleep; `ENOMEM`.
    pub(super) fn grow(&mut self, bytes: usize) -> Result {
        // Charged to the memory cgroup: any user may read, and keep the memory for a long time.
        self.words = zeroed_vec_charged(bytes.div_ceil(size_of::<u64>()))?;
        Ok(())
    }

    /// Returns the first `len` bytes, or all if there are fewer.
    pub(super) fn as_bytes(&self, len: usize) -> &[u8] {
        let bytes = AsBytes::as_bytes(self.words.as_slice());
        bytes.get(..len).unwrap_or(bytes)
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// Copies data, with the spinlock held if there is one.
    ///
    /// # Safety
    ///
    /// There are `bytes` bytes at `data`, and room for them in `self`; the spinlock is valid.
    pub(super) unsafe fn take(
        &mut self,
        data: *const u8,
        bytes: usize,
        spinlock: Option<*mut bindings::spinlock_t>,
    ) {
        if bytes == 0 {
            return;
        }
        let to = self.as_mut_ptr();
        match spinlock {
            // SAFETY: By the requirement of this function.
            Some(lock) => unsafe { own::iostat_copy_locked(lock, to, data.cast(), bytes) },
            // SAFETY: By the requirement of this function. Threads that write the data at the same time write
            // integers.
            None => unsafe { core::ptr::copy(data, to.cast(), bytes) },
        }
    }
}

/// The data of a kstat at one moment.
///
/// # Invariants
///
/// `room` contains `ndata` structures of type `kind`.
pub(crate) struct KstatCopy {
    kind: KstatType,
    ndata: u32,
    bytes: usize,
    /// The time of the snapshot, ns.
    pub(crate) snaptime_ns: u64,
    room: SnapshotMemory,
}

fn queue(cnt: u32, time: i64, lentime: i64, lastupdate: i64) -> KstatQueue {
    // CAST: The sums wrap; signed and unsigned have the same bits.
    KstatQueue {
        cnt,
        time: time as u64,
        lentime: lentime as u64,
        lastupdate: lastupdate as u64,
    }
}

impl KstatCopy {
    pub(super) fn new(
        kind: KstatType,
        ndata: u32,
        bytes: usize,
        snaptime_ns: u64,
        room: SnapshotMemory,
    ) -> Self {
        let most = room.bytes() / size(kind);
        // INVARIANT: `ndata` is limited to the number for which `room` has memory.
        KstatCopy {
            kind,
            // CAST: At most the former `u32`.
            ndata: most.min(ndata as usize) as u32,
            bytes,
            snaptime_ns,
            room,
        }
    }

    fn at<T>(&self, index: u32) -> *const T {
        self.room
            .words
            .as_ptr()
            .cast::<T>()
            .wrapping_add(index as usize)
    }

    fn at_mut<T>(&mut self, index: u32) -> *mut T {
        self.room
            .words
            .as_mut_ptr()
            .cast::<T>()
            .wrapping_add(index as usize)
    }

    /// Adds the time since the last change to the queues of an I/O kstat.
    pub(super) fn extrapolate(&mut self) {
        if self.kind != KstatType::Io || self.ndata == 0 {
            return;
        }
        let now = self.snaptime_ns;
        // SAFETY: By the type invariant there is one, and it consists of integers.
        let io = unsafe { &mut *self.at_mut::<own::iostat_kstat_io>(0) };
        let waitq = queue(io.wcnt, io.wtime, io.wlentime, io.wlastupdate).snapshot(now);
        let runq = queue(io.rcnt, io.rtime, io.rlentime, io.rlastupdate).snapshot(now);
        // CAST: Signed and unsigned have the same bits.
        io.wtime = waitq.time as i64;
        io.wlentime = waitq.lentime as i64;
        io.wlastupdate = waitq.lastupdate as i64;
        io.rtime = runq.time as i64;
        io.rlentime = runq.lentime as i64;
        io.rlastupdate = runq.lastupdate as i64;
    }

    /// Copies the strings, and replaces their pointers by offsets. Does not allocate. Returns the number of
    /// bytes for which there is no room.
    ///
    /// # Safety
    ///
    /// Each string is null, or ends in a NUL or after `len` bytes, and does not change during the call.
    pub(super) unsafe fn take_strings(&mut self) -> usize {
        if self.kind != KstatType::Named {
            return 0;
        }
        self.room.text.clear();
        let mut missing = 0usize;
        for index in 0..self.ndata {
            let at = self.at_mut::<own::iostat_kstat_named>(index);
            // SAFETY: By the type invariant the statistic is valid, and by the requirement of this function so
            // is its string.
            missing = missing.saturating_add(unsafe { named::take(at, &mut self.room.text) });
        }
        missing
    }

    /// Sets all strings to null.
    pub(super) fn forget_strings(&mut self) {
        if self.kind == KstatType::Named {
            // SAFETY: By the type invariant there are `ndata` statistics, which only `self` accesses.
            unsafe { named::forget_strings(self.room.as_mut_ptr().cast(), self.ndata) };
        }
    }

    /// Returns the memory, with room for `missing` more bytes of strings. May sleep; `ENOMEM`.
    pub(super) fn with_room_for_strings(self, missing: usize) -> Result<SnapshotMemory> {
        let mut room = self.room;
        let len = room.text.len().saturating_add(missing);
        room.text = KVVec::with_capacity(len, GFP_KERNEL_ACCOUNT)?;
        // The pointers were replaced by offsets: clear them.
        room.words.fill(0);
        Ok(room)
    }

    /// Returns the number of structures.
    pub(crate) fn ndata(&self) -> u32 {
        self.ndata
    }

    /// Returns the bytes of a raw kstat; empty for other types.
    pub(crate) fn raw(&self) -> &[u8] {
        match self.kind {
            KstatType::Raw => self.room.as_bytes(self.bytes),
            _ => &[],
        }
    }

    /// Calls `visit` with each statistic, in their order: two parts of the name, and the value.
    pub(crate) fn each(
        &self,
        mut visit: impl FnMut(&[u8], &'static str, Value<'_>) -> Result,
    ) -> Result {
        // Raw data has no statistics.
        let is_raw = self.kind == KstatType::Raw;
        for index in 0..if is_raw { 0 } else { self.ndata } {
            match self.kind {
                KstatType::Raw => {}
                KstatType::Named => {
                    // SAFETY: By the type invariant there is one at `index`, and every bit pattern is valid.
                    let named = unsafe { &*self.at::<own::iostat_kstat_named>(index) };
                    let name = named::name(&named.name);
                    if !name.is_empty() {
                        named::value(named, &self.room.text, |value| visit(name, "", value))?;
                    }
                }
                KstatType::Intr => {
                    // SAFETY: By the type invariant there is one at `index`, and every bit pattern is valid.
                    let intr = unsafe { &*self.at::<own::iostat_kstat_intr>(index) };
                    for (name, count) in INTR.into_iter().zip(&intr.intrs) {
                        visit(b"", name, Value::Uint32(*count))?;
                    }
                }
                KstatType::Io => {
                    // SAFETY: By the type invariant there is one at `index`, and every bit pattern is valid.
                    let io = unsafe { &*self.at::<own::iostat_kstat_io>(index) };
                    // CAST: The sums wrap.
                    let values = [
                        ("nread", Value::Uint64(io.nread)),
                        ("nwritten", Value::Uint64(io.nwritten)),
                        ("reads", Value::Uint32(io.reads)),
                        ("writes", Value::Uint32(io.writes)),
                        ("wtime", Value::Uint64(io.wtime as u64)),
                        ("wlentime", Value::Uint64(io.wlentime as u64)),
                        ("wlastupdate", Value::Uint64(io.wlastupdate as u64)),
                        ("rtime", Value::Uint64(io.rtime as u64)),
                        ("rlentime", Value::Uint64(io.rlentime as u64)),
                        ("rlastupdate", Value::Uint64(io.rlastupdate as u64)),
                        ("wcnt", Value::Uint32(io.wcnt)),
                        ("rcnt", Value::Uint32(io.rcnt)),
                    ];
                    for (name, value) in values {
                        visit(b"", name, value)?;
                    }
                }
                KstatType::Timer => {
                    // SAFETY: By the type invariant there is one at `index`, and every bit pattern is valid.
                    let timer = unsafe { &*self.at::<own::iostat_kstat_timer>(index) };
                    let name = named::name(&timer.name);
                    if name.is_empty() {
                        continue;
                    }
                    // CAST: The sums wrap.
                    let values = [
                        (".num_events", timer.num_events),
                        (".elapsed_time", timer.elapsed_time as u64),
                        (".min_time", timer.min_time as u64),
                        (".max_time", timer.max_time as u64),
                        (".start_time", timer.start_time as u64),
                        (".stop_time", timer.stop_time as u64),
                    ];
                    for (statistic, value) in values {
                        visit(name, statistic, Value::Uint64(value))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the statistic of this name.
    pub(super) fn find(&mut self, statistic: &[u8]) -> Option<&mut own::iostat_kstat_named> {
        if self.kind != KstatType::Named {
            return None;
        }
        (0..self.ndata).find_map(|index| {
            let at = self.at_mut::<own::iostat_kstat_named>(index);
            // SAFETY: By the type invariant there is one at `index`, and every bit pattern is valid.
            let named = unsafe { &mut *at };
            (named::name(&named.name) == statistic).then_some(named)
        })
    }

    /// Overwrites the data from its start. `EINVAL` if there are more bytes than room.
    pub(super) fn fill(&mut self, bytes: &[u8]) -> Result {
        let ours = AsBytes::as_bytes_mut(self.room.words.as_mut_slice());
        let to = ours.get_mut(..bytes.len()).ok_or(EINVAL)?;
        to.copy_from_slice(bytes);
        Ok(())
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.room.as_mut_ptr()
    }
}
