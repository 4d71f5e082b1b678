// SPDX-License-Identifier: GPL-2.0

//! The areas of a region.

use crate::{
    acct::region::{
        area::Area,
        flight::InFlight,
        geometry::Geometry,
        list::Last,
        only::OnlyRegion, //
    },
    kernel_ext::percpu::{
        PerCpu,
        SplitArray, //
    },
};
use core::{
    mem::size_of,
    ops::Deref,
    ptr::from_ref, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The areas of a region. On each CPU they are behind its [`OnlyRegion`], by which the fast path
/// finds them.
///
/// # Invariants
///
/// The numbers of each [`OnlyRegion`] are the addresses of the first [`InFlight`] of this array, which has as many as the
/// geometry has areas, and of the CPU's value in `_last`.
pub(crate) struct RegionAreas {
    areas: SplitArray<InFlight, Area, OnlyRegion>,
    _last: Arc<PerCpu<Last>>,
}

impl RegionAreas {
    /// The size of the memory of each CPU besides its areas, bytes.
    pub(crate) const HEAD_BYTES: usize = size_of::<Area>();

    /// Creates the areas of a region that counts I/Os from the list with this number on. `last` is where the latest I/O
    /// of each CPU ended. May sleep; `ENOMEM`.
    pub(crate) fn new(
        geometry: &Geometry,
        since: u32,
        last: Arc<PerCpu<Last>>,
    ) -> Result<Arc<Self>> {
        let areas = SplitArray::with_heads(geometry.areas(), |cpu, in_flight: &[InFlight]| {
            // CAST: Addresses.
            let last = last.of(cpu).map_or(0, |last| from_ref(last) as u64);
            OnlyRegion::new(geometry, since, in_flight.as_ptr() as u64, last)
        })?;
        // INVARIANT: Just done, as CPUs of which there are heads are possible. The arrays stay where they are.
        let areas = RegionAreas { areas, _last: last };
        Ok(Arc::new(areas, GFP_KERNEL)?)
    }
}

impl Deref for RegionAreas {
    type Target = SplitArray<InFlight, Area, OnlyRegion>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.areas
    }
}
