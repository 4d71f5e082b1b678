// SPDX-License-Identifier: GPL-2.0

//! Tables of values that probes find by an address or by a number without a lock, while other threads insert
//! and remove values.
//!
//! The tables that probes read are changed in place. They are replaced only when a value is inserted for which
//! they have no room, so that inserting takes constant time on average. All memory that removing a value needs
//! is allocated before the value is inserted: removing cannot fail.

use crate::acct::lookup::{
    AddressTable, //
    Cell,
};
use crate::kernel_ext::{
    index_pool::IndexPool,
    published::{
        InProbe,
        Node,
        ProbeReaders,
        Reserved, //
    }, //
};
use core::{
    ops::Deref,
    ptr::NonNull,
    sync::atomic::{
        AtomicPtr,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
};
use kernel::{
    alloc::KVVec,
    new_mutex,
    prelude::*,
    sync::Mutex, //
};

/// The tables that probes read.
///
/// # Invariants
///
/// Each pointer is null, or points to the target of a value in [`Contents`] of the same [`Lookup`], or to the
/// target of a removed value, which stays valid until all probes that can have found it are done.
struct Tables<T> {
    by_address: KVVec<Cell<T>>,
    by_place: KVVec<AtomicPtr<T>>,
}

// SAFETY: Only `&T` is given out, to any thread.
unsafe impl<T: Sync> Send for Tables<T> {}
// SAFETY: Only `&T` is given out, to any thread.
unsafe impl<T: Sync> Sync for Tables<T> {}

impl<T> Tables<T> {
    /// Allocates tables for this number of places, and as many addresses. May sleep; `ENOMEM`.
    fn new(room: usize) -> Result<Self> {
        // At most a quarter full, so that most values are in their first cell.
        let cells = room.saturating_mul(4);
        let mut tables = Tables {
            by_address: KVVec::with_capacity(cells, GFP_KERNEL)?,
            by_place: KVVec::with_capacity(room, GFP_KERNEL)?,
        };
        for _ in 0..cells {
            tables.by_address.push(Cell::default(), GFP_KERNEL)?;
        }
        for _ in 0..room {
            let null = AtomicPtr::new(core::ptr::null_mut());
            tables.by_place.push(null, GFP_KERNEL)?;
        }
        Ok(tables)
    }

    #[inline(always)]
    fn by_address(&self) -> AddressTable<'_, T> {
        AddressTable::new(&self.by_address)
    }

    fn set_place(&self, place: usize, value: *mut T) {
        if let Some(pointer) = self.by_place.get(place) {
            pointer.store(value, Release);
        }
    }
}

struct StoredValue<V> {
    address: u64,
    node: KBox<Node<V>>,
}

impl<V: Deref<Target: Sized>> StoredValue<V> {
    fn target(&self) -> NonNull<V::Target> {
        NonNull::from(&**self.node.value())
    }

    fn put_in(&self, tables: &Tables<V::Target>, place: usize) {
        let target = self.target();
        tables.by_address().insert(self.address, target);
        tables.set_place(place, target.as_ptr());
    }
}

struct Contents<V: Deref<Target: Sized>> {
    tables: KBox<Node<Tables<V::Target>>>,
    /// By place.
    values: KVVec<Option<StoredValue<V>>>,
    places: IndexPool,
    /// The number of places that are in use or reserved.
    taken: usize,
    /// The number of cells of the table by address that are in use, reserved, or contain a removed address.
    used: usize,
}

/// A table of values of type `V`, each of which refers to a `V::Target`. The values are dropped with softirqs
/// disabled: their drop must not sleep.
///
/// # Invariants
///
/// `found` is null or points to the tables in `contents`.
#[pin_data]
pub(crate) struct Lookup<V: Deref<Target: Sized + Sync> + Send + 'static> {
    found: AtomicPtr<Node<Tables<V::Target>>>,
    #[pin]
    contents: Mutex<Contents<V>>,
}

/// The room of the smallest tables.
const LEAST_ROOM: usize = 16;

impl<V: Deref<Target: Sized + Sync> + Send + 'static> Lookup<V> {
    /// Creates an empty, closed table: probes find nothing. May sleep; `ENOMEM`.
    pub(crate) fn new() -> impl PinInit<Self, Error> {
        // INVARIANT: Null.
        try_pin_init!(Lookup {
            found: AtomicPtr::new(core::ptr::null_mut()),
            contents <- {
                let contents = Contents {
                    tables: Node::new(Tables::new(LEAST_ROOM)?)?,
                    values: KVVec::new(),
                    places: IndexPool::new(),
                    taken: 0,
                    used: 0,
                };
                new_mutex!(contents)
            },
        })
    }

    /// Opens the table: probes find the present values and those that are inserted later. Does not allocate.
    /// May sleep.
    pub(crate) fn open(&self) {
        let contents = self.contents.lock();
        // INVARIANT: The tables of `contents`.
        self.found
            .store(core::ptr::from_ref(&*contents.tables).cast_mut(), Release);
    }

    /// Closes the table: probes find nothing any more. Does not allocate. May sleep.
    pub(crate) fn close(&self) {
        let _contents = self.contents.lock();
        // INVARIANT: Null.
        self.found.store(core::ptr::null_mut(), Relaxed);
    }

    /// Reserves a place for a value, and the memory to insert and remove it. May sleep; `ENOMEM`.
    pub(crate) fn reserve(&self) -> Result<Reservation<'_, V>> {
        let node = Node::reserve()?;
        let mut guard = self.contents.lock();
        let contents = &mut *guard;
        let place = contents.places.find()?;
        // CAST: 32 bits.
        let index = place as usize;
        if index >= contents.values.len() {
            contents.values.push(None, GFP_KERNEL)?;
        }
        let room = contents.tables.value().by_place.len();
        if index >= room || contents.used >= room {
            self.replace_tables(contents)?;
        }
        contents.places.take();
        contents.taken = contents.taken.saturating_add(1);
        contents.used = contents.used.saturating_add(1);
        drop(guard);
        Ok(Reservation {
            lookup: self,
            place,
            node: Some(node),
        })
    }

    /// Replaces the tables by larger ones, or by ones of the same size without the removed addresses.
    fn replace_tables(&self, contents: &mut Contents<V>) -> Result {
        let room = contents.taken.saturating_add(contents.taken / 2);
        let room = room.max(contents.places.len()).max(LEAST_ROOM - 1);
        let room = room.saturating_add(1).next_power_of_two();
        let tables = Node::new(Tables::new(room)?)?;
        let stored = contents.values.iter().enumerate();
        for (place, stored) in stored.filter_map(|(place, stored)| Some((place, stored.as_ref()?)))
        {
            stored.put_in(tables.value(), place);
        }
        contents.used = contents.taken;
        let old = core::mem::replace(&mut contents.tables, tables);
        if !self.found.load(Relaxed).is_null() {
            // INVARIANT: The tables of `contents`. Release: pairs with the acquire of `tables`.
            self.found
                .store(core::ptr::from_ref(&*contents.tables).cast_mut(), Release);
        }
        // Probes may still read the old tables. All values in them stay valid for these probes: a value that is
        // removed from now on is dropped after the old tables.
        Node::retire::<ProbeReaders>(old);
        Ok(())
    }

    /// Removes the value at a place. It is dropped when no probe can access it any more. Does not allocate, and
    /// cannot fail. May sleep.
    pub(crate) fn remove(&self, place: usize) {
        let mut guard = self.contents.lock();
        let contents = &mut *guard;
        let Some(stored) = contents.values.get_mut(place).and_then(Option::take) else {
            return;
        };
        let tables = contents.tables.value();
        tables.by_address().remove(stored.address);
        tables.set_place(place, core::ptr::null_mut());
        // CAST: It was converted from `u32` when it was reserved.
        contents.release(place as u32);
        drop(guard);
        Node::retire::<ProbeReaders>(stored.node);
    }

    /// Calls `look` with the target of the value at an address, if there is one. May sleep.
    pub(crate) fn peek<R>(&self, address: u64, look: impl FnOnce(&V::Target) -> R) -> Option<R> {
        let contents = self.contents.lock();
        let target = contents.tables.value().by_address().find(address)?;
        // SAFETY: By the type invariant of `Tables` it points to the target of a value that has not been
        // removed, and no value is removed while the contents are locked.
        Some(look(unsafe { target.as_ref() }))
    }

    /// Calls `look` with the target of the value at a place, if there is one. May sleep.
    pub(crate) fn peek_at<R>(&self, place: usize, look: impl FnOnce(&V::Target) -> R) -> Option<R> {
        let contents = self.contents.lock();
        let stored = contents.values.get(place)?.as_ref()?;
        Some(look(stored.node.value()))
    }

    #[inline(always)]
    fn tables<'a>(&'a self, _probe: InProbe<'a>) -> Option<&'a Tables<V::Target>> {
        // SAFETY: By the type invariant the pointer is null or points to the tables of `contents`, which live
        // as long as `self` or, once they are replaced, until all probes that were running then have returned,
        // including the caller.
        unsafe { self.found.load(Acquire).as_ref() }.map(Node::value)
    }

    /// Returns the target of the value at an address, if it is in its first cell.
    #[inline(always)]
    pub(crate) fn find_home<'a>(
        &'a self,
        probe: InProbe<'a>,
        address: u64,
    ) -> Option<&'a V::Target> {
        let target = self.tables(probe)?.by_address().find_home(address)?;
        // SAFETY: By the type invariant of `Tables` it is valid as long as the probe that called this function
        // runs.
        Some(unsafe { target.as_ref() })
    }

    /// Returns the target of the value at an address.
    pub(crate) fn find<'a>(&'a self, probe: InProbe<'a>, address: u64) -> Option<&'a V::Target> {
        let target = self.tables(probe)?.by_address().find(address)?;
        // SAFETY: As in `find_home`.
        Some(unsafe { target.as_ref() })
    }

    /// Returns the target of the value at a place.
    #[inline(always)]
    pub(crate) fn at<'a>(&'a self, probe: InProbe<'a>, place: usize) -> Option<&'a V::Target> {
        let target = self.tables(probe)?.by_place.get(place)?.load(Acquire);
        // SAFETY: It is null, or valid as in `find_home`.
        unsafe { target.as_ref() }
    }
}

impl<V: Deref<Target: Sized>> Contents<V> {
    fn release(&mut self, place: u32) {
        self.places.release(place);
        self.taken = self.taken.saturating_sub(1);
    }
}

/// A reserved place, and the memory for a value. Dropping it releases both.
pub(crate) struct Reservation<'a, V: Deref<Target: Sized + Sync> + Send + 'static> {
    lookup: &'a Lookup<V>,
    place: u32,
    node: Option<Reserved<V>>,
}

impl<V: Deref<Target: Sized + Sync> + Send + 'static> Reservation<'_, V> {
    /// Returns the number of the place. No other value has it as long as this value exists.
    pub(crate) fn place(&self) -> u32 {
        self.place
    }

    /// Inserts a value at an address, which must be a multiple of 8 and not in use. Does not allocate, and
    /// cannot fail. May sleep.
    pub(crate) fn insert(mut self, address: u64, value: V) {
        let Some(node) = self.node.take() else {
            return;
        };
        let node = Node::fill(node, value);
        let mut guard = self.lookup.contents.lock();
        let contents = &mut *guard;
        // CAST: 32 bits.
        let place = self.place as usize;
        if let Some(stored) = contents.values.get_mut(place) {
            let stored = stored.insert(StoredValue { address, node });
            stored.put_in(contents.tables.value(), place);
        }
    }
}

impl<V: Deref<Target: Sized + Sync> + Send + 'static> Drop for Reservation<'_, V> {
    fn drop(&mut self) {
        if self.node.is_some() {
            let mut contents = self.lookup.contents.lock();
            contents.used = contents.used.saturating_sub(1);
            contents.release(self.place);
        }
    }
}
