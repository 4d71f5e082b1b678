// SPDX-License-Identifier: GPL-2.0

//! Who issued the I/Os of a disk, by the events of the io provider.

use crate::trace::event::{Event, Kind};
use crate::trace::sums::{self, Sum, Sums};

const BYTES_PER_SECTOR: u64 = 512;

/// The I/Os of one disk in an interval.
pub struct Traced {
    /// By process and name of the thread.
    by_process: Sums,
    /// By file system, mount and file.
    by_file: Sums,
    all: Sum,
    /// How many I/Os started.
    pub started: u64,
    /// How many of them where the one before ended.
    pub adjacent: u64,
    /// The bytes of these.
    pub adjacent_bytes: u64,
    end: Option<u64>,
}

/// One that has a part of the I/O.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The parts of its name.
    pub parts: Vec<String>,
    pub time_ns: u64,
    pub bytes: u64,
}

impl Default for Traced {
    fn default() -> Self {
        Traced {
            by_process: Sums::new(vec![sums::process, sums::comm]),
            by_file: Sums::new(vec![sums::fs, sums::mount, sums::file]),
            all: Sum::default(),
            started: 0,
            adjacent: 0,
            adjacent_bytes: 0,
            end: None,
        }
    }
}

impl Traced {
    pub fn add(&mut self, event: &Event) {
        self.by_process.add(event);
        self.by_file.add(event);
        self.all.add(event);
        let (Some(Kind::Start), Some(sector)) = (event.kind, event.sector) else {
            return;
        };
        let bytes = u64::from(event.bytes);
        self.started += 1;
        if self.end == Some(sector) && bytes != 0 {
            self.adjacent += 1;
            self.adjacent_bytes = self.adjacent_bytes.saturating_add(bytes);
        }
        self.end = Some(sector.saturating_add(bytes / BYTES_PER_SECTOR));
    }

    /// The times of all that ended, ns.
    pub fn time_ns(&self) -> u64 {
        self.all.time_ns
    }

    pub fn bytes(&self) -> u64 {
        self.all.bytes()
    }

    /// The process with the longest times.
    pub fn process(&self) -> Option<Who> {
        largest(&self.by_process)
    }

    /// The file with the longest times.
    pub fn file(&self) -> Option<Who> {
        largest(&self.by_file)
    }
}

fn largest(sums: &Sums) -> Option<Who> {
    let (key, sum) = sums.largest(|sum| sum.time_ns)?;
    Some(Who {
        parts: sums::parts(key).map(str::to_owned).collect(),
        time_ns: sum.time_ns,
        bytes: sum.bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::event::{parse, Line};

    fn add(traced: &mut Traced, line: &str) {
        match parse(line) {
            Line::Event(event) => traced.add(&event),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn who_took_most_of_the_time_is_first() {
        let mut traced = Traced::default();
        for (pid, sector, service_ns, path) in
            [(1, 0, 10, "/a"), (2, 8, 900, "/b"), (1, 100, 20, "/a")]
        {
            let rest = format!(
                "pid={pid} tgid={pid} uid=0 comm=c{pid} offset=0 fs=ext4 mount=/ path={path}"
            );
            let io = format!("id=1 dev=sda 8:0 flags=B_PHYS|B_READ blkno={sector} bcount=4096");
            add(
                &mut traced,
                &format!("a-1 [000] ..... 1.000001: start: {io} {rest}"),
            );
            add(
                &mut traced,
                &format!(
                    "a-1 [000] ..... 1.000002: done: {io} resid=0 error=0 outcome=completed wait_ns=0 \
                     service_ns={service_ns} {rest}"
                ),
            );
        }
        let who = |parts: &[&str], time_ns| Who {
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            time_ns,
            bytes: 4096,
        };
        assert_eq!(traced.process(), Some(who(&["2", "c2"], 900)));
        assert_eq!(traced.file(), Some(who(&["ext4", "/", "/b"], 900)));
        assert_eq!((traced.time_ns(), traced.bytes()), (930, 3 * 4096));
        assert_eq!((traced.started, traced.adjacent), (3, 1));
        assert_eq!(Traced::default().process(), None);
    }
}
