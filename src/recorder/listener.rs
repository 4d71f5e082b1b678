// SPDX-License-Identifier: GPL-2.0

//! What the recorder tells the floor above. That floor implements it, so that imports go
//! downward only.

use super::account::Account;
use crate::{
    acct::entry::Times,
    kernel_ext::block::{
        bio::Bio,
        disk::Disk, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// An I/O at its start or its end, for those who watch each.
pub(crate) struct Event<'a> {
    /// Pairs an end with its start; 0 if the start was not watched.
    pub(crate) id: u64,
    /// The disk's account.
    pub(crate) account: &'a Account,
    /// `REQ_OP_*`.
    pub(crate) op: u8,
    /// Whether somebody waits for it.
    pub(crate) is_sync: bool,
    /// Bytes asked for.
    pub(crate) bcount: u64,
    /// First sector on the whole disk.
    pub(crate) sector: u64,
    /// Address of the function called at its end, or 0.
    pub(crate) end_io: u64,
    /// Its (first) bio, if it has one and that is still meant for this disk.
    pub(crate) bio: Option<Bio<'a>>,
    /// How it ended.
    pub(crate) done: Option<Done>,
}

/// How an I/O ended.
pub(crate) struct Done {
    /// Positive errno, or 0.
    pub(crate) error: i32,
    /// Bytes that were not transferred.
    pub(crate) resid: u64,
    /// Where its time went.
    pub(crate) times: Times,
}

/// Who is told. Events come from probes, in any context but NMI.
pub(crate) trait Listener: Send + Sync + Sized + 'static {
    /// What stands for an account on the floor above, until its disk leaves.
    type Presence: Send;

    /// A disk has an account. May sleep.
    fn arrived(&self, disk: &Disk<'_>, account: &Arc<Account>) -> Result<Self::Presence>;

    /// Whether anybody watches I/Os start.
    fn watches_start() -> bool;

    /// Whether anybody watches I/Os end.
    fn watches_done() -> bool;

    /// An I/O starts.
    fn start(event: &Event<'_>);

    /// An I/O has ended.
    fn done(event: &Event<'_>);
}
