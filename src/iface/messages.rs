// SPDX-License-Identifier: GPL-2.0

//! Messages that are written to `/dev/iostat`: the privileges that they need, and the replies to
//! refused messages.

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

/// Carries out the message in a line, and begins to write the reply to `piece`, which is empty. Returns the source
/// of the rest of the reply, and whether there is more. If the message is refused, the reply is a line with the
/// reason. May sleep. The errno is that of device-mapper. A message that changes anything returns `EPERM` unless
/// both the task that opened the file and the current task, which may have inherited the file, are privileged.
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

/// Carries out the message in a line, and returns the source of the reply. Sets `id` to the id of
/// the region that the message is for.
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

/// Whether the submitters, operations and sectors of I/Os may be shown, which may be those of other
/// users.
pub(super) fn may_see(is_opened_by_admin: bool) -> bool {
    is_opened_by_admin && capability::is_sys_admin()
}

/// `EPERM` unless both tasks are privileged: see [`run`].
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
