// SPDX-License-Identifier: GPL-2.0

//! The replies to `@kstat`, `@kstat_list` and `@kstat_write`.

use super::cache::Cache;
use crate::{
    abi::{
        kstat_text,
        message::{
            kstat::{
                Selector,
                Selectors, //
            },
            word::{
                Word,
                Words, //
            }, //
        },
        out::Out,
        pager::{
            Filled,
            Piece, //
        }, //
    },
    glue::kstat::{
        Change,
        NewValue, //
    },
    kapi::kstat::{
        Chain,
        KstatEntry,
        KstatKey,
        NamedStatistic, //
    },
    kernel_ext::task, //
};
use core::fmt::Write;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*,
    sync::Arc, //
};

/// The selectors of a message, kept by an open file.
struct Kept(KVec<u8>);

impl Kept {
    /// May sleep; `ENOMEM`.
    fn new(asked: &Selectors<'_>) -> Result<Self> {
        let mut words = KVec::new();
        for word in asked.words() {
            words.extend_from_slice(word.as_written(), GFP_KERNEL_ACCOUNT)?;
            words.push(b' ', GFP_KERNEL_ACCOUNT)?;
        }
        // Without the last blank, which a backslash before it would quote.
        words.pop();
        Ok(Kept(words))
    }

    fn selectors(&self) -> Selectors<'_> {
        Selectors::of(Words::of(&self.0))
    }
}

/// Kstats looked for at a time.
const BATCH: usize = 8;

/// Returns the next selected kstat after a name. An unprivileged user can send selectors that take a long time for each
/// kstat: hence `EINTR` if a fatal signal is pending. May sleep.
fn next(
    chain: &Chain,
    asked: &Selectors<'_>,
    behind: &mut Option<KstatKey>,
    batch: &mut [Option<Arc<KstatEntry>>; BATCH],
) -> Result<Option<Arc<KstatEntry>>> {
    loop {
        if batch.iter().all(Option::is_none) {
            chain.batch(behind.as_ref(), batch);
        }
        let Some(entry) = batch.iter_mut().find_map(Option::take) else {
            return Ok(None);
        };
        *behind = Some(*entry.key());
        task::check_fatal_signal()?;
        let (module, instance, name) = entry.key().parts();
        if asked.has_kstat(module, instance, name) {
            return Ok(Some(entry));
        }
    }
}

/// The reply to `@kstat_list`.
pub(super) struct KstatRows {
    asked: Kept,
    is_begun: bool,
    /// The last kstat that was written.
    behind: Option<KstatKey>,
}

impl KstatRows {
    /// May sleep; `ENOMEM`.
    pub(super) fn new(asked: &Selectors<'_>) -> Result<Self> {
        Ok(KstatRows {
            asked: Kept::new(asked)?,
            is_begun: false,
            behind: None,
        })
    }

    /// Starts the reply again.
    pub(super) fn restart(&mut self) {
        self.is_begun = false;
        self.behind = None;
    }

    /// Writes the next lines: the chain's id, and the kstats. May sleep; `EINTR`.
    pub(super) fn fill(&mut self, chain: &Chain, piece: &mut Piece<'_>) -> Result<Filled> {
        if !self.is_begun {
            let id = chain.id();
            self.is_begun = piece.record(|out| {
                writeln!(out, "chain_id {id}")?;
                out.write_str("kid type flags ndata crtime class module:instance:name\n")
            });
        }
        let mut batch = [const { None }; BATCH];
        let mut behind = self.behind;
        while let Some(entry) = next(chain, &self.asked.selectors(), &mut behind, &mut batch)? {
            if !piece.record(|out| row(out, &entry)) {
                return Ok(Filled::Full);
            }
            self.behind = behind;
        }
        Ok(Filled::End)
    }
}

fn row(out: &mut impl Out, entry: &KstatEntry) -> core::fmt::Result {
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
}

/// The reply to `@kstat`.
pub(super) struct Values {
    asked: Kept,
    /// The last kstat that was written.
    behind: Option<KstatKey>,
    /// The kstat that is written in part, the number of its statistics that are done, and the number of bytes
    /// that are written of the line of the next one.
    begun: Option<(KstatKey, usize, usize)>,
    is_any: bool,
    /// The error of a client that refused.
    refused: Result,
}

impl Values {
    /// May sleep; `ENOMEM`.
    pub(super) fn new(asked: &Selectors<'_>) -> Result<Self> {
        Ok(Values {
            asked: Kept::new(asked)?,
            behind: None,
            begun: None,
            is_any: false,
            refused: Ok(()),
        })
    }

    /// Starts the reply again.
    pub(super) fn restart(&mut self) {
        self.behind = None;
        self.begun = None;
        self.is_any = false;
        self.refused = Ok(());
    }

    /// Writes the next lines: the selected statistics. All of a kstat are of one moment, unless they are longer than
    /// the buffer and read by several calls. A kstat whose client refuses is left out, unless there is no other: then
    /// its errno is returned. May sleep; `ENOMEM`, `EINTR`.
    pub(super) fn fill(
        &mut self,
        chain: &Chain,
        piece: &mut Piece<'_>,
        cache: &mut Cache,
    ) -> Result<Filled> {
        let mut batch = [const { None }; BATCH];
        let mut behind = self.behind;
        loop {
            let begun = self.begun.take();
            let entry = match begun {
                Some((key, ..)) => {
                    behind = Some(key);
                    chain.named(&key)
                }
                None => match next(chain, &self.asked.selectors(), &mut behind, &mut batch)? {
                    None => break,
                    entry => entry,
                },
            };
            let from = begun.map_or((0, 0), |(_, passed, bytes)| (passed, bytes));
            if let Some(entry) = entry {
                match self.write(chain, &entry, from, piece, cache) {
                    Ok(is_complete) => {
                        self.is_any = true;
                        if !is_complete {
                            return Ok(Filled::Full);
                        }
                    }
                    Err(ENOMEM) => return Err(ENOMEM),
                    // The kstat was deleted meanwhile.
                    Err(ENXIO) => {}
                    Err(error) => self.refused = Err(error),
                }
            }
            self.behind = behind;
        }
        match self.is_any {
            true => Ok(Filled::End),
            false => self.refused.map(|()| Filled::End),
        }
    }

    /// Writes the statistics of a kstat behind those that were passed; false if there is no room for all.
    fn write(
        &mut self,
        chain: &Chain,
        entry: &KstatEntry,
        (mut passed, mut bytes): (usize, usize),
        piece: &mut Piece<'_>,
        cache: &mut Cache,
    ) -> Result<bool> {
        let statistics = match cache.statistics.take() {
            Some((kid, statistics)) if kid == entry.kid() => statistics,
            _ => entry.statistics(chain)?,
        };
        let len = piece.len();
        let id = entry.key().parts();
        let asked = self.asked.selectors();
        let mut is_complete = true;
        for statistic in statistics.iter().skip(passed) {
            let line = |out: &mut _| write_line(out, id, statistic);
            if asked.has(id, statistic.name()) && (bytes != 0 || !piece.record(line)) {
                is_complete = false;
                if !piece.is_empty() {
                    break;
                }
                // The line is longer than the buffer.
                (bytes, is_complete) = piece.part(bytes, |out| write_line(out, id, statistic));
                if !is_complete {
                    break;
                }
                bytes = 0;
            }
            passed = passed.saturating_add(1);
        }
        if is_complete {
            return Ok(true);
        }
        if len == 0 {
            self.begun = Some((*entry.key(), passed, bytes));
        } else {
            // The rest may fit into an empty buffer.
            piece.truncate(len);
        }
        cache.statistics = Some((entry.kid(), statistics));
        Ok(false)
    }
}

fn write_line(
    out: &mut impl Out,
    id: (&[u8], i32, &[u8]),
    statistic: &NamedStatistic,
) -> core::fmt::Result {
    kstat_text::line(out, id, statistic.name(), statistic.value())
}

/// Writes one statistic of the first kstat that is selected. May sleep. `ENOENT` if no kstat is selected; `EINTR`; other
/// errors as [`KstatEntry::write`].
pub(super) fn write(chain: &Chain, meant: &Selector<'_>, value: Word<'_>) -> Result {
    let list = chain.list()?;
    let entry = list.entries.iter().find_map(|entry| {
        let (module, instance, name) = entry.key().parts();
        match task::check_fatal_signal() {
            Ok(()) => meant.has_kstat(module, instance, name).then_some(Ok(entry)),
            Err(error) => Some(Err(error)),
        }
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
    let change = Change::Statistic(&statistic, NewValue::Text(&text));
    entry.ok_or(ENOENT)??.write(&change)
}
