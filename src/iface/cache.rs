// SPDX-License-Identifier: GPL-2.0

//! Data from which one read call makes several pieces of text.

use crate::{
    evcnt::ListedCounter,
    kapi::kstat::NamedStatistic, //
};
use kernel::alloc::KVVec;

/// The statistics of the text that a call reads.
#[derive(Default)]
pub(super) struct Cache {
    /// All event counters, with what their children have counted.
    pub(super) counters: Option<KVVec<ListedCounter>>,
    /// The number of a kstat, and its statistics.
    pub(super) statistics: Option<(u32, KVVec<NamedStatistic>)>,
}
