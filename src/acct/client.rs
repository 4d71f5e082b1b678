// SPDX-License-Identifier: GPL-2.0

//! Transactions that other modules record by the devstat(9) functions.
//!
//! These transactions have no wait queue, and one gauge has the number in progress. A start is a
//! [`StartRunqEnter`](super::transition::Transition::StartRunqEnter). An end is checked, because callers may be wrong.

use super::{
    busy::{
        Edge,
        Gauge,
        Line, //
    },
    class::{
        Class,
        Kind,
        Tag, //
    },
    histogram::is_rare,
    record::RecordWrite, //
};

/// The arguments of `devstat_end_transaction()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndArgs {
    /// `bytes`: those transferred.
    pub bytes: u64,
    /// `tag_type`.
    pub tag: Tag,
    /// `flags`.
    pub class: Class,
    /// When it started, ns, if the caller knows.
    pub then: Option<u64>,
}

impl EndArgs {
    /// Whether its class is rare: its times are then recorded in the record that CPUs share.
    #[inline(always)]
    pub fn is_rare(&self) -> bool {
        is_rare(self.class as usize)
    }

    /// Ends one of the transactions of `gauge` at `now`, in the calling CPU's own `record`. Returns `false`,
    /// and changes nothing, if no transaction is in progress.
    ///
    /// Without `then` neither the duration nor the histograms count the transaction. A transaction whose
    /// start is after its end has a duration of 0.
    #[inline(always)]
    pub fn apply(&self, record: &impl RecordWrite, gauge: &Gauge, now: u64) -> bool {
        let note = |line, edge| {
            let line = match line {
                Line::Waitq => &record.waitq_busy,
                Line::Runq => &record.runq_busy,
                Line::Both => &record.both_busy,
            };
            match edge {
                Edge::Rise => line.rise(now),
                Edge::Fall => line.fall(now),
            }
        };
        if !gauge.try_runq_exit(note) {
            return false;
        }
        record.runq.exit(now);
        let duration_ns = self.then.map_or(0, |then| now.saturating_sub(then));
        let kind = Kind::new(self.class, self.tag);
        record
            .devstat
            .end_transaction(kind, self.bytes, duration_ns, duration_ns);
        record.record_size(kind.class(), self.bytes);
        if self.then.is_some() {
            record.record_times(kind.class(), duration_ns, duration_ns);
        }
        true
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_client))]
mod tests {
    use super::{
        super::{
            busy::Tree,
            histogram::{
                Histogram,
                Phase, //
            },
            record::{
                CpuRecord,
                Rare, //
                RecordPart,
            },
            snapshot::{
                collect,
                collect_histogram,
                Snapshot, //
            },
            transition::Transition, //
            turns::Turns,
        },
        *,
    };

    fn start(record: &CpuRecord, gauge: &Gauge, now: u64) {
        let tree = Tree {
            leaf: gauge,
            root: None,
        };
        Transition::StartRunqEnter.apply(&record.write(), &tree, now);
    }

    fn at(record: &CpuRecord, now: u64) -> Snapshot {
        collect(|| core::iter::once(record), || now)
    }

    #[test]
    fn transactions_end_as_they_are_told_to() {
        let (record, rare, gauge) = (CpuRecord::default(), Rare::default(), Gauge::default());
        let turns = Turns::default();
        let end = |tag, class, then| EndArgs {
            bytes: 10,
            tag,
            class,
            then,
        };
        for now in [100, 200, 300, 400] {
            start(&record, &gauge, now);
        }
        let ends = [
            (end(Tag::Simple, Class::Read, Some(100)), 1000),
            (end(Tag::Head, Class::Read, None), 1100),
            (end(Tag::None, Class::Write, Some(1300)), 1200),
            (end(Tag::Ordered, Class::Free, Some(400)), 1300),
        ];
        for (end, now) in ends {
            assert!(end.apply(&record.write_shared(&turns, &rare), &gauge, now));
        }
        let snapshot = at(&record, 2000);
        let devstat = snapshot.record.devstat;
        assert_eq!((devstat.start_count, devstat.end_count()), (4, 4));
        assert_eq!(devstat.bytes, [0, 20, 10, 10]);
        assert_eq!(devstat.duration, [0, 900, 0, 900]);
        assert_eq!(
            Class::ALL.map(|class| devstat.operations(class)),
            [0, 2, 1, 1]
        );
        let tags = [Tag::Simple, Tag::Head, Tag::Ordered];
        assert_eq!(tags.map(|tag| devstat.tag_types(tag)), [1, 1, 1]);
        assert_eq!((snapshot.busy_time, snapshot.rtime), (1200, 1200));
        // The run queue has each from its start to its end, whatever `then` is.
        assert_eq!(snapshot.rlentime, 900 + 900 + 900 + 900);
        let times = |class, phase| {
            let mut times = Histogram::default();
            let shared = RecordPart {
                record: &record,
                bases: None,
                rare: Some((&rare, None)),
            };
            collect_histogram(core::iter::once(shared), class, phase, &mut times);
            times.count()
        };
        // One of the two reads had a time.
        assert_eq!(times(Class::Read, Phase::Total), 1);
        assert_eq!(times(Class::Write, Phase::Service), 1);
        assert_eq!(times(Class::Free, Phase::Total), 1);
    }

    #[test]
    fn an_end_without_a_start_changes_nothing() {
        let (record, gauge) = (CpuRecord::default(), Gauge::default());
        let end = EndArgs {
            bytes: 10,
            tag: Tag::Simple,
            class: Class::Read,
            then: Some(1),
        };
        assert!(!end.apply(&record.write(), &gauge, 100));
        assert_eq!(at(&record, 100).record, Default::default());
        start(&record, &gauge, 200);
        assert!(end.apply(&record.write(), &gauge, 300));
        assert!(!end.apply(&record.write(), &gauge, 400));
        let snapshot = at(&record, 500);
        assert_eq!(snapshot.record.devstat.end_count(), 1);
        assert_eq!((snapshot.busy_time, snapshot.record.runq.len()), (100, 0));
    }

    #[test]
    fn only_reads_and_writes_are_not_rare() {
        for class in Class::ALL {
            let end = EndArgs {
                bytes: 0,
                tag: Tag::None,
                class,
                then: None,
            };
            assert_eq!(end.is_rare(), matches!(class, Class::NoData | Class::Free));
        }
    }
}
