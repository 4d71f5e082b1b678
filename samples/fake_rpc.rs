// SPDX-License-Identifier: GPL-2.0

//! A client of remote procedure calls that makes none, to show what a driver in Rust does to be
//! counted.
//!
//! It is loaded with the number of calls to make, of which every tenth is sent twice.

use kernel::prelude::*;

#[path = "../include/iostat/evcnt.rs"]
mod evcnt;

use core::borrow::Borrow;
use evcnt::{
    EventCounter,
    Type, //
};
use kernel::sync::Arc;

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

/// Detached when the module goes, in the order of the fields.
struct FakeRpc {
    _retransmissions: Arc<EventCounter>,
    _calls: Arc<EventCounter>,
    _timeouts: Arc<EventCounter>,
}

const RETRANSMITTED: u32 = 10;

impl kernel::Module for FakeRpc {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let new = |kind, parent, name| EventCounter::new(module, kind, parent, c"fake_rpc", name);
        let calls = new(Type::Misc, None, c"calls")?;
        let retransmissions = new(Type::Misc, Some(&calls), c"retransmissions")?;
        let timeouts = new(Type::Trap, None, c"timeouts")?;
        for call in 1..=*Borrow::<u32>::borrow(&module_parameters::calls.value()) {
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
            _retransmissions: retransmissions,
            _calls: calls,
            _timeouts: timeouts,
        })
    }
}
