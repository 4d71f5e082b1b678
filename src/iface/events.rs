// SPDX-License-Identifier: GPL-2.0

//! Event counters: `/sys/block/<disk>/iostat/events/`, a file for each of a disk's own, and the reply to
//! `@evcnt_list`, which has those of all modules.

use crate::{
    abi::{
        event_text,
        message::evcnt::List as Asked, //
    },
    acct::disk_event::{
        DiskEvent,
        DISK_EVENTS, //
    },
    kapi::evcnt::Events,
    kernel_ext::{
        clock,
        kobject::{
            Object,
            Type, //
        },
        sysfs::{
            Attribute,
            Group,
            Groups,
            List,
            Page,
            Show, //
        },
        task, //
    },
    recorder::account::Account,
};
use core::fmt::{
    self,
    Write, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// What the directory is of.
pub(crate) struct EventsObject {
    account: Arc<Account>,
}

impl EventsObject {
    pub(super) fn new(account: Arc<Account>) -> Self {
        EventsObject { account }
    }
}

/// One of its files.
#[derive(Clone, Copy)]
pub(crate) struct File(DiskEvent);

impl Show for File {
    type Of = EventsObject;

    fn show(&self, of: &EventsObject, page: &mut Page<'_>) -> fmt::Result {
        writeln!(page, "{}", of.account.event(self.0))
    }
}

static FILES: [Attribute<File>; DISK_EVENTS] = {
    let mut files = [const { Attribute::new(c"", File(DiskEvent::Requeues)) }; DISK_EVENTS];
    let mut index = 0;
    while index < DISK_EVENTS {
        let event = DiskEvent::ALL[index];
        files[index] = Attribute::new(event.name(), File(event));
        index += 1;
    }
    files
};
static LIST: List<DISK_EVENTS> = List::new(&FILES);
static GROUP: Group = Group::new(None, &LIST);
static GROUPS: Groups<1> = Groups::new([&GROUP]);

impl Object for EventsObject {
    type Attribute = File;

    const TYPE: Type<Self> = Type::new(&GROUPS);
}

/// Writes the counters that are asked for. May sleep; `ENOMEM`, `EINTR`.
pub(super) fn list(events: &Events, asked: &Asked, out: &mut impl Write) -> Result {
    let list = events.list(asked.rollup)?;
    let now_ns = clock::now_ns();
    event_text::header(out).map_err(|_| ENOMEM)?;
    for listed in &list {
        task::may_be_killed()?;
        let event = &listed.event;
        if asked.has(event.kind(), listed.total) {
            let age_ns = now_ns.saturating_sub(event.since_ns());
            event_text::event(out, event.name(), listed.total, age_ns, event.kind())
                .map_err(|_| ENOMEM)?;
        }
    }
    Ok(())
}
