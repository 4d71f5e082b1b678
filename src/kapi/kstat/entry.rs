// SPDX-License-Identifier: GPL-2.0

//! A kstat: what never changes of it, and what is counted.

use super::{
    Chain,
    Key,
    New, //
};
use crate::{
    abi::{
        identity::Name,
        sort::sort_by,
        text, //
    },
    acct::kstat::{
        flags,
        Type,
        Value, //
    },
    kernel_ext::{
        clock,
        error::would_deadlock,
        kstat::Client,
        task, //
    },
    recorder::account::Account,
};
use core::{
    cmp::Ordering,
    sync::atomic::{
        AtomicU8,
        AtomicUsize,
        Ordering::Relaxed, //
    }, //
};
use kernel::{
    alloc::KVVec,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex,
        MutexGuard,
        UniqueArc, //
    }, //
};

/// What is counted, and where.
pub(super) enum Body {
    /// Of another module.
    Client(Client),
    /// Of a disk or partition.
    Disk(Arc<Account>),
    /// All types there are.
    Types,
    /// The chain.
    Headers,
    /// It was deleted.
    Gone,
}

impl Body {
    /// Where its client has it; 0 if it has none.
    pub(super) fn address(&self) -> usize {
        match self {
            Body::Client(client) => client.address(),
            _ => 0,
        }
    }
}

/// One kstat.
#[pin_data]
pub(crate) struct Entry {
    key: Key,
    class: Name,
    kind: Type,
    ndata: u32,
    crtime_ns: u64,
    kid: u32,
    flags: AtomicU8,
    /// Which task has the body.
    holder: AtomicUsize,
    #[pin]
    body: Mutex<Body>,
}

/// A kstat's body, held.
pub(super) struct Held<'a> {
    entry: &'a Entry,
    pub(super) body: MutexGuard<'a, Body>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.entry.holder.store(0, Relaxed);
    }
}

/// A name that is made of two parts, and a value.
pub(crate) struct Statistic {
    name: Name31,
    suffix: &'static str,
    value: Stored,
}

/// A name as its client has it: any bytes.
#[derive(Clone, Copy)]
struct Name31([u8; 31], u8);

enum Stored {
    Signed(i64),
    Unsigned(u64),
    Bits(u64),
    Text(KVVec<u8>),
}

impl Statistic {
    fn new(name: &[u8], suffix: &'static str, value: Value<'_>) -> Result<Self> {
        let mut bytes = [0; 31];
        let mut len = 0u8;
        for (into, from) in bytes.iter_mut().zip(name) {
            *into = *from;
            len = len.saturating_add(1);
        }
        let value = match value {
            Value::Signed(number) => Stored::Signed(number),
            Value::Unsigned(number) => Stored::Unsigned(number),
            Value::Bits(bits) => Stored::Bits(bits),
            Value::Text(text) => {
                let mut copy = KVVec::with_capacity(text.len(), GFP_KERNEL)?;
                copy.extend_from_slice(text, GFP_KERNEL)?;
                Stored::Text(copy)
            }
        };
        Ok(Statistic {
            name: Name31(bytes, len),
            suffix,
            value,
        })
    }

    /// Its name.
    pub(crate) fn name(&self) -> impl Iterator<Item = u8> + Clone + '_ {
        let name = self.name.0.iter().take(usize::from(self.name.1));
        Iterator::chain(name.copied(), self.suffix.bytes())
    }

    /// Its value.
    pub(crate) fn value(&self) -> Value<'_> {
        match &self.value {
            Stored::Signed(number) => Value::Signed(*number),
            Stored::Unsigned(number) => Value::Unsigned(*number),
            Stored::Bits(bits) => Value::Bits(*bits),
            Stored::Text(text) => Value::Text(text),
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let fold = |byte: u8| byte.to_ascii_lowercase();
        let folded = self.name().map(fold).cmp(other.name().map(fold));
        folded.then_with(|| self.name().cmp(other.name()))
    }
}

impl Entry {
    /// Without a number yet. May sleep; `ENOMEM`.
    pub(super) fn new(new: &New, body: Body) -> Result<Pin<UniqueArc<Self>>> {
        UniqueArc::pin_init(
            pin_init!(Entry {
                key: new.key,
                class: new.class,
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

    /// Gives it its number, before anybody else has it.
    pub(super) fn set_kid(self: Pin<&mut Self>, kid: u32) {
        *self.project().kid = kid;
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }

    pub(crate) fn class(&self) -> &str {
        self.class.as_str()
    }

    pub(crate) fn kind(&self) -> Type {
        self.kind
    }

    pub(crate) fn ndata(&self) -> u32 {
        self.ndata
    }

    /// When it was made, ns.
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

    /// Whether users see it.
    pub(crate) fn is_visible(&self) -> bool {
        !self.has(flags::INVALID)
    }

    /// Whether this task has it now: whoever calls is called by it.
    pub(super) fn is_held_here(&self) -> bool {
        self.holder.load(Relaxed) == task::current_id()
    }

    /// Waits for all others who look at it. Not by who [`Entry::is_held_here`]. May sleep.
    pub(super) fn hold(&self) -> Held<'_> {
        let body = self.body.lock();
        self.holder.store(task::current_id(), Relaxed);
        Held { entry: self, body }
    }

    /// From here on nobody finds anything in it. May sleep.
    pub(super) fn end(&self) {
        let body = core::mem::replace(&mut *self.hold().body, Body::Gone);
        drop(body);
    }

    fn is_like(&self, new: &New) -> bool {
        let asked = (new.class, new.kind, new.ndata, new.flags & flags::VIRTUAL);
        asked == (self.class, self.kind, self.ndata, 0)
    }

    /// Whether it waits for such a one to be made again.
    pub(super) fn is_dormant_for(&self, new: &New) -> bool {
        self.has(flags::DORMANT) && self.is_like(new)
    }

    /// All statistics by name, those that all kstats have among them. May sleep, for as long as its client
    /// does. `ENXIO` if it is gone; `EDEADLK` if its client asks; what the client says; `ENOMEM`.
    pub(crate) fn statistics(&self, chain: &Chain) -> Result<KVVec<Statistic>> {
        if self.is_held_here() {
            return Err(would_deadlock());
        }
        let mut list = KVVec::new();
        let mut tell = |name: &[u8], suffix, value: Value<'_>| -> Result {
            Ok(list.push(Statistic::new(name, suffix, value)?, GFP_KERNEL)?)
        };
        let mut snaptime_ns = clock::now_ns();
        let held = self.hold();
        match &*held.body {
            Body::Gone => return Err(ENXIO),
            Body::Client(client) => {
                let copy = client.copy()?;
                drop(held);
                snaptime_ns = copy.snaptime_ns;
                copy.each(&mut tell)?;
            }
            Body::Disk(account) => {
                let snapshot = account.snapshot();
                drop(held);
                snaptime_ns = snapshot.now;
                for statistic in &text::KSTAT {
                    let value = Value::Unsigned((statistic.value)(&snapshot));
                    tell(statistic.name.to_bytes(), "", value)?;
                }
            }
            Body::Types => {
                drop(held);
                for kind in Type::ALL {
                    tell(b"", kind.name(), Value::Unsigned(kind as u64))?;
                }
            }
            Body::Headers => {
                drop(held);
                let bytes = chain.len().saturating_mul(Client::HEADER_BYTES);
                tell(b"", "data_size", Value::Unsigned(bytes as u64))?;
            }
        }
        tell(b"", "class", Value::Text(self.class().as_bytes()))?;
        tell(b"", "crtime", Value::Unsigned(self.crtime_ns))?;
        tell(b"", "snaptime", Value::Unsigned(snaptime_ns))?;
        sort_by(&mut list, Statistic::cmp);
        Ok(list)
    }

    /// Writes one statistic, from text that ends in a NUL. May sleep. As
    /// [`Client::write`]; `EACCES` of one that is iostat's own; `ENXIO` if it is gone.
    pub(crate) fn write(&self, statistic: &[u8], text: &[u8]) -> Result {
        if self.is_held_here() {
            return Err(would_deadlock());
        }
        match &*self.hold().body {
            Body::Gone => Err(ENXIO),
            Body::Client(client) => client.write(statistic, text),
            Body::Disk(_) | Body::Types | Body::Headers => Err(EACCES),
        }
    }
}
