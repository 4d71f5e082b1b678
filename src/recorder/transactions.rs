// SPDX-License-Identifier: GPL-2.0

//! The handlers of the events of the block layer and of NFS.
//!
//! The handlers run with interrupts disabled: a step must be complete before a completion on the same CPU
//! can take the next. Only the functions that trace the start of I/Os run with interrupts as the submitter has them.

mod bio;
mod cgroup;
mod common;
mod nfs;
mod nvme_multipath;
pub(super) mod regions;
mod request;
pub(super) mod slow;
mod tag_wait;

use super::account::Account;
use crate::{
    acct::{
        class::{
            Class,
            Tag, //
        },
        entry::Start, //
    },
    kernel_ext::{
        block::request::Request,
        task::current_pid, //
    },
};
use kernel::bindings::blk_status_t;

fn tag(is_flush: bool) -> Tag {
    if is_flush {
        Tag::Ordered
    } else {
        Tag::Simple
    }
}

/// The description of a request at its start.
#[inline(always)]
fn request(account: &Account, rq: Request<'_>) -> Start {
    Start {
        account: account.handle().bits(),
        hctx: if account.has_leaves() {
            rq.hardware_queue()
        } else {
            0
        },
        class: Class::of(rq.op(), rq.bytes()),
        tag: tag(rq.is_flush()),
        sector: rq.sector(),
        pid: current_pid(),
    }
}

/// Whether a request is done when `nr_bytes` bytes are complete.
#[inline(always)]
fn is_whole(rq: Request<'_>, nr_bytes: u32) -> bool {
    nr_bytes >= rq.bytes() || !rq.has_bio()
}

/// How many of these bytes were transferred without error.
#[inline(always)]
fn done(status: blk_status_t, nr_bytes: u32) -> u64 {
    if status == 0 {
        u64::from(nr_bytes)
    } else {
        0
    }
}
