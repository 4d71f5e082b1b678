// SPDX-License-Identifier: GPL-2.0

//! The reply to `@slow`.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// So many of each disk are kept by the module: `IOSTAT_SLOW_IOS`.
pub const MOST_OF_DISK: usize = 64;

/// An I/O that was slow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowIo {
    /// As `/dev/iostat` writes it: one word. `None` if the device has left.
    pub device: Option<String>,
    pub number: u32,
    /// On the module's clock.
    pub end_ns: u64,
    /// The same by the wall clock, ns since 1970, once it was [`date`]d.
    pub wall_ns: i64,
    pub wait_ns: u64,
    pub service_ns: u64,
    /// The errno that it ended with, or 0.
    pub error: u32,
    /// I/Os in the queues of its device when it ended.
    pub wcnt: u64,
    pub rcnt: u64,
    /// `None`, as those that follow, if it is not known or not for this user.
    pub op: Option<String>,
    pub sector: Option<u64>,
    pub bytes: Option<u64>,
    pub pid: Option<u32>,
    pub comm: Option<String>,
    pub cgroup: Option<u64>,
}

impl SlowIo {
    /// Whether it is the same I/O, whatever the wall clock said.
    fn is(&self, other: &SlowIo) -> bool {
        let key = |io: &SlowIo| (io.number, io.end_ns, io.wait_ns, io.service_ns, io.sector);
        key(self) == key(other)
    }
}

/// The I/Os of a reply. `None` if it is not such a reply.
pub fn parse(text: &str) -> Option<Vec<SlowIo>> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next()?.split(' ').collect();
    // Columns may be added.
    let place = |name: &str| columns.iter().position(|column| *column == name);
    place("end_ns")?;
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let word = |name: &str| words.get(place(name)?).copied();
            let known = |name: &str| word(name).filter(|word| *word != "-");
            let number = |name: &str| word(name)?.parse::<u64>().ok();
            let known_number = |name: &str| known(name).and_then(|word| word.parse::<u64>().ok());
            Some(SlowIo {
                device: known("device").map(str::to_owned),
                number: word("number")?.parse().ok()?,
                end_ns: number("end_ns")?,
                wall_ns: 0,
                wait_ns: number("wait_ns")?,
                service_ns: number("service_ns")?,
                error: word("error")?.parse().ok()?,
                wcnt: number("wcnt")?,
                rcnt: number("rcnt")?,
                op: known("op").map(str::to_owned),
                sector: known_number("sector"),
                bytes: known_number("bytes"),
                pid: known("pid").and_then(|word| word.parse().ok()),
                comm: known("comm").map(str::to_owned),
                cgroup: known_number("cgroup"),
            })
        })
        .collect()
}

/// Says when each ended by the wall clock, which was at `wall_ns` when the module's was at `now_ns`.
pub fn date(ios: &mut [SlowIo], now_ns: u64, wall_ns: i64) {
    for io in ios {
        let age_ns = now_ns.saturating_sub(io.end_ns);
        io.wall_ns = wall_ns.saturating_sub_unsigned(age_ns);
    }
}

/// The slow I/Os of a disk and its partitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// The number of the disk.
    pub disk: u32,
    /// The newest first: at most [`MOST_OF_DISK`].
    pub ios: Vec<SlowIo>,
}

impl Ring {
    /// The same ring later. An I/O that was there keeps its time, as both clocks differ a little at each reading.
    pub fn later(&self, mut ios: Vec<SlowIo>) -> Self {
        for io in &mut ios {
            if let Some(known) = self.ios.iter().find(|known| known.is(io)) {
                io.wall_ns = known.wall_ns;
            }
        }
        Ring {
            disk: self.disk,
            ios,
        }
    }

    /// What came since it was as `before`.
    pub fn since(&self, before: Option<&Ring>) -> &[SlowIo] {
        let known = before.map_or(&[][..], |before| &before.ios);
        let is_new = |io: &&SlowIo| !known.iter().any(|known| known.is(io));
        let count = self.ios.iter().take_while(is_new).count();
        &self.ios[..count]
    }
}

/// The slow I/Os of samples that follow each other, each once.
#[derive(Default)]
pub struct Log {
    last: Vec<Rc<Ring>>,
}

impl Log {
    /// Those that were not in the sample before, in the order in which they ended, with their disks.
    pub fn add(&mut self, rings: &[Rc<Ring>]) -> Vec<(u32, SlowIo)> {
        let mut all = Vec::new();
        for ring in rings {
            let before = self.last.iter().find(|before| before.disk == ring.disk);
            let new = ring.since(before.map(Rc::as_ref)).iter();
            all.extend(new.map(|io| (ring.disk, io.clone())));
        }
        all.sort_by_key(|(_, io)| io.wall_ns);
        self.last = rings.to_vec();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "device number end_ns wait_ns service_ns error wcnt rcnt op sector bytes pid comm cgroup\n\
        sda1 3 9000 100 800 5 1 2 write 8 4096 77 a\\040b 12\n\
        - 4 8000 0 900 0 0 0 - - - - - -\n";

    #[test]
    fn lines_are_slow_ios() {
        let ios = parse(TEXT).unwrap();
        assert_eq!(ios.len(), 2);
        let first = SlowIo {
            device: Some("sda1".into()),
            number: 3,
            end_ns: 9000,
            wall_ns: 0,
            wait_ns: 100,
            service_ns: 800,
            error: 5,
            wcnt: 1,
            rcnt: 2,
            op: Some("write".into()),
            sector: Some(8),
            bytes: Some(4096),
            pid: Some(77),
            comm: Some("a\\040b".into()),
            cgroup: Some(12),
        };
        assert_eq!(ios[0], first);
        let second = SlowIo {
            number: 4,
            end_ns: 8000,
            service_ns: 900,
            ..SlowIo::default()
        };
        assert_eq!(ios[1], second);
    }

    #[test]
    fn an_io_keeps_its_time() {
        let dated = |text: &str, wall_ns| {
            let mut ios = parse(text).unwrap();
            date(&mut ios, 10_000, wall_ns);
            ios
        };
        let one = Ring {
            disk: 3,
            ios: dated(TEXT, 50_000),
        };
        assert_eq!((one.ios[0].wall_ns, one.ios[1].wall_ns), (49_000, 48_000));
        let newer = "sda1 3 9500 0 700 0 0 0 read 8 4096 77 dd 12\n";
        let (head, rest) = TEXT.split_at(TEXT.find('\n').unwrap() + 1);
        let two = one.later(dated(&format!("{head}{newer}{rest}"), 50_007));
        let times: Vec<_> = two.ios.iter().map(|io| io.wall_ns).collect();
        assert_eq!(times, [49_507, 49_000, 48_000]);
        assert_eq!(two.since(Some(&one)), &two.ios[..1]);
        assert_eq!(two.since(None), &two.ios[..]);
        assert_eq!(two.since(Some(&two)), []);
        let mut log = Log::default();
        let ends = |ios: Vec<(u32, SlowIo)>| -> Vec<_> {
            ios.iter().map(|(disk, io)| (*disk, io.end_ns)).collect()
        };
        let (one, two) = (Rc::new(one), Rc::new(two));
        assert_eq!(ends(log.add(&[one])), [(3, 8000), (3, 9000)]);
        assert_eq!(ends(log.add(&[two.clone()])), [(3, 9500)]);
        assert_eq!(ends(log.add(&[two])), []);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(parse("").is_none());
        assert!(parse("sda: there is no such disk\n").is_none());
        assert!(parse(&TEXT.replace("800", "-8")).is_none());
        let more = TEXT
            .replace("error", "new error")
            .replace("800 5", "800 x 5")
            .replace("900 0", "900 x 0");
        assert_eq!(parse(&more).map(|ios| ios[0].error), Some(5));
    }
}
