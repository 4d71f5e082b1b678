// SPDX-License-Identifier: GPL-2.0

//! Snapshots of kstats.

use super::{
    entry::{
        Body,
        KstatEntry, //
    },
    Chain, //
};
use crate::{
    abi::{
        binary::kstat::KstatHeader,
        sort::sort_by,
        text, //
    },
    acct::kstat::{
        KstatType,
        Value,
        KSTAT_STRLEN, //
    },
    glue::{
        clock,
        kstat::KstatCopy, //
    },
    kernel_ext::error::would_deadlock, //
};
use core::cmp::Ordering;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*,
    transmute::AsBytes, //
};

/// A statistic: a name of two parts, and a value.
pub(crate) struct NamedStatistic {
    name: StatisticName,
    suffix: &'static str,
    value: OwnedValue,
}

/// A name as the client has set it: any bytes, and their number.
#[derive(Clone, Copy)]
struct StatisticName([u8; KSTAT_STRLEN], u8);

enum OwnedValue {
    Number(Value<'static>),
    Char(KVVec<u8>),
    String(KVVec<u8>),
}

impl NamedStatistic {
    fn new(name: &[u8], suffix: &'static str, value: Value<'_>) -> Result<Self> {
        let mut bytes = [0; KSTAT_STRLEN];
        let mut len = 0u8;
        for (into, from) in bytes.iter_mut().zip(name) {
            *into = *from;
            len = len.saturating_add(1);
        }
        let copy = |text: &[u8]| -> Result<KVVec<u8>> {
            let mut copy = KVVec::with_capacity(text.len(), GFP_KERNEL_ACCOUNT)?;
            copy.extend_from_slice(text, GFP_KERNEL_ACCOUNT)?;
            Ok(copy)
        };
        let value = match value {
            Value::Char(text) => OwnedValue::Char(copy(text)?),
            Value::String(text) => OwnedValue::String(copy(text)?),
            Value::Int32(number) => OwnedValue::Number(Value::Int32(number)),
            Value::Uint32(number) => OwnedValue::Number(Value::Uint32(number)),
            Value::Int64(number) => OwnedValue::Number(Value::Int64(number)),
            Value::Uint64(number) => OwnedValue::Number(Value::Uint64(number)),
            Value::Float(bits) => OwnedValue::Number(Value::Float(bits)),
            Value::Double(bits) => OwnedValue::Number(Value::Double(bits)),
        };
        Ok(NamedStatistic {
            name: StatisticName(bytes, len),
            suffix,
            value,
        })
    }

    /// Returns the bytes of the name.
    pub(crate) fn name(&self) -> impl Iterator<Item = u8> + Clone + '_ {
        let name = self.name.0.iter().take(usize::from(self.name.1));
        Iterator::chain(name.copied(), self.suffix.bytes())
    }

    /// Returns the value.
    pub(crate) fn value(&self) -> Value<'_> {
        match &self.value {
            OwnedValue::Number(number) => *number,
            OwnedValue::Char(text) => Value::Char(text),
            OwnedValue::String(text) => Value::String(text),
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let fold = |byte: u8| byte.to_ascii_lowercase();
        let folded = self.name().map(fold).cmp(other.name().map(fold));
        folded.then_with(|| self.name().cmp(other.name()))
    }
}

/// The data of a raw kstat.
enum Raw {
    /// A kstat of another type: it has statistics.
    None,
    Client(KstatCopy),
    Headers(KVVec<KstatHeader>),
}

/// The data of a kstat at one moment.
pub(crate) struct KstatSnapshot {
    /// The time of the snapshot, ns.
    pub(crate) snaptime_ns: u64,
    /// The number of data structures; for a raw kstat of a client, of bytes.
    pub(crate) ndata: u32,
    /// In the order of the data.
    pub(crate) statistics: KVVec<NamedStatistic>,
    raw: Raw,
}

impl KstatSnapshot {
    fn push(&mut self, name: &[u8], suffix: &'static str, value: Value<'_>) -> Result {
        let statistic = NamedStatistic::new(name, suffix, value)?;
        Ok(self.statistics.push(statistic, GFP_KERNEL_ACCOUNT)?)
    }

    /// Returns the bytes of a raw kstat; empty for other types.
    pub(crate) fn raw(&self) -> &[u8] {
        match &self.raw {
            Raw::None => &[],
            Raw::Client(copy) => copy.raw(),
            Raw::Headers(headers) => AsBytes::as_bytes(headers.as_slice()),
        }
    }
}

impl KstatEntry {
    /// Takes a snapshot. May sleep, as long as the callbacks of the client do.
    ///
    /// # Errors
    ///
    /// `ENXIO` if the kstat was deleted, `EDEADLK` if it is called by a callback of this kstat, an error of the
    /// callbacks, `ENOMEM`.
    pub(crate) fn snapshot(&self, chain: &Chain) -> Result<KstatSnapshot> {
        if self.is_held_here() {
            return Err(would_deadlock());
        }
        let mut snapshot = KstatSnapshot {
            snaptime_ns: clock::now_ns(),
            ndata: self.ndata(),
            statistics: KVVec::new(),
            raw: Raw::None,
        };
        let held = self.hold();
        match &*held.body {
            Body::Deleted => return Err(ENXIO),
            Body::Client(client) => {
                let copy = client.copy()?;
                drop(held);
                snapshot.snaptime_ns = copy.snaptime_ns;
                snapshot.ndata = copy.ndata();
                copy.each(|name, suffix, value| snapshot.push(name, suffix, value))?;
                if self.kind() == KstatType::Raw {
                    snapshot.raw = Raw::Client(copy);
                }
            }
            Body::Disk(account) => {
                let counters = account.snapshot();
                drop(held);
                snapshot.snaptime_ns = counters.now;
                for statistic in &text::KSTAT {
                    let value = Value::Uint64((statistic.value)(&counters));
                    snapshot.push(statistic.name.to_bytes(), "", value)?;
                }
            }
            Body::Types => {
                drop(held);
                for kind in KstatType::ALL {
                    snapshot.push(b"", kind.name(), Value::Uint64(kind as u64))?;
                }
            }
            Body::Headers => {
                drop(held);
                let list = chain.by_number()?.entries;
                let mut headers = KVVec::with_capacity(list.len(), GFP_KERNEL_ACCOUNT)?;
                for entry in &list {
                    headers.push(entry.header(), GFP_KERNEL_ACCOUNT)?;
                }
                snapshot.ndata = u32::try_from(list.len()).unwrap_or(u32::MAX);
                snapshot.raw = Raw::Headers(headers);
            }
        }
        Ok(snapshot)
    }

    /// Returns all statistics sorted by name, including those that every kstat has. Errors as
    /// [`KstatEntry::snapshot`].
    pub(crate) fn statistics(&self, chain: &Chain) -> Result<KVVec<NamedStatistic>> {
        let mut snapshot = self.snapshot(chain)?;
        if self.kind() == KstatType::Raw {
            let bytes = snapshot.raw().len() as u64;
            snapshot.push(b"", "data_size", Value::Uint64(bytes))?;
        }
        snapshot.push(b"", "class", Value::String(self.class().bytes()))?;
        snapshot.push(b"", "crtime", Value::Uint64(self.crtime_ns()))?;
        let snaptime_ns = snapshot.snaptime_ns;
        snapshot.push(b"", "snaptime", Value::Uint64(snaptime_ns))?;
        sort_by(&mut snapshot.statistics, NamedStatistic::cmp);
        Ok(snapshot.statistics)
    }
}
