// SPDX-License-Identifier: GPL-2.0

//! `IOSTAT_IOC_SLOW`: the latest slow I/Os of a disk.

use super::{
    super::messages::may_see,
    count,
    filled,
    size_ver0,
    zero,
    Reader,
    Recording, //
};
use crate::{
    abi::binary::slow::{
        DeviceSlowIo,
        GetSlow, //
    },
    acct::slow::SLOW_IOS,
    kernel_ext::ioctl::{
        Argument,
        Array, //
    },
    recorder::slow::threshold_ns,
};
use kernel::prelude::*;

/// `ENXIO` if there is no such disk.
pub(super) fn get(reader: &Reader, state: &Recording, argument: Argument) -> Result {
    let (mut get, size) = argument.read::<GetSlow>(size_ver0::GET_SLOW)?;
    zero(&[get.flags.into(), get.reserved.into()])?;
    // CAST: 32 bits.
    let room = (get.count as usize).min(SLOW_IOS);
    let mut array = Array::new(get.slow, room, get.entry_size, size_ver0::SLOW)?;
    let disk = state.numbered_disk(get.number).ok_or(ENXIO)?;
    let has_target = may_see(reader.is_opened_by_admin);
    let (mut written, mut most) = (0usize, u64::MAX);
    get.total = disk.slow_count();
    while written < room {
        // Not above the total: I/Os that are kept meanwhile are left to the next call.
        let Some((number, io)) = disk.newest_slow(most.min(get.total)) else {
            break;
        };
        array.push(&DeviceSlowIo::new(number, &io, has_target))?;
        written = written.saturating_add(1);
        most = number.wrapping_sub(1);
    }
    get.size = filled::<GetSlow>(size);
    get.count = count(written);
    get.threshold = threshold_ns();
    argument.write(&get, size)
}
