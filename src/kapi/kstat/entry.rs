// SPDX-License-Identifier: GPL-2.0

//! A kstat: its constant properties, and a body with the data.

use super::KstatKey;
use crate::{
    abi::{
        binary::kstat::KstatHeader,
        name::Name, //
    },
    acct::kstat::{
        flags,
        KstatType, //
    },
    glue::kstat::{
        Change,
        ClientKstat,
        KstatDescription, //
    },
    kernel_ext::{
        error::would_deadlock,
        task, //
    },
    recorder::account::Account, //
};
use core::sync::atomic::{
    AtomicU8,
    AtomicUsize,
    Ordering::Relaxed, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex,
        MutexGuard,
        UniqueArc, //
    }, //
};

/// The source of the data.
pub(super) enum Body {
    /// A kstat of another module.
    Client(KBox<ClientKstat>),
    /// A disk, a partition, or an entry of devstat(9).
    Disk(Arc<Account>),
    /// The list of all types.
    Types,
    /// The list of all kstats.
    Headers,
    /// The kstat was deleted.
    Deleted,
}

impl Body {
    /// Returns the address of the `kstat_t` of the client; 0 if there is no client.
    pub(super) fn address(&self) -> usize {
        match self {
            Body::Client(client) => client.address(),
            _ => 0,
        }
    }
}

/// The class of a kstat. Most kstats are those of disks, which need no memory for it.
pub(crate) enum KstatClass {
    /// The class of a kstat of iostat.
    Own(&'static str),
    /// The class of a kstat of another module.
    Client(KBox<Name>),
}

impl KstatClass {
    /// Copies a name. May sleep; `ENOMEM`.
    pub(crate) fn new(name: Name) -> Result<Self> {
        Ok(KstatClass::Client(KBox::new(name, GFP_KERNEL)?))
    }

    fn copy(&self) -> Result<Self> {
        match self {
            KstatClass::Own(name) => Ok(KstatClass::Own(name)),
            KstatClass::Client(name) => Self::new(**name),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            KstatClass::Own(name) => name.as_bytes(),
            KstatClass::Client(name) => name.bytes(),
        }
    }

    fn name(&self) -> Name {
        Name::new(self.bytes())
    }
}

/// The description of a kstat to create.
pub(crate) struct New {
    pub(crate) key: KstatKey,
    pub(crate) class: KstatClass,
    pub(crate) kind: KstatType,
    pub(crate) ndata: u32,
    pub(crate) flags: u8,
    pub(crate) crtime_ns: u64,
}

impl New {
    /// Returns what the client sees in its `kstat_t`.
    pub(crate) fn header(&self) -> KstatDescription<'_> {
        let (module, instance, name) = self.key.parts();
        KstatDescription {
            module,
            instance,
            name,
            class: self.class.bytes(),
            kind: self.kind,
            ndata: self.ndata,
            flags: self.flags | flags::INVALID,
            crtime_ns: self.crtime_ns,
        }
    }
}

/// One kstat.
#[pin_data]
pub(crate) struct KstatEntry {
    key: KstatKey,
    class: KstatClass,
    kind: KstatType,
    ndata: u32,
    crtime_ns: u64,
    kid: u32,
    flags: AtomicU8,
    /// The id of the task that holds the body; 0 while no task holds it.
    holder: AtomicUsize,
    #[pin]
    body: Mutex<Body>,
}

/// The body of a kstat, with its mutex held.
pub(super) struct LockedBody<'a> {
    entry: &'a KstatEntry,
    pub(super) body: MutexGuard<'a, Body>,
}

impl Drop for LockedBody<'_> {
    fn drop(&mut self) {
        self.entry.holder.store(0, Relaxed);
    }
}

impl KstatEntry {
    /// Creates a kstat without a number. May sleep; `ENOMEM`.
    pub(super) fn new(new: &New, body: Body) -> Result<Pin<UniqueArc<Self>>> {
        let class = new.class.copy()?;
        UniqueArc::pin_init(
            pin_init!(KstatEntry {
                key: new.key,
                class,
                kind: new.kind,
                ndata: new.ndata,
                crtime_ns: new.crtime_ns,
                kid: 0,
                flags: AtomicU8::new(new.flags),
                holder: AtomicUsize::new(0),
                body <- new_mutex!(body),
            }),
            GFP_KERNEL,
        )
    }

    /// Sets the number, before any other thread has a reference.
    pub(super) fn set_kid(self: Pin<&mut Self>, kid: u32) {
        *self.project().kid = kid;
    }

    pub(crate) fn key(&self) -> &KstatKey {
        &self.key
    }

    pub(crate) fn class(&self) -> Name {
        self.class.name()
    }

    pub(crate) fn kind(&self) -> KstatType {
        self.kind
    }

    pub(crate) fn ndata(&self) -> u32 {
        self.ndata
    }

    /// Returns the time of its creation, ns.
    pub(crate) fn crtime_ns(&self) -> u64 {
        self.crtime_ns
    }

    pub(crate) fn kid(&self) -> u32 {
        self.kid
    }

    pub(crate) fn flags(&self) -> u8 {
        self.flags.load(Relaxed)
    }

    pub(super) fn set_flags(&self, flags: u8) {
        self.flags.store(flags, Relaxed);
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags() & flag != 0
    }

    /// Returns whether users see it.
    pub(crate) fn is_visible(&self) -> bool {
        !self.has(flags::INVALID)
    }

    /// Returns whether the current task holds the body: it is then in a callback of this kstat. Process context.
    pub(super) fn is_held_here(&self) -> bool {
        self.holder.load(Relaxed) == task::current_id()
    }

    /// Locks the body; waits for readers. Must not be called if [`KstatEntry::is_held_here`]. May sleep.
    pub(super) fn hold(&self) -> LockedBody<'_> {
        let body = self.body.lock();
        self.holder.store(task::current_id(), Relaxed);
        LockedBody { entry: self, body }
    }

    /// Marks the kstat as deleted, after waiting for readers. May sleep.
    pub(super) fn end(&self) {
        let body = core::mem::replace(&mut *self.hold().body, Body::Deleted);
        drop(body);
    }

    fn is_like(&self, new: &New) -> bool {
        let asked = (new.kind, new.ndata, new.flags & flags::VIRTUAL);
        asked == (self.kind, self.ndata, 0) && new.class.bytes() == self.class.bytes()
    }

    /// Returns whether it is dormant and has the same properties as the kstat to create.
    pub(super) fn can_be_reused_for(&self, new: &New) -> bool {
        self.has(flags::DORMANT) && self.is_like(new)
    }

    /// Returns the header that users see.
    pub(crate) fn header(&self) -> KstatHeader {
        KstatHeader {
            kid: self.kid,
            kind: self.kind as u32,
            flags: self.flags().into(),
            ndata: self.ndata,
            instance: self.key.parts().1,
            reserved: 0,
            crtime: self.crtime_ns,
            module: *self.key.module().as_array(),
            name: *self.key.name().as_array(),
            class: *self.class.name().as_array(),
        }
    }

    /// Writes to the kstat. May sleep. Errors as [`ClientKstat::write`]; `EACCES` if it belongs to iostat, `ENXIO`
    /// if it was deleted, `EDEADLK` if it is called by a callback of this kstat.
    pub(crate) fn write(&self, change: &Change<'_>) -> Result {
        if self.is_held_here() {
            return Err(would_deadlock());
        }
        match &*self.hold().body {
            Body::Deleted => Err(ENXIO),
            Body::Client(client) => client.write(change),
            Body::Disk(_) | Body::Types | Body::Headers => Err(EACCES),
        }
    }
}
