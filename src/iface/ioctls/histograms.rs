// SPDX-License-Identifier: GPL-2.0

//! `IOSTAT_IOC_HISTOGRAMS`: the counters and all histograms of devices in one call.

use super::{
    count,
    filled,
    oldest_of,
    oldest_of_one,
    size_ver0,
    zero,
    Reader,
    Recording, //
};
use crate::{
    abi::binary::{
        histograms::{
            DeviceLatency,
            GetHistograms, //
        },
        DeviceSnapshot,
        GET_ALL,
        GET_OLDEST, //
    },
    acct::{
        histogram::BUCKETS,
        inflight::Oldest,
        snapshot::{
            HistogramSet,
            HISTOGRAMS, //
        }, //
    },
    glue::clock,
    kernel_ext::ioctl::{
        user_memory,
        Argument,
        Array, //
    },
    recorder::account::{
        histograms::HistogramRoom,
        Account, //
    },
};
use core::mem::size_of;
use kernel::{
    prelude::*,
    transmute::AsBytes,
    uaccess::UserSliceWriter, //
};

/// An array of the caller, and the number of elements for it.
struct Results {
    array: Array,
    room: usize,
    count: usize,
}

impl Results {
    /// An array with room for as many elements as the caller says, or as there can be.
    fn new(address: u64, len: u32, most: usize, stride: u32, least: usize) -> Result<Self> {
        // CAST: 32 bits.
        let room = (len as usize).min(most);
        Ok(Results {
            array: Array::new(address, room, stride, least)?,
            room,
            count: 0,
        })
    }

    /// Counts an element, and writes it if there is room.
    fn push<T: AsBytes>(&mut self, value: &T) -> Result {
        if self.count < self.room {
            self.array.push(value)?;
        }
        self.count = self.count.saturating_add(1);
        Ok(())
    }
}

/// The array of counts.
struct CountArray {
    writer: UserSliceWriter,
    room: usize,
    count: usize,
}

impl CountArray {
    fn new(address: u64, len: u32, most: usize) -> Result<Self> {
        // CAST: 32 bits.
        let room = (len as usize).min(most);
        let bytes = room.checked_mul(size_of::<u64>()).ok_or(EFAULT)?;
        Ok(CountArray {
            writer: user_memory(address, bytes)?.writer(),
            room,
            count: 0,
        })
    }

    /// Adds counts, and writes as many of them as there is room for.
    fn push(&mut self, counts: &[u64]) -> Result {
        let room = self.room.saturating_sub(self.count);
        let fit = counts.get(..room).unwrap_or(counts);
        self.writer.write_slice(AsBytes::as_bytes(fit))?;
        self.count = self.count.saturating_add(counts.len());
        Ok(())
    }
}

/// The three arrays.
struct Arrays {
    snapshots: Results,
    latencies: Results,
    counts: CountArray,
}

impl Arrays {
    /// The arrays of a call for so many devices. `EINVAL` if the size of an element is not valid; `EFAULT`.
    fn new(get: &GetHistograms, devices: usize) -> Result<Self> {
        let most = devices.saturating_mul(HISTOGRAMS);
        Ok(Arrays {
            snapshots: Results::new(
                get.snapshots,
                get.snapshot_count,
                devices,
                get.snapshot_size,
                size_ver0::COUNTERS,
            )?,
            latencies: Results::new(
                get.latencies,
                get.latency_count,
                most,
                get.latency_size,
                size_ver0::LATENCY,
            )?,
            counts: CountArray::new(get.counts, get.count_count, most.saturating_mul(BUCKETS))?,
        })
    }

    /// Writes the counters and the wanted histograms of a device. May sleep; `EFAULT`.
    fn push(&mut self, account: &Account, oldest: Oldest, room: &mut HistogramRoom) -> Result {
        let number = account.identity().number;
        let snapshot = account.next_snapshot_with_histograms(room);
        self.snapshots
            .push(&DeviceSnapshot::new(number, snapshot, oldest))?;
        for (class, phase, histogram) in room.histograms() {
            let first = count(self.counts.count);
            let latency = DeviceLatency::new(number, (class, phase), histogram, first);
            self.latencies.push(&latency)?;
            self.counts.push(histogram.used_counts())?;
        }
        for (class, counts) in room.sizes() {
            let first = count(self.counts.count);
            let latency = DeviceLatency::of_sizes(number, class, counts, first);
            self.latencies.push(&latency)?;
            self.counts.push(counts)?;
        }
        Ok(())
    }
}

/// `ENXIO` if there is no such device, `ENOMEM`.
pub(super) fn get(reader: &Reader, state: &Recording, argument: Argument) -> Result {
    let (mut get, size) = argument.read::<GetHistograms>(size_ver0::HISTOGRAMS)?;
    zero(&[
        (get.flags & !(GET_ALL | GET_OLDEST)).into(),
        get.reserved.into(),
    ])?;
    let wanted = HistogramSet::new(get.which).ok_or(EINVAL)?;
    let is_all = get.flags & GET_ALL != 0;
    clock::check();
    let mut room = HistogramRoom::new(wanted)?;
    let arrays = if is_all {
        zero(&[get.number.into()])?;
        let all = state.list()?;
        let mut arrays = Arrays::new(&get, all.accounts.len())?;
        let oldest = oldest_of(state, &all.accounts, get.flags, get.snapshot_count)?;
        for (account, oldest) in all.accounts.iter().zip(oldest) {
            arrays.push(account, oldest, &mut room)?;
        }
        get.generation = all.generation;
        arrays
    } else {
        let mut arrays = Arrays::new(&get, 1)?;
        // Before the device is looked for: see `IOSTAT_IOC_SNAPSHOT`.
        get.generation = state.generation();
        let account = state.numbered(get.number).ok_or(ENXIO)?;
        let oldest = oldest_of_one(state, &account, get.flags)?;
        arrays.push(&account, oldest, &mut room)?;
        arrays
    };
    get.size = filled::<GetHistograms>(size);
    get.snapshot_count = count(arrays.snapshots.count);
    get.latency_count = count(arrays.latencies.count);
    get.count_count = count(arrays.counts.count);
    argument.write(&get, size)?;
    // A caller that reads one device has not seen the list.
    if is_all {
        reader.saw(get.generation);
    }
    Ok(())
}
