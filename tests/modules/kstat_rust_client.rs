// SPDX-License-Identifier: GPL-2.0

//! A client in Rust with all types of kstats: `tests/guest/parts/test-kstat-rust.sh` checks them.

use kernel::prelude::*;

#[path = "../../include/iostat/kstat.rs"]
mod kstat;

use core::{
    borrow::Borrow,
    ffi::CStr,
    sync::atomic::{
        AtomicI32,
        AtomicI64,
        AtomicU32,
        AtomicU64,
        Ordering::Relaxed, //
    },
};
use kernel::{
    alloc::KVVec,
    sync::global_lock, //
};
use kstat::{
    Counters,
    Id,
    Interrupt,
    Intr,
    Named,
    Raw,
    Timers,
    Update,
    Value,
    Values, //
};

module! {
    type: Client,
    name: "kstat_rust_client",
    authors: ["The iostat maintainers"],
    description: "A client of iostat in Rust for its tests",
    license: "GPL",
    params: {
        drops_itself: u32 {
            default: 0,
            description: "Whether one drops itself when it is read",
        },
    },
}

/// Values of all types; some of them are commands to this module when they are written.
#[derive(Default)]
struct All {
    reads: AtomicU64,
    writes: AtomicU64,
    /// The number of reads that are to fail.
    failures: AtomicU32,
    limit: AtomicI32,
}

const LABEL: usize = 7;
const LIMIT: usize = 8;
const FAILURES: usize = 9;
const READS: usize = 10;
const WRITES: usize = 11;

const MOST: i32 = 100;

impl All {
    fn values() -> Result<Values> {
        let mut values = Values::new();
        for (name, value) in [
            (c"char", Value::chars("sixteen letters.and more")),
            (c"int32", Value::I32(-2)),
            (c"uint32", Value::U32(u32::MAX)),
            (c"int64", Value::I64(i64::MIN)),
            (c"uint64", Value::U64(u64::MAX)),
            (c"long", Value::Long(-3)),
            (c"ulong", Value::Ulong(3)),
            (c"label", Value::Text(c"as it was made")),
            (c"limit", Value::I32(0)),
            (c"failures", Value::U32(0)),
            (c"reads", Value::U64(0)),
            (c"writes", Value::U64(0)),
        ] {
            values.push(name, value)?;
        }
        let bad = [
            values.push(c"", Value::I32(0)).is_err(),
            values.set(LIMIT, Value::U32(0)).is_err(),
            values.set(values.len(), Value::U32(0)).is_err(),
            values.get(0) == Some(Value::chars("sixteen letters.")),
            values.get(3) == Some(Value::I64(i64::MIN)),
            values.get(5) == Some(Value::Long(-3)),
            values.get(LABEL) == Some(Value::Text(c"as it was made")),
            values.get(values.len()).is_none(),
        ];
        if bad.contains(&false) {
            pr_err!("values are not what they should be: {bad:?}\n");
            return Err(EINVAL);
        }
        Ok(values)
    }
}

impl Update<Values> for All {
    fn read(&self, values: &mut Values) -> Result {
        let one_less = |failures: u32| failures.checked_sub(1);
        if self
            .failures
            .fetch_update(Relaxed, Relaxed, one_less)
            .is_ok()
        {
            return Err(EIO);
        }
        let reads = self.reads.fetch_add(1, Relaxed).wrapping_add(1);
        values.set(READS, Value::U64(reads))?;
        values.set(WRITES, Value::U64(self.writes.load(Relaxed)))
    }

    fn written(&self, values: &mut Values) -> Result {
        match values.get(LIMIT) {
            Some(Value::I32(limit)) if limit <= MOST => self.limit.store(limit, Relaxed),
            _ => {
                values.set(LIMIT, Value::I32(self.limit.load(Relaxed)))?;
                return Err(EACCES);
            }
        }
        if let Some(Value::U32(failures)) = values.get(FAILURES) {
            self.failures.store(failures, Relaxed);
        }
        self.writes.fetch_add(1, Relaxed);
        values.set(FAILURES, Value::U32(0))
    }
}

/// Adds a statistic with each read.
struct Grows;

impl Update<Values> for Grows {
    fn read(&self, values: &mut Values) -> Result {
        let names: [&CStr; 3] = [c"one", c"two", c"three"];
        match names.get(values.len()) {
            Some(name) => values.push(name, Value::Text(name)),
            None => Ok(()),
        }
    }
}

/// Has as many bytes as there were reads.
struct Counting;

impl Update<KVVec<u8>> for Counting {
    fn read(&self, bytes: &mut KVVec<u8>) -> Result {
        Ok(bytes.push(1, GFP_KERNEL)?)
    }
}

/// Drops its own kstat, in [`OWN`].
struct DropsItself;

global_lock! {
    // SAFETY: `init()` initialises it before it is used.
    unsafe(uninit) static OWN: Mutex<Option<Named<DropsItself>>> = None;
}

impl Update<Values> for DropsItself {
    fn read(&self, _: &mut Values) -> Result {
        let own = OWN.lock().take();
        drop(own);
        Ok(())
    }
}

/// Dropped when the module is unloaded, which deletes the kstats.
struct Client {
    _kept: Counters<AtomicI32, 2>,
    _unsigned: Counters<AtomicU32, 1>,
    _intr: Intr,
    _timers: Timers<2>,
    _all: Named<All>,
    _grows: Named<Grows>,
    _counting: Raw<Counting>,
    _raws: [Raw; 2],
}

fn id(name: &CStr) -> Id<'_> {
    Id {
        module: c"kstat_rust",
        instance: 0,
        name: Some(name),
        class: c"misc",
    }
}

/// Tries to create kstats that must be refused: one that exists already, and two with invalid names.
fn refused(owner: &'static ThisModule) -> bool {
    let kept = id(c"kept");
    let again: Result<Counters<AtomicI32, 2>> =
        Counters::persistent(owner, &kept, [c"loads", c"balance"]);
    let unnamed: Result<Counters<AtomicI64, 1>> =
        Counters::persistent(owner, &id(c"unnamed"), [c" "]);
    let none = Raw::new(owner, &id(c"a:b"), KVVec::new(), ());
    (again.err(), unnamed.err(), none.err()) == (Some(EEXIST), Some(EINVAL), Some(EINVAL))
}

impl kernel::Module for Client {
    fn init(owner: &'static ThisModule) -> Result<Self> {
        let other: Result<Counters<AtomicI64, 2>> =
            Counters::persistent(owner, &id(c"other"), [c"loads", c"balance"]);
        drop(other?);
        let other: Result<Counters<AtomicU64, 2>> =
            Counters::persistent(owner, &id(c"other"), [c"loads", c"balance"]);
        if other.is_ok() {
            return Err(EINVAL);
        }
        let kept: Counters<AtomicI32, 2> =
            Counters::persistent(owner, &id(c"kept"), [c"loads", c"balance"])?;
        kept.at(0).fetch_add(1, Relaxed);
        kept.at(1).fetch_sub(2, Relaxed);
        if !refused(owner) {
            return Err(EINVAL);
        }
        let unsigned: Counters<AtomicU32, 1> =
            Counters::new(owner, &id(c"unsigned"), [c"Down to it"])?;
        unsigned.at(7).fetch_sub(1, Relaxed);
        let intr = Intr::new(owner, &id(c"intr"))?;
        intr.inc(Interrupt::Hard);
        intr.inc(Interrupt::MultipleService);
        intr.at(Interrupt::MultipleService).fetch_add(6, Relaxed);
        let timers = Timers::new(owner, &id(c"timers"), [c"open", c"close"])?;
        for _ in 0..2 {
            timers.start(0);
            timers.stop(0);
        }
        let all = Named::writable(owner, &id(c"all"), All::values()?, All::default())?;
        all.lock()
            .set(LABEL, Value::Text(c"as it was set, which is longer"))?;
        let raws = [
            Raw::new(owner, &id(c"ten"), KVVec::from_elem(0, 10, GFP_KERNEL)?, ())?,
            Raw::new(owner, &id(c"none"), KVVec::new(), ())?,
        ];
        let [ten, none] = &raws;
        core::mem::swap(&mut *ten.lock(), &mut *none.lock());
        if *Borrow::<u32>::borrow(&module_parameters::drops_itself.value()) != 0 {
            // SAFETY: It is called once, before any other use.
            unsafe { OWN.init() };
            let own = Named::new(owner, &id(c"own"), Values::new(), DropsItself)?;
            *OWN.lock() = Some(own);
        }
        Ok(Client {
            _kept: kept,
            _unsigned: unsigned,
            _intr: intr,
            _timers: timers,
            _all: all,
            _grows: Named::new(owner, &id(c"grows"), Values::new(), Grows)?,
            _counting: Raw::new(owner, &id(c"counting"), KVVec::new(), Counting)?,
            _raws: raws,
        })
    }
}
