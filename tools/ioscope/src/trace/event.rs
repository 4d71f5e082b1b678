// SPDX-License-Identifier: GPL-2.0

//! An event of the io provider, from its line in `trace_pipe`.
//!
//! The kernel writes each byte of a name that could end a field in octal, so that a space ends each field. What is
//! before an event is the name of the thread that ran then, in which any byte may be: it has 15 bytes at most, too
//! few to be taken for the rest.

use crate::printable::octal;

/// Which event of the io provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Start,
    Merge,
    Done,
    WaitStart,
    WaitDone,
}

const NAMES: [(&str, Kind); 5] = [
    ("start", Kind::Start),
    ("merge", Kind::Merge),
    ("done", Kind::Done),
    ("wait_start", Kind::WaitStart),
    ("wait_done", Kind::WaitDone),
];

impl Kind {
    /// As tracefs names it.
    pub fn name(self) -> &'static str {
        let mut names = NAMES.iter();
        let found = names.find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Read,
    Write,
    /// There is none: a flush, a discard.
    None,
}

/// Members that are not of this kind of event are 0 or empty. Texts are as the kernel writes them, with a space, a control
/// character and a backslash in octal. [`super::Trace`] also writes U+0080 to U+009F in octal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event<'a> {
    /// Of CLOCK_MONOTONIC, whole microseconds.
    pub time_ns: u64,
    pub kind: Option<Kind>,
    pub id: u64,
    pub device: &'a str,
    pub major: u32,
    pub minor: u32,
    flags: &'a str,
    /// Of 512 bytes, on the whole disk.
    pub sector: Option<u64>,
    pub bytes: u32,
    pub resid: u32,
    pub error: i32,
    pub outcome: &'a str,
    pub wait_ns: u64,
    pub service_ns: u64,
    /// The function that the thread waits in.
    pub function: &'a str,
    /// The thread.
    pub pid: u32,
    /// Its process.
    pub tgid: u32,
    pub uid: u32,
    pub comm: &'a str,
    /// Where in the file.
    pub offset: Option<i64>,
    pub fs: &'a str,
    pub mount: &'a str,
    pub path: &'a str,
}

/// What a line is. It is looked at and dropped: a box for each event would cost more than its size.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    Event(Event<'a>),
    /// An event of the io provider that has not the members which it has to have.
    Invalid,
    /// Any other: the kernel's own on lost events, a part of the name of a thread with a new line in it.
    Other,
}

/// The event of a line.
pub fn parse(line: &str) -> Line<'_> {
    let starts = line.match_indices(" [").map(|(at, _)| &line[at + 2..]);
    for rest in starts {
        if let Some((time_ns, kind, members)) = heading(rest) {
            return match event(time_ns, kind, members) {
                Some(event) => Line::Event(event),
                None => Line::Invalid,
            };
        }
    }
    Line::Other
}

/// `001] d.h1.    22.495659: done: id=...`, from behind the bracket: when and what, and the members.
fn heading(text: &str) -> Option<(u64, Kind, &str)> {
    let (cpu, rest) = text.split_once("] ")?;
    let (_flags, rest) = rest.split_once(' ')?;
    let (time, rest) = rest.trim_start().split_once(": ")?;
    let (name, members) = rest.split_once(": ")?;
    let (seconds, us) = time.split_once('.')?;
    if cpu.parse::<u32>().is_err() || us.len() != 6 || !members.starts_with("id=") {
        return None;
    }
    let us = seconds
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(us.parse().ok()?)?;
    let (_, kind) = NAMES.iter().find(|(known, _)| *known == name)?;
    Some((us.checked_mul(1000)?, *kind, members))
}

fn event(time_ns: u64, kind: Kind, members: &str) -> Option<Event<'_>> {
    let mut event = Event {
        time_ns,
        kind: Some(kind),
        ..Event::default()
    };
    let (mut has_times, mut has_number) = (false, false);
    let mut is_whole = false;
    for member in members.split(' ') {
        // Of all members, the device's number alone has no name.
        let Some((name, value)) = member.split_once('=') else {
            let (major, minor) = member.split_once(':')?;
            (event.major, event.minor) = (major.parse().ok()?, minor.parse().ok()?);
            has_number = true;
            continue;
        };
        match name {
            "id" => event.id = value.parse().ok()?,
            "dev" => event.device = value,
            "flags" => event.flags = value,
            // -1 if it is not known.
            "blkno" => event.sector = u64::try_from(value.parse::<i128>().ok()?).ok(),
            "bcount" => event.bytes = value.parse().ok()?,
            "resid" => event.resid = value.parse().ok()?,
            "error" => event.error = value.parse().ok()?,
            "outcome" => event.outcome = value,
            "wait_ns" => {
                event.wait_ns = value.parse().ok()?;
                has_times = true;
            }
            "service_ns" => event.service_ns = value.parse().ok()?,
            "in" => event.function = value,
            "pid" => event.pid = value.parse().ok()?,
            "tgid" => event.tgid = value.parse().ok()?,
            "uid" => event.uid = value.parse().ok()?,
            "comm" => event.comm = value,
            "offset" => event.offset = Some(value.parse().ok()?).filter(|at| *at >= 0),
            "fs" => event.fs = value,
            "mount" => event.mount = value,
            // The last.
            "path" => {
                event.path = value;
                is_whole = true;
            }
            _ => {}
        }
    }
    let wants_times = matches!(kind, Kind::Done | Kind::WaitDone);
    (is_whole && has_number && has_times == wants_times).then_some(event)
}

impl Event<'_> {
    fn has(&self, flag: &str) -> bool {
        self.flags.split('|').any(|has| has == flag)
    }

    pub fn class(&self) -> Class {
        // Of one that started before the events were on, whether it has data is not known.
        let has_data = self.has("B_PAGEIO") || self.has("B_PHYS") || self.path == "<unknown>";
        match (self.has("B_READ"), has_data) {
            (true, _) => Class::Read,
            (false, true) => Class::Write,
            (false, false) => Class::None,
        }
    }

    /// Of a done: bytes that were transferred.
    pub fn transferred(&self) -> u32 {
        self.bytes.saturating_sub(self.resid)
    }

    pub fn total_ns(&self) -> u64 {
        self.wait_ns.saturating_add(self.service_ns)
    }
}

/// A text as events have it after that.
pub fn escaped(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match c {
            ' ' | '\\' => octal(c, &mut result),
            _ if c.is_control() => octal(c, &mut result),
            _ => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = "          <idle>-0       [001] d.h1.    22.495659: done: id=1 dev=nbe 253:0 \
                        flags=B_DONE|B_PHYS|B_READ blkno=8 bcount=4096 resid=512 error=-5 outcome=completed \
                        wait_ns=9113589 service_ns=1503534 pid=154 tgid=153 uid=7 comm=a\\040b offset=65536 \
                        fs=devtmpfs mount=/dev path=/dev/a=b";

    fn parsed(line: &str) -> Event<'_> {
        match parse(line) {
            Line::Event(event) => event,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn all_members_of_a_done_are_read() {
        let event = parsed(DONE);
        let expected = Event {
            time_ns: 22_495_659_000,
            kind: Some(Kind::Done),
            id: 1,
            device: "nbe",
            major: 253,
            minor: 0,
            flags: "B_DONE|B_PHYS|B_READ",
            sector: Some(8),
            bytes: 4096,
            resid: 512,
            error: -5,
            outcome: "completed",
            wait_ns: 9_113_589,
            service_ns: 1_503_534,
            function: "",
            pid: 154,
            tgid: 153,
            uid: 7,
            comm: "a\\040b",
            offset: Some(65536),
            fs: "devtmpfs",
            mount: "/dev",
            path: "/dev/a=b",
        };
        assert_eq!(event, expected);
        assert_eq!((event.class(), event.transferred()), (Class::Read, 3584));
    }

    #[test]
    fn the_thread_that_ran_may_have_any_name() {
        for name in [
            "x [0] ..... 1.1",
            ": done: id=1 d",
            "[1] a b: c: id=",
            "",
            "\u{e9} [2] ",
        ] {
            let line = DONE.replacen("<idle>", name, 1);
            assert_eq!(parsed(&line).time_ns, 22_495_659_000, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_is_no_number() {
        let line = "dd-1 [000] ..... 1.000001: wait_done: id=7 dev=<none> 0:0 flags=B_READ blkno=-1 bcount=4096 \
                    in=io_schedule wait_ns=5 pid=1 tgid=1 uid=0 comm=dd offset=-1 fs=ext4 mount=/ path=/a";
        let event = parsed(line);
        assert_eq!((event.sector, event.offset), (None, None));
        assert_eq!((event.function, event.wait_ns), ("io_schedule", 5));
        let unsigned = line.replace("blkno=-1", "blkno=18446744073709551615");
        assert_eq!(parsed(&unsigned).sector, Some(u64::MAX));
    }

    #[test]
    fn lines_that_are_no_events_are_left_out() {
        for line in [
            "CPU:1 [LOST 13 EVENTS]",
            "",
            "##### CPU 1 buffer started ####",
            "a [0] b: c",
        ] {
            assert_eq!(parse(line), Line::Other, "{line}");
        }
        // Cut off anywhere in its members.
        let members = DONE.find("dev=").unwrap_or(0);
        for cut in members..DONE.len() - " path=/dev/a=b".len() {
            assert_eq!(parse(&DONE[..cut]), Line::Invalid, "{}", &DONE[..cut]);
        }
        assert_eq!(parse(&DONE.replace("wait_ns=9113589 ", "")), Line::Invalid);
    }

    #[test]
    fn names_are_escaped_as_the_kernel_does_it() {
        assert_eq!(
            escaped("a b\\\n\u{e9}\u{9b}\x7f"),
            "a\\040b\\134\\012\u{e9}\\302\\233\\177"
        );
    }

    #[test]
    fn no_line_is_too_strange() {
        use proptest::prelude::*;
        let strange = "[ -~]{0,40}( \\[[0-9]{1,3}\\] .{0,8} [0-9]{0,3}\\.[0-9]{6}: (done|start): id=.{0,60})?";
        proptest!(|(line in strange)| {
            parse(&line);
        });
    }
}
