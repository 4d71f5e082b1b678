// SPDX-License-Identifier: GPL-2.0

//! `ioscope`: shows what iostat.ko records.

use clap::Parser;
use ioscope::cli::Cli;
use ioscope::commands::execute;
use ioscope::output::{is_closed_pipe, note};
use ioscope::usage::status;
use std::process::ExitCode;

fn main() -> ExitCode {
    match execute(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("{error:#}"));
            ExitCode::from(status(&error))
        }
    }
}
