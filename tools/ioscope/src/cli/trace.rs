// SPDX-License-Identifier: GPL-2.0

//! The options of the commands that read events.

use super::Format;
use clap::{Args, ValueEnum};

/// Which I/Os, and how output looks.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// I/Os to this device, or to a partition of it: a name, path, label or UUID
    #[arg(short, long = "device", value_name = "DEVICE", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// I/Os that this process or thread submitted
    #[arg(short, long)]
    pub pid: Option<u32>,
    /// I/Os that a thread of this name submitted
    #[arg(short, long, value_name = "NAME")]
    pub comm: Option<String>,
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
}

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
    /// Only I/Os that took at least MS milliseconds, from start to end
    #[arg(short = 'm', long, value_name = "MS")]
    pub longer: Option<f64>,
    #[command(flatten)]
    pub common: Common,
    /// Ends after so many seconds: else by SIGINT
    #[arg(value_name = "SECONDS")]
    pub seconds: Option<f64>,
}

/// What lines are made for: a line for each combination of the values of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// The device
    Device,
    /// The file
    File,
    /// The file system's type
    Fs,
    /// Where the file system is mounted
    Mount,
    /// The process
    Pid,
    /// The thread
    Thread,
    /// The name of the thread
    Comm,
    /// The user
    Uid,
    /// Of `ioscope waits`, the kernel's function that the thread waits in
    In,
}

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The most bytes
    Bytes,
    /// The most I/Os, or waits
    Count,
    /// The longest time in all
    Time,
}

#[derive(Args, Clone, Debug)]
pub struct Sums {
    /// Lines of a report: 0 for all, which JSON and CSV always have
    #[arg(short = 'n', long = "top", value_name = "LINES", default_value_t = 20)]
    pub top: usize,
    #[command(flatten)]
    pub common: Common,
    /// Seconds of a report: without it there is one, when SIGINT ends it
    #[arg(value_name = "INTERVAL")]
    pub interval: Option<f64>,
    /// How many reports there are
    #[arg(value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
}

#[derive(Args, Clone, Debug)]
pub struct Files {
    /// A line for each of these
    #[arg(
        long,
        value_enum,
        value_name = "KEYS",
        value_delimiter = ',',
        default_value = "device,file"
    )]
    pub by: Vec<By>,
    /// What comes first
    #[arg(short, long, value_enum, value_name = "ORDER", default_value = "bytes")]
    pub sort: Order,
    #[command(flatten)]
    pub sums: Sums,
}

#[derive(Args, Clone, Debug)]
pub struct Waits {
    /// A line for each of these
    #[arg(
        long,
        value_enum,
        value_name = "KEYS",
        value_delimiter = ',',
        default_value = "pid,comm,in,file"
    )]
    pub by: Vec<By>,
    /// What comes first
    #[arg(short, long, value_enum, value_name = "ORDER", default_value = "time")]
    pub sort: Order,
    #[command(flatten)]
    pub sums: Sums,
}
