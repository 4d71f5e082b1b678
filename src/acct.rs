// SPDX-License-Identifier: GPL-2.0

//! Floor 0: what is counted, and how: pure code, independent of the kernel.
//!
//! The state of one I/O is an [`entry::Entry`]. Each step of the I/O is a
//! [`transition::Transition`], which changes one CPU's [`record::Record`] and the disk's
//! [`busy::Gauge`]. A reader adds up all records to a [`snapshot::Snapshot`].
//!
//! The caller owns memory, clock and interrupts: time is an argument in nanoseconds, storage is
//! borrowed, and nothing here can fail.

#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod absorb;
pub mod base;
pub mod busy;
pub mod cgroup;
pub mod class;
pub mod client;
pub mod counter;
pub mod counts;
pub mod devstat;
pub mod disk_event;
pub mod entry;
pub mod evcnt;
pub mod event;
pub mod fast;
pub mod histogram;
pub mod inflight;
pub mod kstat;
pub mod lookup;
pub mod queue;
pub mod record;
pub mod region;
pub mod seqcount;
pub mod size;
pub mod slow;
pub mod snapshot;
pub mod tag_wait;
pub mod timeout;
pub mod transition;
pub mod turns;
