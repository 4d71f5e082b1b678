// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope cgroups`.

use super::{Common, When};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Cgroups {
    /// Begin to keep accounts, and end: as root
    #[arg(long, group = "switch")]
    pub on: bool,
    /// Keep accounts no longer, and forget them: as root
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
