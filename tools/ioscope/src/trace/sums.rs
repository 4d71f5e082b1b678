// SPDX-License-Identifier: GPL-2.0

//! Sums of events by what they have in common.

use super::event::{Class, Event, Kind};
use std::collections::HashMap;
use std::fmt::Write;

/// What stands between the parts of a key: the kernel writes it in octal if a text has it.
const BETWEEN: char = '\t';

/// What the events of one key have added up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Bios that read, write, and have no data. Of waits, those for such I/O.
    pub reads: u64,
    pub writes: u64,
    pub others: u64,
    pub read_bytes: u64,
    pub written_bytes: u64,
    /// I/Os, or waits, that ended: of these are the times.
    pub ended: u64,
    pub errors: u64,
    pub time_ns: u64,
    pub longest_ns: u64,
}

impl Sum {
    pub fn add(&mut self, event: &Event) {
        let kind = event.kind;
        // A bio's bytes are counted when it is submitted, with its own file. The I/O that it is part of then may
        // have bytes of other files too.
        if matches!(kind, Some(Kind::Start | Kind::Merge | Kind::WaitDone)) {
            let bytes = u64::from(event.bytes);
            match event.class() {
                Class::Read => {
                    self.reads += 1;
                    self.read_bytes = self.read_bytes.saturating_add(bytes);
                }
                Class::Write => {
                    self.writes += 1;
                    self.written_bytes = self.written_bytes.saturating_add(bytes);
                }
                Class::None => self.others += 1,
            }
        }
        // What was merged or refused took no time of its own at the disk.
        let has_ended = match kind {
            Some(Kind::Done) => ["completed", "abandoned"].contains(&event.outcome),
            Some(Kind::WaitDone) => true,
            _ => false,
        };
        if has_ended {
            self.ended += 1;
            self.errors += u64::from(event.error != 0);
            let time_ns = event.total_ns();
            self.time_ns = self.time_ns.saturating_add(time_ns);
            self.longest_ns = self.longest_ns.max(time_ns);
        }
    }

    pub fn bytes(&self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }

    pub fn count(&self) -> u64 {
        self.reads + self.writes + self.others
    }
}

/// One member of an event, as text.
pub type Part = fn(&Event, &mut String);

pub fn device(event: &Event, key: &mut String) {
    key.push_str(event.device);
}

pub fn file(event: &Event, key: &mut String) {
    key.push_str(event.path);
}

pub fn fs(event: &Event, key: &mut String) {
    key.push_str(event.fs);
}

pub fn mount(event: &Event, key: &mut String) {
    key.push_str(event.mount);
}

pub fn process(event: &Event, key: &mut String) {
    number(event.tgid, key);
}

pub fn thread(event: &Event, key: &mut String) {
    number(event.pid, key);
}

pub fn comm(event: &Event, key: &mut String) {
    key.push_str(event.comm);
}

pub fn uid(event: &Event, key: &mut String) {
    number(event.uid, key);
}

pub fn function(event: &Event, key: &mut String) {
    key.push_str(event.function);
}

fn number(value: u32, key: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(key, "{value}");
}

pub struct Sums {
    parts: Vec<Part>,
    sums: HashMap<String, Sum>,
    /// The key of the last event: its memory is used again.
    key: String,
}

impl Sums {
    pub fn new(parts: Vec<Part>) -> Self {
        Sums {
            parts,
            sums: HashMap::new(),
            key: String::new(),
        }
    }

    pub fn add(&mut self, event: &Event) {
        self.key.clear();
        for (index, part) in self.parts.iter().enumerate() {
            if index != 0 {
                self.key.push(BETWEEN);
            }
            part(event, &mut self.key);
        }
        match self.sums.get_mut(&self.key) {
            Some(sum) => sum.add(event),
            None => self.sums.entry(self.key.clone()).or_default().add(event),
        }
    }

    /// Takes all, the largest by `order` first. Those that are equal are in the order of their keys.
    pub fn take(&mut self, order: fn(&Sum) -> u64) -> Vec<(String, Sum)> {
        let mut sums: Vec<_> = self.sums.drain().collect();
        sums.sort_by(|(key, sum), (other_key, other)| {
            order(other)
                .cmp(&order(sum))
                .then_with(|| key.cmp(other_key))
        });
        sums
    }

    /// The largest by `order`. Of those that are equal, the one whose key is the first.
    pub fn largest(&self, order: fn(&Sum) -> u64) -> Option<(&str, &Sum)> {
        let largest = self.sums.iter().max_by(|(key, sum), (other_key, other)| {
            order(sum)
                .cmp(&order(other))
                .then_with(|| other_key.cmp(key))
        });
        largest.map(|(key, sum)| (key.as_str(), sum))
    }
}

/// The parts of a key.
pub fn parts(key: &str) -> impl Iterator<Item = &str> {
    key.split(BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::super::event::{parse, Line};
    use super::*;
    use proptest::prelude::*;

    fn line(kind: &str, flags: &str, bytes: u32, times: &str, path: &str) -> String {
        format!(
            "a-1 [000] ..... 1.000001: {kind}: id=1 dev=sda 8:0 flags={flags} blkno=1 bcount={bytes} {times}pid=2 \
             tgid=1 uid=0 comm=a offset=0 fs=ext4 mount=/ path={path}"
        )
    }

    fn add(sums: &mut Sums, line: &str) {
        match parse(line) {
            Line::Event(event) => sums.add(&event),
            other => panic!("{line}: {other:?}"),
        }
    }

    const TIMES: &str = "resid=0 error=-5 outcome=completed wait_ns=10 service_ns=30 ";

    #[test]
    fn bytes_are_of_bios_and_times_of_ios() {
        let mut sums = Sums::new(vec![device, file]);
        add(
            &mut sums,
            &line("start", "B_PAGEIO|B_WRITE", 4096, "", "/a"),
        );
        add(
            &mut sums,
            &line("merge", "B_PAGEIO|B_WRITE", 8192, "", "/b"),
        );
        add(&mut sums, &line("start", "B_PHYS|B_READ", 512, "", "/b"));
        add(&mut sums, &line("start", "B_WRITE", 0, "", "<none>"));
        add(
            &mut sums,
            &line("done", "B_PAGEIO|B_WRITE", 12288, TIMES, "/a"),
        );
        let merged = TIMES.replace("completed", "merged");
        add(
            &mut sums,
            &line("done", "B_PHYS|B_READ", 512, &merged, "/b"),
        );
        let written = Sum {
            writes: 1,
            written_bytes: 4096,
            ended: 1,
            errors: 1,
            time_ns: 40,
            longest_ns: 40,
            ..Sum::default()
        };
        let both = Sum {
            reads: 1,
            writes: 1,
            read_bytes: 512,
            written_bytes: 8192,
            ..Sum::default()
        };
        let flush = Sum {
            others: 1,
            ..Sum::default()
        };
        let expected = [
            ("sda\t/b", both),
            ("sda\t/a", written),
            ("sda\t<none>", flush),
        ];
        let expected = expected.map(|(key, sum)| (key.to_owned(), sum));
        assert_eq!(sums.take(Sum::bytes), expected);
        assert_eq!(sums.take(Sum::bytes), []);
    }

    #[test]
    fn waits_have_the_longest() {
        let mut sums = Sums::new(vec![process, thread, comm, uid, function, fs, mount]);
        for ns in [5, 9, 2] {
            let times = format!("in=bio_await wait_ns={ns} ");
            add(
                &mut sums,
                &line("wait_done", "B_PHYS|B_READ", 512, &times, "/a"),
            );
        }
        let taken = sums.take(Sum::count);
        assert_eq!(taken.len(), 1);
        let (key, sum) = &taken[0];
        let expected = ["1", "2", "a", "0", "bio_await", "ext4", "/"];
        assert!(parts(key).eq(expected));
        assert_eq!(
            (sum.ended, sum.time_ns, sum.longest_ns, sum.reads),
            (3, 16, 9, 3)
        );
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_counted_twice(events in prop::collection::vec((0..4u8, 1..1_000_000u32, any::<bool>()), 0..100)) {
            let mut sums = Sums::new(vec![file]);
            for (path, bytes, is_merge) in &events {
                let kind = if *is_merge { "merge" } else { "start" };
                add(&mut sums, &line(kind, "B_PHYS|B_READ", *bytes, "", &format!("/{path}")));
            }
            let taken = sums.take(Sum::bytes);
            let bytes: u64 = events.iter().map(|(_, bytes, _)| u64::from(*bytes)).sum();
            prop_assert_eq!(taken.iter().map(|(_, sum)| sum.bytes()).sum::<u64>(), bytes);
            prop_assert_eq!(taken.iter().map(|(_, sum)| sum.count()).sum::<u64>(), events.len() as u64);
            prop_assert!(taken.windows(2).all(|pair| pair[0].1.bytes() >= pair[1].1.bytes()));
        }
    }
}
