// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope top`.

use super::From;
use clap::{Args, ValueEnum};

/// Which devices come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The busiest
    #[default]
    Busy,
    /// The most operations
    Ops,
    /// The most bytes
    Bytes,
    /// The longest mean time of an operation
    Time,
    /// By name
    Name,
}

#[derive(Args, Clone, Debug)]
pub struct Top {
    /// Which devices come first
    #[arg(short, long, value_enum, default_value_t, value_name = "ORDER")]
    pub sort: Order,
    /// Leave out devices that did nothing
    #[arg(short, long)]
    pub zero: bool,
    /// Partitions too
    #[arg(short, long)]
    pub partitions: bool,
    #[command(flatten)]
    pub from: From,
    /// Seconds of an interval (1), after how many it ends, and devices: by name, path, label or UUID
    #[arg(value_name = "INTERVAL [COUNT]] [DEVICE")]
    pub words: Vec<String>,
}
