// SPDX-License-Identifier: GPL-2.0

//! Room in the reserve that disks are promised.

use super::tracker::Tracker;
use crate::acct::inflight::Share;
use kernel::sync::Arc;

/// Room in the reserve for I/Os of one disk, until dropped.
pub(super) struct Promise {
    tracker: Arc<Tracker>,
    ios: usize,
}

impl Promise {
    /// For so many I/Os; [`None`] if there is no room or memory for them. May sleep.
    pub(super) fn new(tracker: &Arc<Tracker>, ios: usize) -> Option<Self> {
        let ios = tracker.entries().promise(ios);
        (ios != 0).then(|| Promise {
            ios,
            tracker: tracker.clone(),
        })
    }

    /// How many of them `share`, that of the disk, may be from here on.
    pub(super) fn give_to(&self, share: &Share) {
        share.set_most(self.ios as u64);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.tracker.entries().withdraw(self.ios);
    }
}
