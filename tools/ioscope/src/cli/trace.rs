// SPDX-License-Identifier: GPL-2.0

//! The options of the commands that read events.

use super::Format;
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Snoop {
    /// The time in the queue too
    #[arg(short = 'Q', long)]
    pub queued: bool,
    /// The file too
    #[arg(long)]
    pub file: bool,
    /// The time of day of its start and of its end too
    #[arg(short, long)]
    pub timestamps: bool,
    /// A line when an I/O starts, too
    #[arg(short, long)]
    pub starts: bool,
    /// Also what ended without being tried: merged into another I/O, or refused by the disk below, to be sent again
    #[arg(short, long)]
    pub all: bool,
    /// I/Os to this device, or to a partition of it: a name, path, label or UUID
    #[arg(short, long = "device", value_name = "DEVICE", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// I/Os that this process or thread submitted
    #[arg(short, long)]
    pub pid: Option<u32>,
    /// I/Os that a thread of this name submitted
    #[arg(short, long, value_name = "NAME")]
    pub comm: Option<String>,
    /// I/Os that took this long, from start to end
    #[arg(short = 'm', long, value_name = "MS")]
    pub longer: Option<f64>,
    /// Memory for events, for each CPU
    #[arg(short, long, value_name = "KIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(64..))]
    pub buffer: u32,
    /// The form of the output
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: Format,
    /// Of JSON, an object on each line
    #[arg(short = '1', long)]
    pub lines: bool,
    /// No headings
    #[arg(short = 'H', long)]
    pub no_headings: bool,
    /// Ends after so many seconds: else by SIGINT
    #[arg(value_name = "SECONDS")]
    pub seconds: Option<f64>,
}
