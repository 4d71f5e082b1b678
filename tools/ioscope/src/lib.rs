// SPDX-License-Identifier: GPL-2.0

//! What `ioscope` is made of.
//!
//! * [`sample`]: what all devices have counted at one moment; [`source`] says where samples come from: the
//!   module ([`live`]) or a file ([`recording`]).
//! * [`interval`], [`quantile`]: what happened between two samples, as numbers; pure.
//! * [`region`], [`extents`]: parts of a disk, and which are a file's; [`trace`]: single I/Os, from a tracefs instance.
//! * [`style`], [`table`], [`json`]: how that is written; [`printable`]: without control characters.
//! * [`top`]: a screen that is always up to date.
//! * [`inflight`]: the I/Os in flight; [`slow`]: those that were slow; [`cgroup`]: accounts by cgroup;
//!   [`size`]: how large I/Os are.
//! * [`why`]: where the time goes, by rules; pure but for the settings of disks.
//! * `export`: metrics for Prometheus.
//! * [`cli`], [`commands`]: the options, and one file for each command; [`usage`]: errors in the options.

pub mod cgroup;
pub mod cli;
pub mod commands;
#[cfg(feature = "export")]
pub mod export;
pub mod extents;
pub mod inflight;
pub mod interval;
pub mod json;
pub mod kstat;
pub mod live;
pub mod names;
pub mod output;
pub mod printable;
pub mod quantile;
pub mod recording;
pub mod region;
pub mod sample;
pub mod signals;
pub mod size;
pub mod slow;
pub mod source;
pub mod style;
pub mod table;
pub mod ticker;
pub mod top;
pub mod trace;
pub mod usage;
pub mod why;
