// SPDX-License-Identifier: GPL-2.0

//! A file for each command.

pub mod cgroups;
pub mod events;
#[cfg(feature = "export")]
pub mod export;
pub mod files;
pub mod heat;
pub mod inflight;
pub mod kstat;
pub mod lat;
pub mod record;
pub mod region;
pub mod show;
pub mod sizes;
pub mod slow;
pub mod snoop;
pub mod sums;
pub mod top;
pub mod traced;
pub mod waits;
pub mod why;

use crate::cli::{Cli, Command, Format, From, TimeForm, When, Words};
use crate::json::{self, Document};
use crate::live::Live;
use crate::output::Output;
use crate::recording::replay::{Part, Replay};
use crate::sample::Sample;
use crate::source::{Source, Want};
use crate::usage::usage;
use anyhow::{bail, Result};
use jiff::tz::TimeZone;
use jiff::Timestamp;

/// Does what the options say.
pub fn execute(cli: &Cli) -> Result<()> {
    match &cli.command {
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
        Some(Command::Export(options)) => export::export(options),
    }
}

/// Opens where samples come from. `each`: of a recording without an INTERVAL, each interval of it.
pub fn source(from: &From, each: bool) -> Result<Box<dyn Source>> {
    Ok(match recording(from, each)? {
        Some(replay) => Box::new(replay),
        None => Box::new(Live::new()?),
    })
}

/// Opens the recording that the options name, if they name one.
pub fn recording(from: &From, each: bool) -> Result<Option<Replay>> {
    let Some(path) = &from.replay else {
        return match from.is_of_recording() {
            true => Err(usage(
                "--at, --from and --to need a recording: add --replay FILE",
            )),
            false => Ok(None),
        };
    };
    let part = Part {
        at: from.at.clone(),
        from: from.from.clone(),
        to: from.to.clone(),
    };
    Replay::open(path, &part, each).map(Some)
}

/// Writes the intervals between samples.
pub trait Reporter {
    /// What happened from one sample to the next; without `from`, since counting began.
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()>;

    /// The form of what is written.
    fn format(&self) -> Format;

    /// Where JSON is written.
    fn document(&mut self) -> &mut Document;

    /// The lines of a summary.
    fn sum(&mut self, out: &mut Output, from: &Sample, to: &Sample) -> Result<()> {
        self.report(out, Some(from), to)
    }

    /// The same of all the time that was reported, when the user ends it: for people alone.
    fn summary(&mut self, out: &mut Output, from: &Sample, to: &Sample) -> Result<()> {
        if self.format() != Format::Table {
            return Ok(());
        }
        let by_wall_clock = || to.wall_ns.saturating_sub(from.wall_ns).unsigned_abs();
        let ns = to.ns_since(from).unwrap_or_else(by_wall_clock);
        out.line("")?;
        out.line(&format!("summary of {:.3} s:", ns as f64 / 1e9))?;
        out.new_screen();
        self.sum(out, from, to)
    }

    /// No report follows.
    fn end(&mut self, out: &mut Output) -> Result<()> {
        match self.format() {
            Format::Json => self.document().end(out),
            Format::Table | Format::Csv => Ok(()),
        }
    }
}

/// Takes samples and has `reporter` write what is between them, as many times and for as long as `words` say.
pub fn run(
    source: &mut dyn Source,
    when: &When,
    words: &Words,
    want: Want,
    out: &mut Output,
    reporter: &mut dyn Reporter,
) -> Result<()> {
    let is_recorded = source.is_recorded();
    if when.no_first && words.interval.is_none() && !is_recorded {
        bail!("-Y omits the first report, and without an INTERVAL there is no other: leave out -Y, or give an INTERVAL");
    }
    let selection = source.selection(&words.devices, when.partitions)?;
    source.choose(selection, want);
    let first = source.first(words.interval)?;
    let mut left = words.count.unwrap_or(match words.interval {
        None if !is_recorded => 1,
        _ => u64::MAX,
    });
    let mut reports = 0u64;
    // Of a recording the question is what happened in it.
    if !when.no_first && !is_recorded {
        reporter.report(out, None, &first)?;
        out.flush()?;
        left -= 1;
    }
    let mut last = None;
    while left != 0 {
        let Some(sample) = source.next()? else {
            break;
        };
        reporter.report(out, Some(last.as_ref().unwrap_or(&first)), &sample)?;
        out.flush()?;
        last = Some(sample);
        reports += 1;
        left -= 1;
    }
    if let Some(last) = last.filter(|_| left != 0 && reports > 1 && !is_recorded) {
        reporter.summary(out, &first, &last)?;
    }
    reporter.end(out)?;
    out.flush()
}

/// The line with the time, if there is one.
pub fn time_line(out: &mut Output, form: Option<TimeForm>, wall_ns: i64) -> Result<()> {
    let Some(form) = form else {
        return Ok(());
    };
    let text = match form {
        TimeForm::Iso => json::time(wall_ns),
        TimeForm::U => wall_ns.div_euclid(1_000_000_000).to_string(),
        TimeForm::D => match Timestamp::from_nanosecond(wall_ns.into()) {
            Ok(time) => {
                let local = time.to_zoned(TimeZone::system());
                local.strftime("%a %b %e %H:%M:%S %Z %Y").to_string()
            }
            Err(_) => "-".to_owned(),
        },
    };
    out.line(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::status;
    use clap::Parser;

    fn status_of(line: &str) -> Option<i32> {
        match Cli::try_parse_from(line.split(' ')) {
            Err(error) => Some(error.exit_code()),
            Ok(cli) => execute(&cli).err().map(|error| status(&error).into()),
        }
    }

    #[test]
    fn invalid_options_are_wrong_usage() {
        for line in [
            "ioscope --nothing",
            "ioscope lat -q 50,101",
            "ioscope lat -q x",
            "ioscope snoop -m -1",
            "ioscope snoop -m=-1",
            "ioscope files --by in",
            "ioscope files --by file,file",
            "ioscope kstat -m [",
            "ioscope region create --size 100b sda",
            "ioscope region create --range 5 sda",
            "ioscope region create --bounds 1h sda",
            "ioscope region create --bounds x sda",
            "ioscope region print --fields no_such",
            "ioscope region print --fields util -o json",
            "ioscope --at 12:00",
            "ioscope slow --to 12:00",
            "ioscope heat --from 12:00 sda",
            "ioscope --replay /nonexistent --at noon",
            "ioscope --replay /nonexistent --from noon",
            "ioscope slow --replay /nonexistent --to noon",
            #[cfg(feature = "export")]
            "ioscope export --listen 127.0.0.1:0 --interval 0",
        ] {
            assert_eq!(status_of(line), Some(2), "{line}");
        }
    }

    #[test]
    fn an_invalid_operand_is_an_error() {
        for line in [
            "ioscope 0",
            "ioscope 1 0",
            "ioscope snoop 0",
            "ioscope files 0",
            "ioscope kstat [",
            "ioscope region resize sda 0 x",
            "ioscope --replay /nonexistent --at 12:00",
        ] {
            assert_eq!(status_of(line), Some(1), "{line}");
        }
    }
}
