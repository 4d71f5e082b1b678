// SPDX-License-Identifier: GPL-2.0

//! The replies to `@kstat`, `@kstat_list` and `@kstat_write`.

use crate::{
    abi::{
        kstat_text,
        message::{
            kstat::{
                Selector,
                Selectors, //
            },
            word::Word, //
        },
        region_text::Reply, //
    },
    kapi::kstat::Chain,
    kernel_ext::task,
};
use core::fmt::Write;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*, //
};

/// Writes the statistics that are asked for. A kstat whose client refuses is left out, unless there is no
/// other: then its errno is returned. May sleep; `ENOMEM`, `EINTR`.
pub(super) fn print(chain: &Chain, asked: &Selectors<'_>, out: &mut impl Write) -> Result {
    let list = chain.list(|key| {
        let (module, instance, name) = key.parts();
        asked.has_kstat(module, instance, name)
    })?;
    let mut refused = Ok(());
    let mut is_any = false;
    for entry in &list {
        task::may_be_killed()?;
        let statistics = match entry.statistics(chain) {
            Err(ENOMEM) => return Err(ENOMEM),
            // Deleted meanwhile.
            Err(ENXIO) => continue,
            Err(error) => {
                refused = Err(error);
                continue;
            }
            Ok(statistics) => statistics,
        };
        is_any = true;
        let id = entry.key().parts();
        for statistic in statistics.iter().filter(|one| asked.has(id, one.name())) {
            kstat_text::line(out, id, statistic.name(), statistic.value()).map_err(|_| ENOMEM)?;
        }
    }
    if is_any {
        Ok(())
    } else {
        refused
    }
}

/// Writes the chain's id, and what kstats there are. May sleep; `ENOMEM`.
pub(super) fn list(chain: &Chain, asked: &Selectors<'_>, out: &mut impl Write) -> Result {
    // Before the list: who finds it unchanged has the whole list.
    let id = chain.id();
    let list = chain.list(|key| {
        let (module, instance, name) = key.parts();
        asked.has_kstat(module, instance, name)
    })?;
    let mut write = || -> core::fmt::Result {
        writeln!(out, "chain_id {id}")?;
        out.write_str("kid type flags ndata crtime class module:instance:name\n")?;
        for entry in &list {
            let (module, instance, name) = entry.key().parts();
            writeln!(
                out,
                "{} {} {:#x} {} {} {} {module}:{instance}:{name}",
                entry.kid(),
                entry.kind().name(),
                entry.flags(),
                entry.ndata(),
                entry.crtime_ns(),
                entry.class(),
            )?;
        }
        Ok(())
    };
    write().map_err(|_| ENOMEM)
}

/// Writes one statistic of the first kstat that is meant. May sleep. `ENOENT` if there is none; as
/// [`crate::kapi::kstat::Entry::write`].
pub(super) fn write(chain: &Chain, meant: &Selector<'_>, value: Word<'_>) -> Result {
    let entry = chain.find(|key| {
        let (module, instance, name) = key.parts();
        meant.has_kstat(module, instance, name)
    });
    let collect = |bytes: &mut dyn Iterator<Item = u8>| -> Result<KVVec<u8>> {
        let mut text = KVVec::new();
        for byte in bytes {
            text.push(byte, GFP_KERNEL_ACCOUNT)?;
        }
        Ok(text)
    };
    let statistic = collect(&mut meant.statistic())?;
    let text = collect(&mut Iterator::chain(value.bytes(), [0]))?;
    entry.ok_or(ENOENT)?.write(&statistic, &text)
}

/// Replies that are of no disk. See `Documentation/kstat.rst`.
pub(super) fn reply(
    chain: &Chain,
    asked: &crate::abi::message::kstat::Kstat<'_>,
    out: &mut impl Reply,
) -> Result {
    use crate::abi::message::kstat::Kstat;
    match asked {
        Kstat::Print(selectors) => print(chain, selectors, out),
        Kstat::List(selectors) => list(chain, selectors, out),
        Kstat::Write(selector, value) => write(chain, selector, *value),
    }
}
