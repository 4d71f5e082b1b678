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
    kapi::kstat::{
        Chain,
        Entry,
        List, //
    },
    kernel_ext::{
        kstat::{
            Change,
            Written, //
        },
        task, //
    },
};
use core::fmt::Write;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*, //
};

/// Those of a list that are selected. Everybody may ask, and selectors may take long over each: `EINTR` if the
/// task is to be killed.
fn selected<'a>(
    list: &'a List,
    has: impl Fn(&[u8], i32, &[u8]) -> bool + 'a,
) -> impl Iterator<Item = Result<&'a Entry>> {
    list.entries.iter().filter_map(move |entry| {
        let (module, instance, name) = entry.key().parts();
        match task::may_be_killed() {
            Ok(()) => has(module, instance, name).then_some(Ok(&**entry)),
            Err(error) => Some(Err(error)),
        }
    })
}

/// Writes the statistics that are asked for. A kstat whose client refuses is left out, unless there is no
/// other: then its errno is returned. May sleep; `ENOMEM`, `EINTR`.
pub(super) fn print(chain: &Chain, asked: &Selectors<'_>, out: &mut impl Write) -> Result {
    let list = chain.list()?;
    let mut refused = Ok(());
    let mut is_any = false;
    for entry in selected(&list, |module, instance, name| {
        asked.has_kstat(module, instance, name)
    }) {
        let entry = entry?;
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

/// Writes the chain's id, and what kstats there are. May sleep; `ENOMEM`, `EINTR`.
pub(super) fn list(chain: &Chain, asked: &Selectors<'_>, out: &mut impl Write) -> Result {
    let list = chain.list()?;
    let mut heading = || -> core::fmt::Result {
        writeln!(out, "chain_id {}", list.id)?;
        out.write_str("kid type flags ndata crtime class module:instance:name\n")
    };
    heading().map_err(|_| ENOMEM)?;
    for entry in selected(&list, |module, instance, name| {
        asked.has_kstat(module, instance, name)
    }) {
        let entry = entry?;
        let mut line = || -> core::fmt::Result {
            write!(
                out,
                "{} {} {:#x} {} {} {} ",
                entry.kid(),
                entry.kind().name(),
                entry.flags(),
                entry.ndata(),
                entry.crtime_ns(),
                entry.class(),
            )?;
            kstat_text::id(out, entry.key().parts())?;
            out.write_char('\n')
        };
        line().map_err(|_| ENOMEM)?;
    }
    Ok(())
}

/// Writes one statistic of the first kstat that is meant. May sleep. `ENOENT` if there is none; as
/// [`Entry::write`]; `EINTR`.
pub(super) fn write(chain: &Chain, meant: &Selector<'_>, value: Word<'_>) -> Result {
    let list = chain.list()?;
    let entry = selected(&list, |module, instance, name| {
        meant.has_kstat(module, instance, name)
    })
    .next();
    let collect = |bytes: &mut dyn Iterator<Item = u8>| -> Result<KVVec<u8>> {
        let mut text = KVVec::new();
        for byte in bytes {
            text.push(byte, GFP_KERNEL_ACCOUNT)?;
        }
        Ok(text)
    };
    let statistic = collect(&mut meant.statistic())?;
    let text = collect(&mut Iterator::chain(value.bytes(), [0]))?;
    let change = Change::Statistic(&statistic, Written::Text(&text));
    entry.ok_or(ENOENT)??.write(&change)
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
