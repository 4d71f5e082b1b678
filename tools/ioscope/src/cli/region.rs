// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope region` and `ioscope heat`.

use super::{Common, From};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum RegionCommand {
    /// Makes a region, and prints its number
    Create(RegionCreate),
    /// The regions there are
    List(RegionReport),
    /// What their areas have counted
    Print(RegionReport),
    /// Rates and mean times of an interval, with the fields of dmstats
    Report(RegionReport),
    /// Counts from zero
    Clear(RegionChange),
    /// Ends a region
    Delete(RegionChange),
    /// Gives a region another range, and keeps what the areas in both have counted
    Resize {
        #[command(flatten)]
        change: RegionChange,
        /// START+LENGTH in sectors, or with a unit: 0+64M
        range: String,
    },
}

#[derive(Args, Debug)]
pub struct RegionCreate {
    /// The disk or partition
    pub device: String,
    /// START+LENGTH in sectors, or with a unit: 0+64M. All of it without
    #[arg(short, long)]
    pub range: Option<String>,
    /// In so many areas
    #[arg(short, long, value_name = "NUMBER", conflicts_with = "size")]
    pub areas: Option<u64>,
    /// In areas of this size: sectors, or with a unit: 64k
    #[arg(short, long)]
    pub size: Option<String>,
    /// Keep a histogram with these bounds: ms, or with a unit: 100us,1ms,10ms
    #[arg(short, long, value_delimiter = ',', value_name = "BOUND")]
    pub bounds: Vec<String>,
    /// Count each class of I/O by itself too
    #[arg(short, long)]
    pub classes: bool,
}

#[derive(Args, Debug)]
pub struct RegionChange {
    /// The disk or partition
    pub device: String,
    /// The region's number
    pub id: u32,
}

#[derive(Args, Debug)]
pub struct RegionReport {
    /// Of this region alone
    #[arg(short, long, value_name = "NUMBER")]
    pub id: Option<u32>,
    /// Those of other programs too
    #[arg(short, long)]
    pub all_programs: bool,
    /// These columns, by the names that dmstats report -o has for them
    #[arg(short, long, value_delimiter = ',', value_name = "FIELD")]
    pub fields: Vec<String>,
    #[command(flatten)]
    pub common: Common,
    /// Seconds of an interval, how many reports there are, and devices
    #[arg(value_name = "INTERVAL [COUNT]] [DEVICE")]
    pub words: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Heat {
    /// How many areas, each of which is a character
    #[arg(short, long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub areas: u64,
    /// No headings
    #[arg(short = 'H', long)]
    pub no_headings: bool,
    /// DEVICE is a file: a map of its extents, in the order that they have in the file
    #[arg(short, long, conflicts_with = "replay")]
    pub file: bool,
    /// Of a recording, this region: without, that of the device with the most areas
    #[arg(short, long, value_name = "NUMBER", requires = "replay")]
    pub id: Option<u32>,
    #[command(flatten)]
    pub from: From,
    /// The disk or partition
    pub device: String,
    /// Seconds of an interval, and how many there are
    #[arg(value_name = "INTERVAL [COUNT]")]
    pub words: Vec<String>,
}
