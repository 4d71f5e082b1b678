// SPDX-License-Identifier: GPL-2.0

//! The model: every I/O with every stay in a queue, and sums computed from them in the plainest way.

use iostat::acct::{
    class::{
        Class,
        Tag,
        CLASSES,
        TAGS, //
    },
    histogram::Phase,
    snapshot::Snapshot,
};
use std::collections::HashMap;

/// An event of the block layer about one I/O.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A request is accepted.
    Accept(Class, Tag),
    /// A bio of this many bytes is submitted to a bio-based device.
    Submit(Class, Tag, u32),
    /// The driver issues it.
    Issue,
    /// The driver requeues it.
    Requeue,
    /// This many bytes are completed and more remain.
    Part(u64),
    /// The data step of a flush sequence completes with this many bytes.
    FlushData(u64),
    /// The rest completes with this many bytes.
    Done(u64),
    /// It fails: no byte is completed.
    Fail,
    /// It is merged into another request.
    Merge,
    /// The device was busy: the layer above frees the clone.
    Refuse,
}

/// A queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Wait,
    Run,
}

/// One I/O in one queue, from one change to the next.
#[derive(Clone, Copy, Debug)]
struct Stay {
    line: Line,
    from: u64,
    until: Option<u64>,
}

/// The outcome of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    InFlight,
    Completed,
    Merged,
    Refused,
    Abandoned,
}

/// One I/O from start to end.
#[derive(Debug)]
struct Io {
    /// [`None`] if it is not a transaction.
    kind: Option<(Class, Tag)>,
    bytes: u64,
    stays: Vec<Stay>,
    fate: Fate,
}

impl Io {
    fn new(kind: Option<(Class, Tag)>, bytes: u64, line: Line, now: u64) -> Self {
        let mut io = Io {
            kind,
            bytes,
            stays: Vec::new(),
            fate: Fate::InFlight,
        };
        io.stay(line, now);
        io
    }

    fn line(&self) -> Line {
        self.stays.last().unwrap().line
    }

    fn stay(&mut self, line: Line, from: u64) {
        self.stays.push(Stay {
            line,
            from,
            until: None,
        });
    }

    fn leave(&mut self, now: u64) {
        self.stays.last_mut().unwrap().until = Some(now);
    }

    /// Moves an I/O to a queue, unless it is there already.
    fn go(&mut self, line: Line, now: u64) {
        if self.line() != line {
            self.leave(now);
            self.stay(line, now);
        }
    }

    fn end(&mut self, fate: Fate, now: u64) {
        self.leave(now);
        self.fate = fate;
    }

    fn time_in(&self, line: Line) -> u64 {
        let stays = self.stays.iter().filter(|stay| stay.line == line);
        stays.map(|stay| stay.until.unwrap() - stay.from).sum()
    }
}

/// devstat's counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub start_count: u64,
    pub end_count: u64,
    pub merged: u64,
    pub refused: u64,
    pub abandoned: u64,
    pub bytes: [u64; CLASSES],
    pub operations: [u64; CLASSES],
    pub duration: [u64; CLASSES],
    pub service: [u64; CLASSES],
    pub tag_types: [u64; TAGS],
}

impl From<&Snapshot> for Counts {
    fn from(snapshot: &Snapshot) -> Self {
        let devstat = &snapshot.record.devstat;
        Counts {
            start_count: devstat.start_count,
            end_count: devstat.end_count(),
            merged: devstat.counts.merged,
            refused: devstat.counts.refused,
            abandoned: devstat.counts.abandoned,
            bytes: devstat.bytes,
            operations: Class::ALL.map(|class| devstat.operations(class)),
            duration: devstat.duration,
            service: devstat.service,
            tag_types: [Tag::Simple, Tag::Head, Tag::Ordered].map(|tag| devstat.tag_types(tag)),
        }
    }
}

impl Counts {
    /// Returns every number, to compare one by one.
    pub fn words(&self) -> Vec<u64> {
        let mut words = vec![self.start_count, self.end_count];
        words.extend([self.merged, self.refused, self.abandoned]);
        words.extend(self.bytes.iter().chain(&self.operations));
        words.extend(self.duration.iter().chain(&self.service));
        words.extend(self.tag_types);
        words
    }
}

/// All I/Os of one disk since recording began.
#[derive(Debug, Default)]
pub struct Model {
    ios: Vec<Io>,
    /// The I/O in flight at each key.
    at: HashMap<u64, usize>,
}

impl Model {
    /// Records `event` at `key`. If it ends an I/O, returns the time that I/O spent in each queue.
    pub fn hear(&mut self, key: u64, event: Event, now: u64) -> Option<[u64; 2]> {
        use Line::*;
        if let Event::Accept(..) | Event::Submit(..) = event {
            let ended = self.abandon(key, now);
            self.begin(key, event, now);
            return ended;
        }
        let known = self.at.get(&key).copied();
        match (event, known.map(|index| &mut self.ios[index])) {
            (Event::Accept(..) | Event::Submit(..), _) => unreachable!("begun above"),
            (Event::Issue, None) => self.begin(key, event, now),
            (_, None) => {}
            (Event::Issue, Some(io)) => io.go(Run, now),
            (Event::Requeue, Some(io)) => io.go(Wait, now),
            (Event::Part(bytes), Some(io)) => io.bytes += bytes,
            (Event::FlushData(bytes), Some(io)) if io.line() == Run => {
                io.bytes += bytes;
                io.go(Wait, now);
            }
            // Reported twice by device-mapper: the sequence goes on.
            (Event::FlushData(bytes), Some(io)) => io.bytes += bytes,
            (Event::Done(bytes), Some(io)) => {
                io.bytes += bytes;
                io.end(Fate::Completed, now);
            }
            (Event::Fail, Some(io)) => {
                io.bytes = 0;
                io.end(Fate::Completed, now);
            }
            (Event::Merge, Some(io)) if io.line() == Wait => io.end(Fate::Merged, now),
            (Event::Refuse, Some(io)) if io.line() == Wait => io.end(Fate::Refused, now),
            (Event::Merge | Event::Refuse, Some(io)) => io.end(Fate::Completed, now),
        }
        let io = &self.ios[known?];
        if io.fate == Fate::InFlight {
            return None;
        }
        self.at.remove(&key);
        Some([io.time_in(Wait), io.time_in(Run)])
    }

    /// Ends the I/O at `key`, if there is one, whose end was not reported. Returns the time it spent in each
    /// queue.
    pub fn abandon(&mut self, key: u64, now: u64) -> Option<[u64; 2]> {
        let io = &mut self.ios[self.at.remove(&key)?];
        io.end(Fate::Abandoned, now);
        Some([io.time_in(Line::Wait), io.time_in(Line::Run)])
    }

    fn begin(&mut self, key: u64, event: Event, now: u64) {
        self.at.insert(key, self.ios.len());
        self.ios.push(match event {
            Event::Accept(class, tag) => Io::new(Some((class, tag)), 0, Line::Wait, now),
            Event::Submit(class, tag, bytes) => {
                Io::new(Some((class, tag)), bytes.into(), Line::Run, now)
            }
            _ => Io::new(None, 0, Line::Run, now),
        });
    }

    /// Returns the expected values of devstat's counters.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for io in &self.ios {
            let Some((class, tag)) = io.kind else {
                continue;
            };
            counts.start_count += 1;
            counts.end_count += u64::from(io.fate != Fate::InFlight);
            counts.merged += u64::from(io.fate == Fate::Merged);
            counts.refused += u64::from(io.fate == Fate::Refused);
            counts.abandoned += u64::from(io.fate == Fate::Abandoned);
            if io.fate == Fate::Completed {
                let (start, end) = (io.stays[0].from, io.stays.last().unwrap().until.unwrap());
                counts.bytes[class as usize] += io.bytes;
                counts.operations[class as usize] += 1;
                counts.duration[class as usize] += end - start;
                counts.service[class as usize] += io.time_in(Line::Run);
                counts.tag_types[tag as usize] += 1;
            }
        }
        counts
    }

    /// Returns how long each completed transaction of a class took, in one phase.
    pub fn times(&self, class: Class, phase: Phase) -> Vec<u64> {
        let of_class = |io: &&Io| io.kind.is_some_and(|(other, _)| other == class);
        let completed = self.ios.iter().filter(|io| io.fate == Fate::Completed);
        let time = |io: &Io| match phase {
            Phase::Wait => io.time_in(Line::Wait),
            Phase::Service => io.time_in(Line::Run),
            Phase::Total => io.time_in(Line::Wait) + io.time_in(Line::Run),
        };
        completed.filter(of_class).map(time).collect()
    }

    /// Returns the bytes that each completed transaction of a class transferred.
    pub fn sizes(&self, class: Class) -> impl Iterator<Item = u64> + '_ {
        let completed = self.ios.iter().filter(|io| io.fate == Fate::Completed);
        let of_class = move |io: &&Io| io.kind.is_some_and(|(other, _)| other == class);
        completed.filter(of_class).map(|io| io.bytes)
    }

    fn stays(&self, lines: &[Line]) -> Vec<&Stay> {
        let stays = self.ios.iter().flat_map(|io| &io.stays);
        stays.filter(|stay| lines.contains(&stay.line)).collect()
    }

    /// Returns the number of transactions in flight.
    pub fn in_flight(&self) -> u64 {
        let open = |io: &&Io| io.kind.is_some() && io.fate == Fate::InFlight;
        self.ios.iter().filter(open).count() as u64
    }

    /// Returns the number of I/Os in `line`.
    pub fn len(&self, line: Line) -> u64 {
        let stays = self.stays(&[line]);
        stays.iter().filter(|stay| stay.until.is_none()).count() as u64
    }

    /// Returns how often an I/O left one of `lines` at `then` or later.
    pub fn left_since(&self, lines: &[Line], then: u64) -> u64 {
        let stays = self.stays(lines);
        let left = |stay: &&&Stay| stay.until.is_some_and(|until| until >= then);
        stays.iter().filter(left).count() as u64
    }

    /// Returns when `line` last changed.
    pub fn changed(&self, line: Line) -> Option<u64> {
        let stays = self.stays(&[line]);
        stays
            .iter()
            .map(|stay| stay.until.unwrap_or(stay.from))
            .max()
    }

    /// Returns the integral of the length of `line` over time.
    pub fn lentime(&self, line: Line, now: u64) -> u64 {
        self.integral(&[line], usize::MAX, now)
    }

    /// Returns how long any of `lines` was not empty.
    pub fn busy(&self, lines: &[Line], now: u64) -> u64 {
        self.integral(lines, 1, now)
    }

    /// Returns the integral of the length of `lines` together, limited to `limit`, step by step.
    fn integral(&self, lines: &[Line], limit: usize, now: u64) -> u64 {
        let stays = self.stays(lines);
        let mut corners: Vec<u64> = stays
            .iter()
            .flat_map(|stay| [stay.from, stay.until.unwrap_or(now)])
            .chain([now])
            .collect();
        corners.sort_unstable();
        let step = |step: &[u64]| {
            let lasts = |stay: &&&Stay| {
                stay.from <= step[0] && stay.until.is_none_or(|until| until >= step[1])
            };
            let length = stays.iter().filter(lasts).count();
            length.min(limit) as u64 * (step[1] - step[0])
        };
        corners.windows(2).map(step).sum()
    }
}
