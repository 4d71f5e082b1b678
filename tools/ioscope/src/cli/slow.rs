// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope slow`.

use super::{Format, From};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Slow {
    /// Only I/Os that took at least MS milliseconds, from start to end
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
    /// Devices: by name, path, label or UUID
    #[arg(value_name = "DEVICE")]
    pub words: Vec<String>,
}
