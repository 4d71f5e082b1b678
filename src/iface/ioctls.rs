// SPDX-License-Identifier: GPL-2.0

//! The binary calls of `/dev/iostat`: see `Documentation/abi.rst`.

mod cgroups;
mod histograms;
mod kstats;
mod slow;

use super::{
    reader::{
        Reader,
        LONGEST_MESSAGE, //
    },
    ChardevContext,
    Recording, //
};
use crate::{
    abi::binary::{
        call,
        histograms::PHASE_OF_SIZES,
        DeviceHistogram,
        DeviceList,
        DeviceSnapshot,
        Get,
        Info,
        MessageCall,
        FEATURE_KSTAT,
        FEATURE_MMAP,
        GET_ALL,
        GET_OLDEST,
        VERSION, //
    },
    acct::{
        class::Class,
        histogram::{
            Phase,
            BUCKETS, //
        },
        inflight::Oldest,
        snapshot::Snapshot, //
    },
    glue::clock,
    kernel_ext::ioctl::{
        user_memory,
        Access,
        Argument,
        Array, //
    },
    recorder::account::Account, //
};
use core::mem::size_of;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*,
    sync::Arc, //
};

/// The sizes of the structures in version 1: each caller's structures are at least as large.
mod size_ver0 {
    pub(super) const INFO: usize = 64;
    pub(super) const LIST: usize = 32;
    pub(super) const DEVICE: usize = 192;
    pub(super) const GET: usize = 40;
    /// Without `oldest_age`, which a caller may leave out.
    pub(super) const COUNTERS: usize = 296;
    pub(super) const TIMES: usize = 48;
    pub(super) const MESSAGE: usize = 32;
    pub(super) const HISTOGRAMS: usize = 72;
    pub(super) const LATENCY: usize = 40;
    pub(super) const GET_SLOW: usize = 48;
    pub(super) const SLOW: usize = 104;
    pub(super) const GET_CGROUPS: usize = 40;
    pub(super) const CGROUP: usize = 936;
}

/// The number of bytes that are written to a structure of which the caller has `size` bytes.
fn filled<T>(size: usize) -> u32 {
    // CAST: A few hundred.
    size.min(size_of::<T>()) as u32
}

/// A number of devices, kstats, values or bytes.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// `EINVAL` unless all words are 0.
fn zero(reserved: &[u64]) -> Result {
    if reserved.iter().all(|word| *word == 0) {
        Ok(())
    } else {
        Err(EINVAL)
    }
}

/// Runs the call `number`. May sleep. `ENOTTY` if there is no such call, `EBADF` if the file was not opened for
/// it; `EINVAL`, `E2BIG` and `EFAULT` as `copy_struct_from_user()`; other errors as the call returns them.
pub(super) fn run(
    reader: &Reader,
    context: &ChardevContext,
    number: u32,
    argument: Argument,
    access: Access,
) -> Result {
    let state = &*context.recording;
    match number {
        call::INFO => access.reads().and_then(|()| info(reader, state, argument)),
        call::LIST => access.reads().and_then(|()| list(reader, state, argument)),
        call::SNAPSHOT => access.reads().and_then(|()| get(reader, state, argument)),
        call::HISTOGRAM => access.reads().and_then(|()| histogram(state, argument)),
        call::HISTOGRAMS => access
            .reads()
            .and_then(|()| histograms::get(reader, state, argument)),
        call::SLOW => access
            .reads()
            .and_then(|()| slow::get(reader, state, argument)),
        call::CGROUPS => access.reads().and_then(|()| cgroups::get(state, argument)),
        call::MESSAGE => {
            access.reads()?;
            access.writes()?;
            message(reader, context, argument)
        }
        call::KSTAT_LIST => access
            .reads()
            .and_then(|()| kstats::list(&context.kstats, argument)),
        call::KSTAT_READ => access
            .reads()
            .and_then(|()| kstats::read(&context.kstats, argument)),
        call::KSTAT_WRITE => {
            access.writes()?;
            reader.may_change()?;
            kstats::write(&context.kstats, argument)
        }
        _ => Err(ENOTTY),
    }
}

fn info(reader: &Reader, state: &Recording, argument: Argument) -> Result {
    let (info, size) = argument.read::<Info>(size_ver0::INFO)?;
    zero(&[info.flags.into()])?;
    zero(&info.reserved)?;
    let generation = state.generation();
    let info = Info {
        size: filled::<Info>(size),
        flags: 0,
        version: VERSION,
        numdevs: count(state.numdevs()),
        generation,
        features: FEATURE_MMAP | FEATURE_KSTAT,
        now: clock::now_ns(),
        // CAST: A hundred.
        buckets: BUCKETS as u32,
        message_bytes: count(LONGEST_MESSAGE),
        reserved: [0; 2],
    };
    argument.write(&info, size)?;
    reader.saw(generation);
    Ok(())
}

fn list(reader: &Reader, state: &Recording, argument: Argument) -> Result {
    let (mut list, size) = argument.read::<DeviceList>(size_ver0::LIST)?;
    zero(&[list.flags.into()])?;
    let all = state.list()?;
    // CAST: 32 bits.
    let room = (list.count as usize).min(all.accounts.len());
    let mut devices = Array::new(list.devices, room, list.entry_size, size_ver0::DEVICE)?;
    for account in all.accounts.iter().take(room) {
        devices.push(&account.device())?;
    }
    list.size = filled::<DeviceList>(size);
    list.count = count(all.accounts.len());
    list.generation = all.generation;
    argument.write(&list, size)?;
    reader.saw(all.generation);
    Ok(())
}

/// The counters of `account`. `snapshot` is room for the snapshot from which they are made.
fn counters(account: &Account, oldest: Oldest, snapshot: &mut Snapshot) -> DeviceSnapshot {
    account.next_snapshot(snapshot);
    DeviceSnapshot::new(account.identity().number, snapshot, oldest)
}

/// The oldest I/O in flight of each of these accounts, if the call asks for its age and has room for it. `ENOMEM`, `EINTR`.
fn oldest_of(
    state: &Recording,
    accounts: &[Arc<Account>],
    flags: u32,
    room: u32,
) -> Result<impl Iterator<Item = Oldest>> {
    let oldest = match flags & GET_OLDEST != 0 && room != 0 {
        true => state.oldest().of_each(accounts)?,
        false => KVVec::new(),
    };
    let not_asked = core::iter::repeat(Oldest::default());
    Ok(Iterator::chain(oldest.into_iter(), not_asked))
}

/// The oldest I/O in flight of this account, if the call asks for its age. `EINTR`.
fn oldest_of_one(state: &Recording, account: &Account, flags: u32) -> Result<Oldest> {
    match flags & GET_OLDEST != 0 {
        true => state.oldest().of(account),
        false => Ok(Oldest::default()),
    }
}

/// `ENXIO` if there is no such device.
fn get(reader: &Reader, state: &Recording, argument: Argument) -> Result {
    let (mut get, size) = argument.read::<Get>(size_ver0::GET)?;
    zero(&[
        (get.flags & !(GET_ALL | GET_OLDEST)).into(),
        get.reserved.into(),
    ])?;
    let is_all = get.flags & GET_ALL != 0;
    clock::check();
    let mut snapshot = Snapshot::default();
    // CAST: 32 bits.
    let room = get.count as usize;
    if is_all {
        zero(&[get.number.into()])?;
        let all = state.list()?;
        let room = room.min(all.accounts.len());
        let mut snapshots = Array::new(get.snapshots, room, get.entry_size, size_ver0::COUNTERS)?;
        let oldest = oldest_of(state, &all.accounts, get.flags, get.count)?;
        for (account, oldest) in all.accounts.iter().take(room).zip(oldest) {
            snapshots.push(&counters(account, oldest, &mut snapshot))?;
        }
        get.count = count(all.accounts.len());
        get.generation = all.generation;
    } else {
        let mut snapshots = Array::new(
            get.snapshots,
            room.min(1),
            get.entry_size,
            size_ver0::COUNTERS,
        )?;
        // Before the device is looked for: if it leaves in between, the caller learns of it the next time.
        get.generation = state.generation();
        let account = state.numbered(get.number).ok_or(ENXIO)?;
        if room != 0 {
            let oldest = oldest_of_one(state, &account, get.flags)?;
            snapshots.push(&counters(&account, oldest, &mut snapshot))?;
        }
        get.count = 1;
    }
    get.size = filled::<Get>(size);
    argument.write(&get, size)?;
    // A caller that reads one device has not seen the list.
    if is_all {
        reader.saw(get.generation);
    }
    Ok(())
}

/// `ENXIO` if there is no such device.
fn histogram(state: &Recording, argument: Argument) -> Result {
    let (mut times, size) = argument.read::<DeviceHistogram>(size_ver0::TIMES)?;
    zero(&[times.flags.into()])?;
    // CAST: 32 bits.
    let class = Class::ALL.get(times.class as usize).ok_or(EINVAL)?;
    // CAST: 32 bits.
    let phase = Phase::ALL.get(times.phase as usize);
    if phase.is_none() && times.phase != PHASE_OF_SIZES {
        return Err(EINVAL);
    }
    let account = state.numbered(times.number).ok_or(ENXIO)?;
    match phase {
        Some(phase) => {
            let histogram = account.histogram(*class, *phase);
            counts(&mut times, &histogram.counts)?;
            times.min = histogram.min();
            times.max = histogram.max();
        }
        None => {
            let sizes = account.sizes();
            counts(&mut times, sizes.get(*class as usize).ok_or(EINVAL)?)?;
            times.min = 0;
            times.max = 0;
        }
    }
    times.size = filled::<DeviceHistogram>(size);
    argument.write(&times, size)
}

/// Writes the counts of a histogram to the caller's array, as many as there is room for. `EFAULT`.
fn counts(histogram: &mut DeviceHistogram, counts: &[u64]) -> Result {
    // CAST: 32 bits.
    let room = (histogram.buckets as usize).min(counts.len());
    let mut array = Array::new(histogram.counts, room, 8, 8)?;
    for bucket in counts.iter().take(room) {
        array.push(bucket)?;
    }
    histogram.buckets = count(counts.len());
    Ok(())
}

/// `ENOSPC` if there is no room for all of the reply; else as [`super::messages::run`].
fn message(reader: &Reader, context: &ChardevContext, argument: Argument) -> Result {
    let (mut message, size) = argument.read::<MessageCall>(size_ver0::MESSAGE)?;
    zero(&[message.flags.into()])?;
    // CAST: 32 bits.
    let (len, room) = (message.in_bytes as usize, message.out_bytes as usize);
    if len > LONGEST_MESSAGE {
        return Err(E2BIG);
    }
    let mut line = KVVec::new();
    user_memory(message.from, len)?.read_all(&mut line, GFP_KERNEL_ACCOUNT)?;
    let mut writer = user_memory(message.to, room)?.writer();
    let (copied, is_all, result) = reader.message(context, &line, room, |bytes| {
        match writer.write_slice(bytes) {
            Ok(()) => bytes.len(),
            Err(_) => 0,
        }
    })?;
    message.size = filled::<MessageCall>(size);
    message.out_bytes = count(copied);
    argument.write(&message, size)?;
    result?;
    if is_all {
        Ok(())
    } else {
        Err(ENOSPC)
    }
}
