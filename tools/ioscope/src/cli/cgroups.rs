// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope cgroups`.

use super::{Common, When};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Cgroups {
    /// Enable accounts by cgroup, then exit. Requires root.
    #[arg(long, group = "switch")]
    pub on: bool,
    /// Disable accounts by cgroup and delete them, then exit. Requires root.
    #[arg(long, group = "switch")]
    pub off: bool,
    /// A line for each cgroup, of all disks together
    #[arg(short, long)]
    pub summary: bool,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub when: When,
}
