// SPDX-License-Identifier: GPL-2.0

//! Describes waits in the terms of DTrace's io provider.

use super::{
    provider,
    tracker::Tracker, //
};
use crate::{
    abi::identity::{
        major_minor,
        numbers, //
    },
    glue::waits::{
        Identify,
        Wait, //
    },
    kernel_ext::published::InProbe,
};

impl Identify for Tracker {
    fn identify(&self, probe: InProbe<'_>, wait: &mut Wait) {
        let account = wait
            .devices()
            .and_then(|(disk, device)| self.account_of(probe, disk, device));
        wait.io.buf.id = self.next_wait();
        wait.io.buf.b_flags |= provider::direction(wait.op);
        match account {
            // Unless the account is that of the disk, as the partition has none.
            Some(account) if account.identity().dev == wait.io.buf.b_edev => {
                wait.set_device(account.devinfo());
            }
            _ => {
                // It is not recorded: its name is not known here.
                if wait.devices().is_some() {
                    wait.io.dev.dev_statname = numbers(wait.io.buf.b_edev);
                }
                let dev = &mut wait.io.dev;
                (dev.dev_major, dev.dev_minor) = major_minor(wait.io.buf.b_edev);
            }
        }
    }
}
