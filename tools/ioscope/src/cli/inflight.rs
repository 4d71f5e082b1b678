// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope inflight`.

use super::{Format, From};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct InFlight {
    /// A line for each device that has I/Os in flight: how many, and the age of the oldest
    #[arg(short, long)]
    pub summary: bool,
    /// Only I/Os that are at least MS milliseconds old
    #[arg(short = 'm', long, value_name = "MS")]
    pub longer: Option<f64>,
    /// The form of the output
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: Format,
    /// Of JSON, an object on each line
    #[arg(short = '1', long)]
    pub lines: bool,
    /// No headings
    #[arg(short = 'H', long)]
    pub no_headings: bool,
    #[command(flatten)]
    pub from: From,
    /// Seconds between lists, how many there are, and devices: by name, path, label or UUID
    #[arg(value_name = "INTERVAL [COUNT]] [DEVICE")]
    pub words: Vec<String>,
}
