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
    glue::{
        io_events::{
            Devinfo,
            STATNAME_LEN, //
        },
        waits::{
            Identify,
            Wait, //
        }, //
    },
    kernel_ext::published::InProbe,
};

/// The name of the device of a wait that has none.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const NO_DEVICE: [u8; STATNAME_LEN] = {
    const TEXT: &[u8] = b"<none>";
    let mut name = [0; STATNAME_LEN];
    let mut index = 0;
    while index < TEXT.len() {
        name[index] = TEXT[index];
        index += 1;
    }
    name
};

impl Identify for Tracker {
    fn identify(&self, probe: InProbe<'_>, wait: &mut Wait) {
        let account = wait
            .devices()
            .and_then(|(disk, device)| self.account_of(probe, disk, device));
        wait.io.buf.id = self.next_wait();
        wait.io.buf.b_flags |= provider::direction(wait.op, wait.io.buf.b_bcount != 0);
        match account {
            // The account may be that of the disk, if the partition has no account: then it is not
            // used.
            Some(account) if account.identity().dev == wait.io.buf.b_edev => {
                wait.set_device(account.devinfo());
            }
            _ => {
                let mut dev = Devinfo::unknown();
                (dev.info.dev_major, dev.info.dev_minor) = major_minor(wait.io.buf.b_edev);
                // The name of a device that is not recorded is not known here.
                dev.info.dev_statname = match wait.devices() {
                    Some(_) => numbers(wait.io.buf.b_edev),
                    None => NO_DEVICE,
                };
                wait.set_device(&dev);
            }
        }
    }
}
