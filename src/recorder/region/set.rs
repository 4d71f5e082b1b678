// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition, which messages create, change and delete.

use super::{
    baseline::{
        Applied,
        Baseline, //
    },
    list::{
        ListMember, //
        RegionList,
    },
    Joins,
    Plan,
    Region, //
};
use crate::{
    abi::message::{
        create::Create,
        word::Word, //
    },
    acct::{
        busy::{
            Extra,
            Gauge, //
        },
        region::{
            columns::Unit,
            geometry::Geometry,
            list::{
                smallest_free_id,
                Last,
                Lifetime, //
            },
        },
    },
    glue::records::Records,
    kernel_ext::{
        percpu::PerCpu,
        published::{
            InProbe,
            Node,
            Published, //
        },
    },
};
use core::sync::atomic::{
    AtomicBool,
    AtomicUsize,
    Ordering::Relaxed, //
};
use kernel::{
    alloc::KVVec,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

#[pin_data]
pub(in crate::recorder) struct RegionSet {
    list: Published<RegionList>,
    /// The records of the account.
    records: Arc<Records>,
    /// The number of regions.
    count: AtomicUsize,
    /// Whether the account has regions, or needs the general path for another reason.
    needs_slow_record: AtomicBool,
    always_needs_slow_record: bool,
    #[pin]
    members: Mutex<SetMembers>,
}

struct SetMembers {
    /// The number of the list that probes find.
    number: u32,
    /// Sorted by id. A region that was resized, which still counts I/Os that started before, precedes its replacement.
    regions: KVec<ListMember>,
    /// Where the latest I/O of each CPU ended, while there are regions: most accounts never have one.
    last: Option<Arc<PerCpu<Last>>>,
}

impl SetMembers {
    /// The regions that users see.
    fn current(&self) -> impl Iterator<Item = &Arc<Region>> {
        let current = self
            .regions
            .iter()
            .filter(|listed| listed.lifetime.until.is_none());
        current.map(|listed| &listed.region)
    }

    fn find(&self, id: u32) -> Result<&Arc<Region>> {
        self.current()
            .find(|region| region.plan.id == id)
            .ok_or(ENOENT)
    }

    /// The number of the next list, which is not 0.
    fn next(&self) -> u32 {
        self.number.wrapping_add(1).max(1)
    }

    /// The values for a region whose first list has this number. May sleep; `ENOMEM`.
    fn joins(&mut self, since: u32) -> Result<Joins> {
        let last = match &self.last {
            Some(last) => last.clone(),
            None => self.last.insert(nowhere()?).clone(),
        };
        Ok(Joins { since, last })
    }
}

/// Copies the bytes of a word. May sleep; `ENOMEM`.
fn bytes_of(word: Word<'_>) -> Result<KVVec<u8>> {
    let mut bytes = KVVec::new();
    for byte in word.bytes() {
        bytes.push(byte, GFP_KERNEL)?;
    }
    Ok(bytes)
}

/// Allocates the ends of the latest I/Os: no I/O has ended on any CPU. May sleep; `ENOMEM`.
fn nowhere() -> Result<Arc<PerCpu<Last>>> {
    let last = PerCpu::<Last>::new()?;
    last.iter().for_each(Last::forget);
    Ok(Arc::new(last, GFP_KERNEL)?)
}

impl RegionSet {
    /// Creates an empty set for the account with these records. The account may need the general path for another reason. May
    /// sleep; `ENOMEM`.
    pub(in crate::recorder) fn new(
        records: Arc<Records>,
        always_needs_slow_record: bool,
    ) -> impl PinInit<Self, Error> {
        try_pin_init!(RegionSet {
            list: Published::new(),
            records,
            count: AtomicUsize::new(0),
            needs_slow_record: AtomicBool::new(always_needs_slow_record),
            always_needs_slow_record,
            members <- new_mutex!(SetMembers {
                number: 0,
                regions: KVec::new(),
                last: None,
            }),
        })
    }

    /// Returns the list that probes record in, if there is a region.
    #[inline(always)]
    pub(in crate::recorder) fn list<'a>(&'a self, probe: InProbe<'a>) -> Option<&'a RegionList> {
        self.list.get(probe)
    }

    /// Whether an I/O must be recorded in regions or in a disk, besides in the account.
    #[inline(always)]
    pub(in crate::recorder) fn needs_slow_record(&self) -> bool {
        self.needs_slow_record.load(Relaxed)
    }

    /// The number of regions. Never sleeps: the removal of a disk must not wait for memory.
    pub(in crate::recorder) fn len(&self) -> usize {
        self.count.load(Relaxed)
    }

    /// `@stats_create`. Returns the id. May sleep. `ENOMEM`, `ENFILE`.
    pub(in crate::recorder) fn create(
        &self,
        message: &Create<'_>,
        geometry: Geometry,
        gauge: &Gauge,
    ) -> Result<u32> {
        let options = &message.options;
        let mut bounds = KVVec::new();
        for bound in options.histogram.iter().flat_map(|bounds| bounds.iter()) {
            bounds.push(bound, GFP_KERNEL)?;
        }
        let plan = Plan {
            id: 0,
            born: 0,
            geometry,
            unit: if options.precise_timestamps {
                Unit::Ns
            } else {
                Unit::Ms
            },
            classes: options.classes,
            bounds,
            program: bytes_of(message.program)?,
        };
        let aux = bytes_of(message.aux)?;
        let mut members = self.members.lock();
        let ids = members.current().map(|region| region.plan.id);
        let id = smallest_free_id(ids).ok_or(ENFILE)?;
        let born = members.next();
        let plan = Plan { id, born, ..plan };
        let region = Region::new(plan, Baseline::new(aux), members.joins(born)?)?;
        let lifetime = Lifetime {
            since: born,
            until: None,
        };
        let position = members
            .regions
            .iter()
            .position(|other| other.region.plan.id > id);
        let position = position.unwrap_or(members.regions.len());
        let mut regions = KVec::with_capacity(members.regions.len().saturating_add(1), GFP_KERNEL)?;
        let (before, after) = members.regions.split_at(position);
        regions.extend_from_slice(before, GFP_KERNEL)?;
        regions.push(ListMember { lifetime, region }, GFP_KERNEL)?;
        regions.extend_from_slice(after, GFP_KERNEL)?;
        self.replace(&mut members, regions, gauge)?;
        Ok(id)
    }

    /// `@stats_delete`. May sleep. `ENOENT`, `ENOMEM`.
    pub(in crate::recorder) fn delete(&self, id: u32, gauge: &Gauge) -> Result {
        let mut members = self.members.lock();
        members.find(id)?;
        let mut regions = KVec::with_capacity(members.regions.len(), GFP_KERNEL)?;
        for listed in members
            .regions
            .iter()
            .filter(|listed| listed.region.plan.id != id)
        {
            regions.push(listed.clone(), GFP_KERNEL)?;
        }
        self.replace(&mut members, regions, gauge)
    }

    /// `@stats_resize`. An error of `geometry` is an error of the message. May sleep.
    pub(in crate::recorder) fn resize<E: From<Error>>(
        &self,
        id: u32,
        gauge: &Gauge,
        geometry: impl FnOnce(&Geometry, usize) -> Result<Geometry, E>,
    ) -> Result<(), E> {
        let mut members = self.members.lock();
        let old = members.find(id)?.clone();
        let geometry = geometry(&old.plan.geometry, old.plan.buckets().max(1))?;
        // While the guard is held, no reader prints or clears the counts that the new region begins with.
        let mut baseline = old.lock();
        let since = members.next();
        let region = old.resized(&baseline, geometry, members.joins(since)?)?;
        let room = members.regions.len().saturating_add(1);
        let mut regions = KVec::with_capacity(room, GFP_KERNEL).map_err(Error::from)?;
        for listed in &members.regions {
            let is_old = listed.region.plan.id == id;
            // All I/Os of the region from before an earlier resize have ended.
            if is_old && listed.lifetime.until.is_some() {
                continue;
            }
            let mut listed = listed.clone();
            if is_old {
                listed.lifetime.until = Some(since);
            }
            regions.push(listed, GFP_KERNEL).map_err(Error::from)?;
            if is_old {
                let lifetime = Lifetime { since, until: None };
                let region = region.clone();
                regions
                    .push(ListMember { lifetime, region }, GFP_KERNEL)
                    .map_err(Error::from)?;
            }
        }
        self.replace(&mut members, regions, gauge)?;
        let given_up = baseline.replaced();
        drop(baseline);
        drop(members);
        // Frees the memory of that region, if no probe uses it.
        drop(given_up);
        Ok(())
    }

    /// Lets probes find these regions, and sets in the account's gauge whether there are any.
    fn replace(
        &self,
        members: &mut SetMembers,
        regions: KVec<ListMember>,
        gauge: &Gauge,
    ) -> Result {
        let number = members.next();
        let list = match &members.last {
            Some(last) if !regions.is_empty() => {
                Some(Node::new(RegionList::new(number, &regions, last.clone())?)?)
            }
            _ => None,
        };
        let mut current = regions
            .iter()
            .filter(|listed| listed.lifetime.until.is_none());
        let areas = match (current.next(), current.next()) {
            (Some(only), None) => only.region.plain_areas(),
            _ => None,
        };
        let areas = areas.map(|areas| Node::new(areas.clone())).transpose()?;
        members.number = number;
        members.regions = regions;
        if list.is_none() {
            members.last = None;
        }
        let count = members.current().count();
        self.count.store(count, Relaxed);
        self.needs_slow_record
            .store(self.always_needs_slow_record || count != 0, Relaxed);
        if count == 0 {
            gauge.remove(Extra::Regions);
        }
        // Removed before the list is replaced, as a region may not be the only one from then on.
        self.records.set_region(None);
        self.list.replace(list);
        // Set after the list was replaced, as an I/O that starts in the only region may end on a CPU that does not see
        // it as such yet. That CPU then uses the list.
        self.records.set_region(areas);
        if count != 0 {
            gauge.add(Extra::Regions);
        }
        Ok(())
    }

    /// The first region from an id on. May sleep.
    pub(super) fn next_from(&self, id: u32) -> Option<Arc<Region>> {
        let members = self.members.lock();
        let mut regions = members.current();
        regions.find(|region| region.plan.id >= id).cloned()
    }

    /// Returns a region. `ENOENT`. May sleep.
    pub(super) fn get(&self, id: u32) -> Result<Arc<Region>> {
        self.members.lock().find(id).cloned()
    }

    /// The region of an id, if it is the one that was created as number `born`. May sleep; `ENOENT`.
    pub(super) fn born(&self, id: u32, born: u32) -> Result<Arc<Region>> {
        let members = self.members.lock();
        let region = members.find(id)?;
        if region.plan.born != born {
            return Err(ENOENT);
        }
        Ok(region.clone())
    }

    /// Calls `act` with a region; again if the region was resized before `act` was done.
    fn with_region(&self, id: u32, mut act: impl FnMut(&Region) -> Result<Applied>) -> Result {
        loop {
            let region = self.members.lock().find(id)?.clone();
            if let Applied::Yes = act(&region)? {
                return Ok(());
            }
        }
    }

    /// `@stats_clear`. May sleep. `ENOENT`, `ENOMEM`.
    pub(in crate::recorder) fn clear(&self, id: u32) -> Result {
        self.with_region(id, Region::clear)
    }

    /// `@stats_set_aux`. May sleep. `ENOENT`, `ENOMEM`.
    pub(in crate::recorder) fn set_aux(&self, id: u32, aux: Word<'_>) -> Result {
        let mut aux = bytes_of(aux)?;
        self.with_region(id, |region| Ok(region.set_aux(&mut aux)))
    }
}
