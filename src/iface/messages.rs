// SPDX-License-Identifier: GPL-2.0

//! Messages that are written to `/dev/iostat`: who may send them, and what a refusal looks like.

use super::{
    events,
    kstats,
    Global, //
};
use crate::{
    abi::{
        message::{
            self,
            error::Reason,
            evcnt::List,
            kstat::Kstat,
            Message, //
        },
        region_text::Reply,
    },
    kernel_ext::capability,
    recorder::messages::Refusal, //
};
use kernel::prelude::*;

/// Does what a line says. The reply, or the one line that says what was wrong, is written to `reply`. May
/// sleep. The errno is that of device-mapper; `EPERM` without privilege, if anything would change: of who
/// opened the file, and of who writes now, which may be a program that was given it.
pub(super) fn run(
    global: &Global,
    is_opened_by_admin: bool,
    line: &[u8],
    reply: &mut impl Reply,
) -> Result {
    let mut id = None;
    let result = if let Some(asked) = List::parse(line) {
        let asked = asked.map_err(Refusal::from);
        asked.and_then(|asked| Ok(events::list(&global.events, &asked, reply)?))
    } else if let Some(asked) = Kstat::parse(line) {
        let asked = asked.map_err(Refusal::from);
        asked.and_then(|asked| {
            if matches!(asked, Kstat::Write(..)) {
                may_change(is_opened_by_admin)?;
            }
            Ok(kstats::reply(&global.kstats, &asked, reply)?)
        })
    } else {
        let result = message::parse(line).map_err(Refusal::from);
        result.and_then(|(disk, message)| {
            if changes(&message) {
                may_change(is_opened_by_admin)?;
            }
            id = message.id();
            global.recording.message(disk, &message, reply)
        })
    };
    // Without memory for the line there is still the errno.
    match (result, id) {
        (Ok(()), _) => Ok(()),
        (Err(Refusal::Wrong(wrong)), _) => {
            let _ = writeln!(reply, "{wrong}");
            Err(errno(wrong.reason))
        }
        (Err(Refusal::Failed(error)), Some(id)) if error == ENOENT => {
            let _ = writeln!(reply, "{id}: {}", Reason::NoSuchRegion.as_str());
            Err(error)
        }
        (Err(Refusal::Failed(error)), _) => Err(error),
    }
}

/// `EPERM` without privilege: see [`run`].
pub(super) fn may_change(is_opened_by_admin: bool) -> Result {
    match is_opened_by_admin {
        true => capability::sys_admin(),
        false => Err(EPERM),
    }
}

/// Whether a message changes anything, be it what others are told.
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
