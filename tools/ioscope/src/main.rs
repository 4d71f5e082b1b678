// SPDX-License-Identifier: GPL-2.0

//! `ioscope`: shows what iostat.ko records.

use clap::Parser;
use ioscope::cli::{Cli, Command};
use ioscope::commands::{
    cgroups, events, files, heat, inflight, kstat, lat, record, region, show, sizes, slow, snoop,
    top, waits, why,
};
use ioscope::output::{is_closed_pipe, note};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match &cli.command {
        None => show::show(&cli.show, false),
        Some(Command::Show(options)) => show::show(options, false),
        Some(Command::Top(options)) => top::top(options),
        Some(Command::Lat(options)) => lat::lat(options),
        Some(Command::Sizes(options)) => sizes::sizes(options),
        Some(Command::Region(command)) => region::region(command),
        Some(Command::Heat(options)) => heat::heat(options),
        Some(Command::Kstat(options)) => kstat::kstat(options),
        Some(Command::Events(options)) => events::events(options),
        Some(Command::Snoop(options)) => snoop::snoop(options),
        Some(Command::Files(options)) => files::files(options),
        Some(Command::Waits(options)) => waits::waits(options),
        Some(Command::InFlight(options)) => inflight::inflight(options),
        Some(Command::Slow(options)) => slow::slow(options),
        Some(Command::Cgroups(options)) => cgroups::cgroups(options),
        Some(Command::Why(options)) => why::why(options),
        Some(Command::Record(options)) => record::record(options),
        Some(Command::Replay(options)) => record::replay(options),
        #[cfg(feature = "export")]
        Some(Command::Export(options)) => ioscope::commands::export::export(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
