// SPDX-License-Identifier: GPL-2.0

//! A client of remote procedure calls that makes no calls. It shows how a driver in Rust provides an entry of
//! devstat(9), event counters and a kstat.
//!
//! The module parameter is the number of calls to make. Every tenth call is sent twice.

use kernel::prelude::*;

#[path = "../include/iostat/devstat.rs"]
mod devstat;
#[path = "../include/iostat/evcnt.rs"]
mod evcnt;
#[path = "../include/iostat/kstat.rs"]
mod kstat;

use core::borrow::Borrow;
use devstat::{
    Class,
    Device,
    Devstat,
    Tag, //
};
use evcnt::{
    EventCounter,
    Type, //
};
use kernel::sync::Arc;
use kstat::{
    Id,
    Io, //
};

module! {
    type: FakeRpc,
    name: "fake_rpc",
    authors: ["The iostat maintainers"],
    description: "A sample client of iostat in Rust",
    license: "GPL",
    params: {
        calls: u32 {
            default: 100,
            description: "Calls to make",
        },
    },
}

/// Dropped in the order of the fields when the module is unloaded, which removes and detaches them.
struct FakeRpc {
    _server: Devstat,
    _queue: Io,
    _retransmissions: Arc<EventCounter>,
    _calls: Arc<EventCounter>,
    _timeouts: Arc<EventCounter>,
}

const RETRANSMITTED: u32 = 10;

/// The maximum number of calls in progress, and the bytes of a reply.
const SLOTS: u32 = 8;
const REPLY_BYTES: u64 = 1024;

/// Makes `calls` calls to a server. All of them wait for a slot; all slots are filled, then all of them are
/// emptied.
fn call(server: &Devstat, queue: &Io, calls: u32) -> Result {
    for _ in 0..calls {
        queue.waitq_enter();
    }
    let mut left = calls;
    while left != 0 {
        let now = left.min(SLOTS);
        for _ in 0..now {
            queue.waitq_to_runq();
        }
        let then = devstat::now();
        for _ in 0..now {
            server.start_transaction(Some(&then));
        }
        for _ in 0..now {
            server.end_transaction(REPLY_BYTES, Tag::None, Class::Read, None, Some(&then))?;
            queue.runq_exit();
            queue.read(REPLY_BYTES);
        }
        left = left.saturating_sub(now);
    }
    Ok(())
}

impl kernel::Module for FakeRpc {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let new = |kind, parent, name| EventCounter::new(module, kind, parent, c"fake_rpc", name);
        let calls = new(Type::Misc, None, c"calls")?;
        let retransmissions = new(Type::Misc, Some(&calls), c"retransmissions")?;
        let timeouts = new(Type::Trap, None, c"timeouts")?;
        let device = Device {
            name: c"fake_rpc",
            unit: 0,
            block_size: 0,
            flags: devstat::flags::NO_BLOCKSIZE,
            device_type: devstat::device_type::COMM | devstat::device_type::IF_OTHER,
            priority: devstat::priority::OTHER,
        };
        let server = Devstat::new(module, &device)?;
        let id = Id {
            module: c"fake_rpc",
            instance: 0,
            name: Some(c"queue"),
            class: c"rpc",
        };
        let queue = Io::new(module, &id)?;
        let asked_for = *Borrow::<u32>::borrow(&module_parameters::calls.value());
        call(&server, &queue, asked_for)?;
        for call in 1..=asked_for {
            calls.inc();
            if call % RETRANSMITTED == 0 {
                timeouts.inc();
                retransmissions.inc();
            }
        }
        pr_info!(
            "{} calls, {} messages sent\n",
            calls.read(),
            calls.read_total()
        );
        Ok(FakeRpc {
            _server: server,
            _queue: queue,
            _retransmissions: retransmissions,
            _calls: calls,
            _timeouts: timeouts,
        })
    }
}
