// SPDX-License-Identifier: GPL-2.0

//! Waiting for a file with `poll()`.
//!
//! C header: [`include/linux/poll.h`](srctree/include/linux/poll.h).

use kernel::{
    bindings,
    fs::File,
    sync::poll::{
        PollCondVar,
        PollTable, //
    }, //
};

/// `EPOLL*` of `include/uapi/linux/eventpoll.h`, the same on all architectures.
pub(crate) mod event {
    /// There is something to read: `EPOLLIN | EPOLLRDNORM`.
    pub(crate) const IN: u32 = 0x41;
    /// Something changed: `EPOLLPRI`.
    pub(crate) const PRI: u32 = 0x2;
    /// One can write: `EPOLLOUT | EPOLLWRNORM`.
    pub(crate) const OUT: u32 = 0x104;
}

/// Somebody who polls a file.
pub(crate) struct Poller<'a> {
    file: &'a File,
    table: PollTable<'a>,
}

impl<'a> Poller<'a> {
    /// # Safety
    ///
    /// Both are the arguments of the VFS's call of `poll`, which `'a` does not outlive.
    pub(super) unsafe fn new(
        file: *mut bindings::file,
        table: *mut bindings::poll_table_struct,
    ) -> Self {
        Poller {
            // SAFETY: The file is open during the call, and its position is not locked: the VFS takes the
            // lock for reads and writes only.
            file: unsafe { File::from_raw_file(file) },
            // SAFETY: Valid during the call, by this function's requirement.
            table: unsafe { PollTable::from_raw(table) },
        }
    }

    /// Is woken when `changed` is notified. To be called before one looks whether it was.
    pub(crate) fn wait(&self, changed: &PollCondVar) {
        self.table.register_wait(self.file, changed);
    }
}
