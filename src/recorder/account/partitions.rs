// SPDX-License-Identifier: GPL-2.0

//! How the account of a disk includes those of its partitions, in which the I/Os that are submitted to them are
//! recorded.
//!
//! Readers of the disk add up its records and those of its partitions. They still include a partition that leaves,
//! until the last probe that can record in it has returned. Then the disk absorbs its counts (`src/acct/absorb.rs`),
//! while no reader reads the disk.

use super::Account;
use crate::glue::records::Records;
use core::sync::atomic::Ordering::Release;
use kernel::{
    prelude::*,
    sync::Arc, //
};

impl Account {
    /// Adds the records of this account, if it is that of a partition, to those that readers of its disk add up. Called before
    /// anything is recorded in it. May sleep; `ENOMEM`.
    pub(crate) fn join_disk(&self) -> Result {
        let Some(disk) = self.disk() else {
            return Ok(());
        };
        let mut readout = disk.readout.lock();
        readout.partitions.push(self.records(), GFP_KERNEL)?;
        disk.has_had_partitions.store(true, Release);
        disk.records.head().partitions.arrives();
        // The disk's memory changes until it has absorbed the partition.
        disk.hold();
        Ok(())
    }

    /// The account is about to be removed from the list.
    pub(in crate::recorder) fn leave_disk(&self) {
        if let Some(disk) = self.disk() {
            disk.records.head().partitions.leaves();
        }
    }

    /// Whether nothing will be recorded in the account any more.
    pub(in crate::recorder) fn is_gone(&self) -> bool {
        self.records.head().is_gone()
    }

    /// Adds the counts of this partition, which is gone, to those of its disk. One call at a time, and not while
    /// [`Account::upkeep`] runs. May sleep; `ENOMEM`: then nothing has changed.
    pub(crate) fn absorb_into_disk(&self) -> Result {
        let Some(disk) = self.disk() else {
            return Ok(());
        };
        let mut readout = disk.readout.lock();
        disk.records.absorb(&self.records)?;
        let is_other = |other: &mut Arc<Records>| !Arc::ptr_eq(other, &self.records);
        readout.partitions.retain(is_other);
        drop(readout);
        disk.leave();
        Ok(())
    }
}
