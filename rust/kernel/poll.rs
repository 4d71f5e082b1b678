// SPDX-License-Identifier: GPL-2.0

//! Support for `poll()` on a file.
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
    /// Data can be read: `EPOLLIN | EPOLLRDNORM`.
    pub(crate) const IN: u32 = 0x41;
    /// A change happened: `EPOLLPRI`.
    pub(crate) const PRI: u32 = 0x2;
    /// Data can be written: `EPOLLOUT | EPOLLWRNORM`.
    pub(crate) const OUT: u32 = 0x104;
}

/// A caller of `poll()`.
pub(crate) struct Poller<'a> {
    file: &'a File,
    table: PollTable<'a>,
}

impl<'a> Poller<'a> {
    /// # Safety
    ///
    /// Both are the arguments of a call of `poll` by the VFS, and `'a` does not outlive that call.
    pub(super) unsafe fn new(
        file: *mut bindings::file,
        table: *mut bindings::poll_table_struct,
    ) -> Self {
        Poller {
            // SAFETY: The file is open during the call, and its position is not locked: the VFS locks it only
            // for reads and writes.
            file: unsafe { File::from_raw_file(file) },
            // SAFETY: By the requirement of this function it is valid during the call.
            table: unsafe { PollTable::from_raw(table) },
        }
    }

    /// Wakes the caller when `changed` is notified. Must be called before checking for changes.
    pub(crate) fn wait(&self, changed: &PollCondVar) {
        self.table.register_wait(self.file, changed);
    }
}
