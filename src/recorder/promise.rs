// SPDX-License-Identifier: GPL-2.0

//! Room in the reserve that is promised to disks.

use super::tracker::Tracker;
use crate::acct::inflight::Share;
use kernel::sync::Arc;

/// Room in the reserve for I/Os of one disk, until dropped.
pub(super) struct Promise {
    tracker: Arc<Tracker>,
    ios: usize,
}

impl Promise {
    /// Promises room for up to `ios` I/Os; [`None`] if there is no room or memory. May sleep.
    pub(super) fn new(tracker: &Arc<Tracker>, ios: usize) -> Option<Self> {
        let ios = tracker.entries().promise(ios);
        (ios != 0).then(|| Promise {
            ios,
            tracker: tracker.clone(),
        })
    }

    /// Sets the limit of `share`, the share of the disk, to the promised number.
    pub(super) fn give_to(&self, share: &Share) {
        share.set_most(self.ios as u64);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.tracker.entries().withdraw(self.ios);
    }
}
