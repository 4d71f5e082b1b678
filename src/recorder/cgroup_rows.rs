// SPDX-License-Identifier: GPL-2.0

//! The reply to `@cgroups_list`: a line for each cgroup, disk and class that had an I/O.

use super::{
    listener::Listener,
    State, //
};
use crate::{
    abi::{
        cgroup_text,
        message::{
            error::{
                Error as Wrong,
                Reason, //
            },
            word::Word, //
        },
        pager::{
            Filled,
            Piece, //
        }, //
    },
    acct::cgroup::{
        CgroupGroup,
        CgroupTotals, //
    },
    kernel_ext::{
        memory::NoIo,
        task, //
    },
};
use kernel::prelude::*;

/// The reply to `@cgroups_list`.
pub(crate) struct CgroupRows {
    /// The number of the only disk; [`None`] for all disks.
    device: Option<u32>,
    /// The next group to write; [`None`] before the heading.
    next: Option<CgroupGroup>,
}

impl CgroupRows {
    /// Starts the reply again.
    pub(crate) fn restart(&mut self) {
        self.next = None;
    }

    /// Writes the next lines. May sleep; `ENOMEM`, `EINTR`.
    pub(crate) fn fill<L: Listener>(
        &mut self,
        state: &State<L>,
        piece: &mut Piece<'_>,
    ) -> Result<Filled> {
        let from = match self.next {
            Some(next) => next,
            None if piece.record(cgroup_text::header) => CgroupGroup::default(),
            None => return Ok(Filled::Full),
        };
        self.next = Some(from);
        let mut filled = Filled::End;
        state.cgroups(self.device, from, |group, totals| {
            let account = state.numbered(group.device);
            let identity = account.as_ref().map(|account| account.identity());
            if piece.record(|out| cgroup_text::line(out, identity, &group, totals)) {
                return Ok(true);
            }
            self.next = Some(group);
            filled = Filled::Full;
            Ok(false)
        })?;
        Ok(filled)
    }
}

impl<L: Listener> State<L> {
    /// Starts or stops counting by cgroup. May sleep; errors as of [`CgroupControl::start`].
    ///
    /// [`CgroupControl::start`]: super::cgroup_control::CgroupControl
    pub(crate) fn switch_cgroups(&self, on: bool) -> Result {
        // The mutex is held meanwhile: see `Registry::add_client`.
        let _noio = NoIo::new();
        let mut control = self.cgroup_control.lock();
        if on {
            return control.start(&self.tracker);
        }
        control.stop(&self.tracker);
        Ok(())
    }

    /// Calls `each` with the accounts by cgroup of a disk, or of all, from the group `from` on, in order, until it
    /// returns false. `each` must not access the memory of a program. May sleep; `ENOMEM`, `EINTR`, or the error of
    /// `each`.
    pub(crate) fn cgroups(
        &self,
        device: Option<u32>,
        from: CgroupGroup,
        mut each: impl FnMut(CgroupGroup, &CgroupTotals) -> Result<bool>,
    ) -> Result {
        // The mutex is held meanwhile: see `Registry::add_client`.
        let _noio = NoIo::new();
        let control = self.cgroup_control.lock();
        control.each(from, |group, totals| {
            task::check_fatal_signal()?;
            if device.is_some_and(|device| device != group.device) {
                return Ok(true);
            }
            each(group, totals)
        })
    }

    /// Rows of accounts by cgroup in use, and their maximum number; both 0 while counting is off. May sleep.
    pub(crate) fn cgroup_rows_used(&self) -> (usize, usize) {
        self.cgroup_control.lock().used().unwrap_or_default()
    }

    /// The accounts by cgroup of a disk, or of all. `ENXIO` if there is no such disk. May sleep.
    pub(crate) fn cgroup_rows<'a>(
        &self,
        device: Option<Word<'a>>,
    ) -> Result<CgroupRows, Wrong<'a>> {
        let device = match device {
            None => None,
            Some(word) => {
                let (account, _) = self.registry.find(word)?;
                if account.disk().is_some() {
                    return Err(Wrong::wrong(Reason::NoSuchDisk, word));
                }
                Some(account.identity().number)
            }
        };
        Ok(CgroupRows { device, next: None })
    }
}
