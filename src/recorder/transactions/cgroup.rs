// SPDX-License-Identifier: GPL-2.0

//! Counts I/Os by cgroup: see `src/acct/cgroup.rs` and `Documentation/cgroups.rst`.

use super::super::{
    cgroups::Cgroups,
    context::ProbeContext,
    tracker::Tracker, //
};
#[cfg(target_arch = "x86_64")]
use crate::{
    acct::entry::{
        Entry,
        Times, //
    },
    below::Bit,
    kernel_ext::block::{
        bio::RequestBio,
        request::Request, //
    },
};
use crate::{
    acct::{
        cgroup::{
            CgroupKey,
            CgroupSums, //
        },
        class::{
            op,
            Class, //
        },
        transition::End, //
    },
    glue::{
        cgroups::owner_of,
        submitter::cgroup_of, //
    },
    kernel_ext::{
        block::bio::{
            Bio,
            SharedBio, //
        },
        percpu::ThisCpu,
        published::InProbe, //
    },
};

impl Tracker {
    /// Calls `change` with the sums for a bio of this key.
    fn change_cgroup(
        &self,
        probe: InProbe<'_>,
        cgroups: &Cgroups,
        (bio, key): (SharedBio<'_>, &CgroupKey),
        change: impl FnOnce(&CgroupSums),
    ) {
        let about = || {
            let account = self.account_of(probe, key.disk, 0)?;
            Some((owner_of(&bio), account.handle().number()))
        };
        let found = cgroups.table().find(key);
        match found.or_else(|| cgroups.table().find_or_add(key, about)) {
            Some((_, sums)) => change(sums),
            None => cgroups.other.change(key.class(), change),
        }
    }

    /// Counts a bio that was submitted, or ends: as `ios` I/Os, as `io.stat` does.
    pub(in crate::recorder) fn count_bio_of_cgroup(
        &self,
        probe: InProbe<'_>,
        cpu: ThisCpu<'_>,
        bio: Bio<'_>,
        ios: u64,
        bytes: u64,
    ) {
        if let Some(cgroups) = self.cgroups().get(probe) {
            let key = CgroupKey::new(cgroup_of(&bio), bio.disk(), cpu.number(), class_of(bio));
            self.change_cgroup(probe, cgroups, (*bio, &key), |sums| sums.count(ios, bytes));
        }
    }

    /// A request has ended whose entry is still on the fast path: counts its bios, and records its times. Does nothing and
    /// returns false if this CPU does not remember the row: then [`Tracker::end_other_rq_of_cgroup`] has to be called.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(in crate::recorder) fn end_rq_of_cgroup(
        &self,
        here: ProbeContext<'_>,
        entry: &Entry,
        (first, is_write): (Option<RequestBio<'_>>, bool),
    ) -> bool {
        let (Some(cgroups), Some(bio)) = (self.cgroups().get(here.probe), first) else {
            return false;
        };
        let memo = Bit::of(is_write).half(cgroups.memos.this_cpu(here.cpu));
        let Some(sums) = cgroups.table().recall(memo, bio.blkg()) else {
            return false;
        };
        end_rq(sums, bio, entry.fast_times(here.now));
        true
    }

    /// Does what [`Tracker::end_rq_of_cgroup`] does, also if this CPU does not remember the row, and remembers it.
    #[cfg(target_arch = "x86_64")]
    #[cold]
    pub(in crate::recorder) fn end_other_rq_of_cgroup(
        &self,
        here: ProbeContext<'_>,
        entry: &Entry,
        rq: Request<'_>,
    ) {
        let (Some(cgroups), Some(bio)) = (self.cgroups().get(here.probe), rq.bio()) else {
            return;
        };
        let (class, memo) = match (rq.is_write(), cgroups.memos.this_cpu(here.cpu)) {
            (true, [_, memo]) => (Class::Write, memo),
            (false, [memo, _]) => (Class::Read, memo),
        };
        let key = CgroupKey::new(cgroup_of(&bio), rq.disk(), here.cpu.number(), class);
        if let Some((index, _)) = cgroups.table().find(&key) {
            if cgroups.may_remember() {
                memo.set(bio.blkg(), index);
            }
        }
        let times = entry.fast_times(here.now);
        self.change_cgroup(here.probe, cgroups, (**bio, &key), |sums| {
            end_rq(sums, bio, times)
        });
    }

    /// Records the times of a transaction that has ended.
    pub(in crate::recorder) fn end_of_cgroup(
        &self,
        here: ProbeContext<'_>,
        bio: Option<SharedBio<'_>>,
        disk: u64,
        end: &End,
    ) {
        if let (Some(cgroups), Some(bio)) = (self.cgroups().get(here.probe), bio) {
            // CAST: Below 4.
            let class = Class::from_number(end.kind.class() as u32).unwrap_or(Class::NoData);
            let key = CgroupKey::new(cgroup_of(&bio), disk, here.cpu.number(), class);
            self.change_cgroup(here.probe, cgroups, (bio, &key), |sums| {
                sums.end(end.duration_ns, end.service_ns)
            });
        }
    }

    /// A cgroup was removed.
    pub(in crate::recorder) fn cgroup_removed(&self, probe: InProbe<'_>, id: u64, parent: u64) {
        if let Some(cgroups) = self.cgroups().get(probe) {
            cgroups.table().inherit(id, parent);
        }
    }

    /// A cgroup was released: it has no more I/O.
    pub(in crate::recorder) fn cgroup_released(&self, probe: InProbe<'_>, id: u64) {
        if let Some(cgroups) = self.cgroups().get(probe) {
            cgroups.release(id);
        }
    }
}

/// Counts the bios of a request, and records its times.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn end_rq(sums: &CgroupSums, first: RequestBio<'_>, times: Times) {
    let (ios, bytes) = bios_of(first);
    let total_ns = times.wait_ns.wrapping_add(times.service_ns);
    sums.count_and_end(ios, bytes, total_ns, times.service_ns);
}

/// The number of bios of a request that `io.stat` counts, and their bytes: see
/// `src/hooks/cgroups.c`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bios_of(first: RequestBio<'_>) -> (u64, u64) {
    let (mut ios, mut bytes) = (0u64, 0u64);
    let mut next = Some(first);
    while let Some(bio) = next {
        if bio.is_traced() {
            ios = ios.wrapping_add(1);
            bytes = bytes.wrapping_add(bio.bytes().into());
        }
        next = bio.next();
    }
    (ios, bytes)
}

/// The class as which `io.stat` counts a bio: it has only reads, writes and discards.
#[inline(always)]
fn class_of(bio: Bio<'_>) -> Class {
    if bio.op() == op::DISCARD {
        Class::Free
    } else if bio.is_write() {
        Class::Write
    } else {
        Class::Read
    }
}
