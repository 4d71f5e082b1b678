// SPDX-License-Identifier: GPL-2.0

//! `IOSTAT_IOC_CGROUPS`: accounts by cgroup.

use super::{
    count,
    filled,
    size_ver0,
    zero,
    Recording, //
};
use crate::{
    abi::binary::cgroup::{
        DeviceCgroup,
        GetCgroups, //
    },
    acct::cgroup::CgroupGroup,
    kernel_ext::ioctl::{
        Argument,
        Array, //
    },
    recorder::cgroup_control::OTHER, //
};
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*, //
};

/// The number of accounts that are copied to user space at a time. No lock is held during the copy, as the memory of
/// the program may be on a disk that waits for the lock.
const BATCH: usize = 32;

/// `ENXIO` if there is no such disk.
pub(super) fn get(state: &Recording, argument: Argument) -> Result {
    let (mut get, size) = argument.read::<GetCgroups>(size_ver0::GET_CGROUPS)?;
    zero(&[get.flags.into(), get.reserved.into()])?;
    let device = (get.number != OTHER).then_some(get.number);
    if let Some(number) = device {
        state.numbered_disk(number).ok_or(ENXIO)?;
    }
    // CAST: 32 bits.
    let room = get.count as usize;
    let mut batch = KVVec::with_capacity(BATCH, GFP_KERNEL_ACCOUNT)?;
    let mut array = Array::new(get.cgroups, room, get.entry_size, size_ver0::CGROUP)?;
    let (mut next, mut found) = (Some(CgroupGroup::default()), 0usize);
    while let Some(from) = next.take() {
        state.cgroups(device, from, |group, totals| {
            if found >= room {
                found = found.saturating_add(1);
                return Ok(true);
            }
            if batch.len() == BATCH {
                next = Some(group);
                return Ok(false);
            }
            batch.push(DeviceCgroup::new(&group, totals), GFP_KERNEL_ACCOUNT)?;
            found = found.saturating_add(1);
            Ok(true)
        })?;
        for cgroup in &batch {
            array.push(cgroup)?;
        }
        batch.clear();
    }
    let (used, rows) = state.cgroup_rows_used();
    get.size = filled::<GetCgroups>(size);
    get.count = count(found);
    get.rows = count(rows);
    get.rows_used = count(used);
    argument.write(&get, size)
}
