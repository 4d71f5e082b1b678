// SPDX-License-Identifier: GPL-2.0

//! The options.

pub mod cgroups;
#[cfg(feature = "export")]
pub mod export;
pub mod inflight;
pub mod region;
pub mod sizes;
pub mod slow;
pub mod top;
pub mod trace;

use anyhow::{bail, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

const EXIT: &str = "\
Exit status: 0 if all was shown, also if SIGINT ended it or the output is a pipe that was closed; 1 if it could not \
be, or an operand is invalid, with one sentence that says why; 2 if an option or command is not known, or its value is invalid.";

/// Shows the I/O statistics that iostat.ko records.
///
/// Without a command: a line for each device, as `ioscope show`. The first report is of the time since the module was
/// loaded (or the device came), each other one of its interval.
#[derive(Debug, Parser)]
#[command(name = "ioscope", version, after_help = EXIT, subcommand_negates_reqs = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub show: Show,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// A line for each device
    #[command(after_help = EXIT)]
    Show(Show),
    /// A screen of devices, times, files and processes that is always up to date
    #[command(after_help = EXIT)]
    Top(top::Top),
    /// How long I/O takes: percentiles and histograms of an interval
    #[command(after_help = EXIT)]
    Lat(Lat),
    /// How large I/Os are: histograms, as bitesize prints them
    #[command(after_help = EXIT)]
    Sizes(sizes::Sizes),
    /// Statistics of parts of a disk, with the fields of dmstats
    #[command(subcommand, after_help = EXIT)]
    Region(region::RegionCommand),
    /// Where on a disk its I/O goes: a row for each interval, a character for each area
    #[command(after_help = EXIT)]
    Heat(region::Heat),
    /// Kernel statistics, as kstat(8) of illumos shows them
    #[command(after_help = EXIT)]
    Kstat(Kstat),
    /// Event counters, as NetBSD's vmstat -e shows them
    #[command(after_help = EXIT)]
    Events(Events),
    /// Each I/O, as biosnoop prints it
    #[command(after_help = EXIT)]
    Snoop(trace::Snoop),
    /// Bytes and times by file, process or user
    ///
    /// Bytes are those that were requested, each once, with the file and the process that they are of. Times and
    /// errors are of I/Os as the disk has them: if bios of several files were merged into one, of the first file.
    #[command(after_help = EXIT)]
    Files(trace::Files),
    /// How long threads waited for I/O, by process, function and file
    ///
    /// Times are of waits that ended, each from its beginning.
    #[command(after_help = EXIT)]
    Waits(trace::Waits),
    /// The I/Os that are in flight now, the oldest first: also of a disk that hangs
    ///
    /// A line has the phase (waiting for the driver, or running at the device), the age, and the time at the device until
    /// now. Operations, sectors and bytes are shown to root only.
    #[command(name = "inflight", after_help = EXIT)]
    InFlight(inflight::InFlight),
    /// The latest I/Os of each disk that were slow: from 500 ms on, unless another threshold is set
    ///
    /// A line has the time at which it ended, its times in both queues, the errno that it ended with, and how many others were
    /// in the queues then. Operations, sectors, bytes and submitters are shown to root only. The module's clock stands still
    /// while the system is suspended: the time of an I/O that ended before is too late by as much.
    #[command(after_help = EXIT)]
    Slow(slow::Slow),
    /// Which cgroup does how much I/O on which disk, and how long it takes
    ///
    /// The accounts are equal to io.stat of the kernel, buffered writes included, and have times as well. They have to be
    /// switched on. Numbers are those of the interval, of the first report those since then: transactions, kB, means from
    /// start to end and at the device in ms, the 99th percentile, and the part of the device's time that was the cgroup's.
    #[command(after_help = EXIT)]
    Cgroups(cgroups::Cgroups),
    /// Where the time of I/Os goes, in sentences with the numbers that they rest on
    ///
    /// Of a disk whose times are long it says what that is of: waits for a tag, the queue, the device (beside its own
    /// earlier times), splits, I/Os that are not merged, flushes, errors, a disk below it, and who issues most of its
    /// I/O. Processes and files are known to root only, and not of a recording.
    #[command(after_help = EXIT)]
    Why(Why),
    /// Writes samples of everything to a file, which the commands that have --replay read
    ///
    /// A sample has the counters, times and sizes of all devices, regions of at most 262144 areas together, kstats, events, what is in
    /// flight, slow I/Os, and accounts by cgroup while they are on. Other single I/Os are not recorded.
    #[command(after_help = EXIT)]
    Record(Record),
    /// Shows what was recorded, interval by interval
    #[command(after_help = EXIT)]
    Replay(ReplayFile),
    /// Metrics for Prometheus, by HTTP or in a file for node_exporter, and a page for a browser
    ///
    /// Counters are those of the kernel, and histograms have its buckets: classic ones, and in the protobuf format native
    /// ones too. If the module is not loaded, iostat_up is 0 and there is nothing else.
    #[cfg(feature = "export")]
    #[command(after_help = EXIT)]
    Export(export::Export),
}

/// How output looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Lines for people
    #[default]
    Table,
    /// One array; with -1 an object on each line
    Json,
    /// RFC 4180
    Csv,
}

#[derive(Args, Clone, Debug)]
pub struct Common {
    /// The form of the output
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: Format,
    /// Of JSON, an object on each line
    #[arg(short = '1', long)]
    pub lines: bool,
    /// No headings
    #[arg(short = 'H', long)]
    pub no_headings: bool,
    /// The time before each report
    #[arg(short = 'T', long, value_enum, value_name = "FORM")]
    pub time: Option<TimeForm>,
    #[command(flatten)]
    pub from: From,
}

/// What is read: the module, or a recording.
#[derive(Args, Clone, Debug, Default)]
pub struct From {
    /// Read a recording in place of the module: all of it is one interval, unless there is an INTERVAL
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Of a recording, the interval that this time is in
    #[arg(long, value_name = "TIME", conflicts_with_all = ["from", "to"])]
    pub at: Option<String>,
    /// Of a recording, from this time on: 2026-11-22T12:00:00Z, "2026-11-22 12:00" or 12:00
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Of a recording, up to this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
}

impl From {
    /// Whether what is read is past.
    pub fn is_of_recording(&self) -> bool {
        self.replay.is_some() || self.at.is_some() || self.from.is_some() || self.to.is_some()
    }
}

/// The time before a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeForm {
    /// As date(1) writes it
    D,
    /// Seconds since 1970
    U,
    /// RFC 3339, in UTC
    Iso,
}

/// Which devices, and when.
#[derive(Args, Clone, Debug)]
pub struct When {
    /// Leave out the first report, of the time since the module was loaded
    #[arg(short = 'Y', long)]
    pub no_first: bool,
    /// Leave out devices that did nothing
    #[arg(short, long)]
    pub zero: bool,
    /// Partitions too
    #[arg(short, long)]
    pub partitions: bool,
    /// Seconds of an interval, how many reports there are, and devices: by name, path, label or UUID
    #[arg(value_name = "INTERVAL [COUNT]] [DEVICE")]
    pub words: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Show {
    /// The columns of sysstat's iostat -x
    #[arg(short = 'x', long, group = "style")]
    pub sysstat: bool,
    /// The columns of FreeBSD's gstat
    #[arg(short, long, group = "style")]
    pub gstat: bool,
    /// The columns of FreeBSD's iostat -x
    #[arg(short, long, group = "style")]
    pub freebsd: bool,
    /// The columns of illumos' iostat -xn
    #[arg(short = 's', long, group = "style")]
    pub illumos: bool,
    /// The columns of NetBSD's iostat -y
    #[arg(short = 'y', long, group = "style")]
    pub netbsd: bool,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub when: When,
}

/// A class of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Class {
    None = 0,
    Read = 1,
    Write = 2,
    Free = 3,
}

/// A part of the time that an I/O takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Phase {
    /// Before the device began
    Wait = 0,
    /// At the device
    Service = 1,
    /// Both
    Total = 2,
}

#[derive(Args, Clone, Debug)]
pub struct Lat {
    /// A histogram of each disk, as biolatency -D prints it
    #[arg(short = 'D', long)]
    pub histogram: bool,
    /// Of a histogram, the time in the queue too, as biolatency -Q
    #[arg(short = 'Q', long, requires = "histogram")]
    pub queued: bool,
    /// A histogram of each class of I/O, as biolatency -F by flags
    #[arg(short = 'F', long, requires = "histogram")]
    pub by_class: bool,
    /// Fold the buckets of a histogram, of which an octave has four, to one an octave
    #[arg(short = '2', long, requires = "histogram")]
    pub fold: bool,
    /// Only these classes
    #[arg(
        short,
        long = "class",
        value_enum,
        value_delimiter = ',',
        value_name = "CLASS"
    )]
    pub classes: Vec<Class>,
    /// These parts of the time
    #[arg(
        short = 'P',
        long = "phase",
        value_enum,
        value_delimiter = ',',
        value_name = "PHASE"
    )]
    pub phases: Vec<Phase>,
    /// These percentiles
    #[arg(short, long, value_delimiter = ',', value_name = "PERCENT", default_values_t = [50.0, 99.0, 99.9])]
    pub quantiles: Vec<f64>,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub when: When,
}

#[derive(Args, Clone, Debug)]
pub struct Events {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub when: When,
}

#[derive(Args, Clone, Debug)]
pub struct Why {
    /// Read no events of single I/Os, which cost a little: then processes and files are not known
    #[arg(short = 'E', long)]
    pub no_events: bool,
    #[command(flatten)]
    pub common: Common,
    /// Seconds of the interval, 5 without; how many reports there are, 1 without; and devices, before or behind them
    #[arg(value_name = "INTERVAL [COUNT]] [DEVICE")]
    pub words: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct Record {
    /// Go on with the file, if there is one
    #[arg(short, long)]
    pub append: bool,
    /// Keep a region of NUMBER areas on each disk until the end, for ioscope heat. Requires root.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub areas: Option<u64>,
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Seconds between samples
    #[arg(value_name = "INTERVAL", default_value = "10")]
    pub interval: String,
    /// How many samples there are: else until it is ended
    #[arg(value_name = "COUNT")]
    pub count: Option<u64>,
}

#[derive(Args, Clone, Debug)]
pub struct ReplayFile {
    /// The file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub show: Show,
}

#[derive(Args, Clone, Debug)]
pub struct Kstat {
    /// Lines of module:instance:name:statistic, a tab, and the value
    #[arg(short, long)]
    pub parseable: bool,
    /// JSON, as kstat -j of illumos
    #[arg(short, long, conflicts_with = "parseable")]
    pub json: bool,
    /// Names alone
    #[arg(short, long)]
    pub list: bool,
    /// Of these modules: a name, or a pattern as a shell's
    #[arg(short, long, value_name = "PATTERN")]
    pub module: Option<String>,
    /// Of this instance
    #[arg(short, long, value_name = "PATTERN")]
    pub instance: Option<String>,
    /// Of these names
    #[arg(short, long, value_name = "PATTERN")]
    pub name: Option<String>,
    /// These statistics
    #[arg(short, long, value_name = "PATTERN")]
    pub statistic: Option<String>,
    /// Of these classes
    #[arg(short, long, value_name = "PATTERN")]
    pub class: Option<String>,
    #[command(flatten)]
    pub from: From,
    /// Seconds of an interval, how many there are, and module:instance:name:statistic, of which each part is a
    /// pattern or empty
    #[arg(value_name = "INTERVAL [COUNT]] [MODULE:INSTANCE:NAME:STATISTIC")]
    pub words: Vec<String>,
}

/// What the words behind the options say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    pub interval: Option<Duration>,
    pub count: Option<u64>,
    pub devices: Vec<String>,
}

impl Words {
    /// A number first is the interval, a second one the count; all others are devices.
    pub fn new(words: &[String]) -> Result<Self> {
        let mut result = Words::default();
        let mut words = words.iter().peekable();
        if let Some(seconds) = words.peek().and_then(|word| word.parse::<f64>().ok()) {
            words.next();
            if !(0.01..=1e6).contains(&seconds) {
                bail!("an interval is from 0.01 to 1000000 seconds");
            }
            result.interval = Some(Duration::from_secs_f64(seconds));
            if let Some(count) = words.peek().and_then(|word| word.parse::<u64>().ok()) {
                words.next();
                if count == 0 {
                    bail!("a count is 1 or more");
                }
                result.count = Some(count);
            }
        }
        result.devices = words.cloned().collect();
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn options_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn numbers_come_before_devices() -> Result<()> {
        let words = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            Words::new(&words)
        };
        assert_eq!(words("")?, Words::default());
        let all = words("0.5 10 sda 7")?;
        assert_eq!(all.interval, Some(Duration::from_millis(500)));
        assert_eq!(
            (all.count, all.devices),
            (Some(10), vec!["sda".into(), "7".into()])
        );
        let one = words("sda 5")?;
        assert_eq!((one.interval, one.devices.len()), (None, 2));
        for wrong in ["0", "-1", "nan", "inf", "1 0"] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
