// SPDX-License-Identifier: GPL-2.0

//! Messages that are written to `/dev/iostat`: who may send them, and what a refusal looks like.

use super::{
    cache::Cache,
    events::CounterRows,
    kstats,
    text::TextSource,
    ChardevContext, //
};
use crate::{
    abi::{
        message::{
            self,
            cgroup::CgroupMessage,
            error::Reason,
            evcnt::EvcntList,
            kstat::Kstat,
            list::ListMessage,
            slow::Slow,
            Message, //
        },
        pager::{
            Filled,
            Piece, //
        }, //
    },
    kernel_ext::capability,
    recorder::{
        messages::{
            Refusal,
            Reply, //
        },
        slow, //
    },
};
use core::fmt::Write;
use kernel::prelude::*;

/// Does what a line says, and begins to write the reply to `piece`, which is empty: what the rest of it comes from,
/// and whether there is more. If the message is refused, the reply is the line that says what was
/// wrong. May sleep. The errno is that of device-mapper; `EPERM` without privilege, if anything would change: of who
/// opened the file, and of who writes now, which may be a program that was given it.
pub(super) fn run(
    global: &ChardevContext,
    is_opened_by_admin: bool,
    line: &[u8],
    piece: &mut Piece<'_>,
) -> (TextSource, Filled, Result) {
    let mut id = None;
    let begun = begin(global, is_opened_by_admin, line, piece, &mut id).and_then(|mut source| {
        let filled = source.fill(global, piece, &mut Cache::default())?;
        Ok((source, filled))
    });
    let error = match begun {
        Ok((source, filled)) => return (source, filled, Ok(())),
        Err(Refusal::Wrong(wrong)) => {
            piece.record(|out| writeln!(out, "{wrong}"));
            errno(wrong.reason)
        }
        Err(Refusal::Failed(error)) => {
            if let Some(id) = id.filter(|_| error == ENOENT) {
                let why = Reason::NoSuchRegion.as_str();
                piece.record(|out| writeln!(out, "{id}: {why}"));
            }
            error
        }
    };
    (TextSource::Written, Filled::End, Err(error))
}

/// Does what a line says, except to make the reply. `id` becomes that of the region it is about.
fn begin<'a>(
    global: &ChardevContext,
    is_opened_by_admin: bool,
    line: &'a [u8],
    piece: &mut Piece<'_>,
    id: &mut Option<u32>,
) -> Result<TextSource, Refusal<'a>> {
    if let Some(asked) = EvcntList::parse(line) {
        return Ok(TextSource::Counters(CounterRows::new(asked?)));
    }
    if let Some(asked) = ListMessage::parse(line) {
        return Ok(match asked? {
            ListMessage::InFlight(device) => {
                let has_targets = may_see(is_opened_by_admin);
                TextSource::InFlight(global.recording.in_flight(device, has_targets)?)
            }
            ListMessage::Sizes(device) => TextSource::Sizes(global.recording.size_rows(device)?),
        });
    }
    if let Some(asked) = Slow::parse(line) {
        return Ok(match asked? {
            Slow::List(device) => {
                let has_targets = may_see(is_opened_by_admin);
                TextSource::Slow(global.recording.slow_rows(device, has_targets)?)
            }
            Slow::Threshold(ns) => {
                may_change(is_opened_by_admin)?;
                slow::set_threshold_ns(ns)?;
                TextSource::Written
            }
        });
    }
    if let Some(asked) = CgroupMessage::parse(line) {
        return Ok(match asked? {
            CgroupMessage::List(device) => {
                TextSource::Cgroups(global.recording.cgroup_rows(device)?)
            }
            CgroupMessage::Switch(on) => {
                may_change(is_opened_by_admin)?;
                global.recording.switch_cgroups(on)?;
                TextSource::Written
            }
        });
    }
    if let Some(asked) = Kstat::parse(line) {
        return Ok(match asked? {
            Kstat::Print(selectors) => TextSource::Kstats(kstats::Values::new(&selectors)?),
            Kstat::List(selectors) => TextSource::KstatRows(kstats::KstatRows::new(&selectors)?),
            Kstat::Write(selector, value) => {
                may_change(is_opened_by_admin)?;
                kstats::write(&global.kstats, &selector, value)?;
                TextSource::Written
            }
        });
    }
    let (disk, message) = message::parse(line)?;
    if changes(&message) {
        may_change(is_opened_by_admin)?;
    }
    *id = message.id();
    Ok(match global.recording.message(disk, &message, piece)? {
        Reply::Written => TextSource::Written,
        Reply::Rows(rows) => TextSource::Rows(rows),
        Reply::Print(print) => TextSource::Print(print),
    })
}

/// Whether I/Os of other users may be seen with who submitted them, and where on a disk they are.
pub(super) fn may_see(is_opened_by_admin: bool) -> bool {
    is_opened_by_admin && capability::is_sys_admin()
}

/// `EPERM` without privilege: see [`run`].
pub(super) fn may_change(is_opened_by_admin: bool) -> Result {
    match is_opened_by_admin {
        true => capability::sys_admin(),
        false => Err(EPERM),
    }
}

/// Whether a message changes anything, also what other readers are shown.
fn changes(message: &Message<'_>) -> bool {
    match message {
        Message::List(_) => false,
        Message::Print(print) => print.clear,
        _ => true,
    }
}

fn errno(reason: Reason) -> Error {
    match reason {
        Reason::TooManyAreas | Reason::TooManyBuckets => EOVERFLOW,
        Reason::NoSuchDisk => ENXIO,
        Reason::NoSuchRegion => ENOENT,
        _ => EINVAL,
    }
}
