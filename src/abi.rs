// SPDX-License-Identifier: GPL-2.0

//! Floor 0: the texts, messages and binary structures that users read and write.

#![forbid(unsafe_code)]
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod binary;
pub mod cgroup_text;
pub mod comm;
pub mod decimal;
pub mod event_text;
pub mod file_text;
pub mod identity;
pub mod inflight_text;
pub mod kstat_text;
pub mod latency;
pub mod map;
pub mod message;
pub mod mountinfo;
pub mod name;
pub mod out;
pub mod pager;
pub mod region_text;
pub mod size;
pub mod slow_text;
pub mod sort;
pub mod text;
