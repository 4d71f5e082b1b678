// SPDX-License-Identifier: GPL-2.0

//! Statistics by name, and their text.
//!
//! Each value that users can read is in one of the tables here. It is a file in sysfs, and a column
//! of `stat` and of `/dev/iostat`. Users find columns by their names.

use super::{
    identity::{
        major_minor,
        Identity, //
    }, //
    out::{
        number,
        Out, //
    },
};
use crate::acct::{
    class::{
        Class,
        Tag, //
    },
    counts::{
        counts,
        Counts, //
    },
    snapshot::Snapshot, //
};
use core::{
    ffi::CStr,
    fmt::Result, //
};

/// The version in the first line of `/dev/iostat`: changes only if columns change their meaning.
pub const VERSION: u32 = 1;

/// A number with a name.
pub struct Statistic {
    /// Its name: a file in sysfs, a column in text. Names of times end in `_ns`, except those of
    /// kstat(9S), whose times are all ns.
    pub name: &'static CStr,
    /// Its value.
    pub value: fn(&Snapshot) -> u64,
}

const fn statistic(name: &'static CStr, value: fn(&Snapshot) -> u64) -> Statistic {
    Statistic { name, value }
}

fn class(values: &[u64; 4], class: Class) -> u64 {
    values.get(class as usize).copied().unwrap_or(0)
}

macro_rules! operations {
    ($class:ident) => {
        |s| s.record.devstat.operations(Class::$class)
    };
}

macro_rules! by_class {
    ($field:ident, $class:ident) => {
        |s| class(&s.record.devstat.$field, Class::$class)
    };
}

macro_rules! devstat {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// devstat(9)'s counters, in the order of `struct devstat`.
        pub static DEVSTAT: [Statistic; 18 + Counts::<u64>::NAMES.len()] = [
            statistic(c"start_count", |s| s.record.devstat.start_count),
            statistic(c"end_count", |s| s.record.devstat.end_count()),
            $(statistic($text, |s| s.record.devstat.counts.$name),)*
            statistic(c"bytes_none", by_class!(bytes, NoData)),
            statistic(c"bytes_read", by_class!(bytes, Read)),
            statistic(c"bytes_write", by_class!(bytes, Write)),
            statistic(c"bytes_free", by_class!(bytes, Free)),
            statistic(c"operations_none", operations!(NoData)),
            statistic(c"operations_read", operations!(Read)),
            statistic(c"operations_write", operations!(Write)),
            statistic(c"operations_free", operations!(Free)),
            statistic(c"duration_none_ns", by_class!(duration, NoData)),
            statistic(c"duration_read_ns", by_class!(duration, Read)),
            statistic(c"duration_write_ns", by_class!(duration, Write)),
            statistic(c"duration_free_ns", by_class!(duration, Free)),
            statistic(c"busy_time_ns", |s| s.busy_time),
            statistic(c"tag_simple", |s| s.record.devstat.tag_types(Tag::Simple)),
            statistic(c"tag_head", |s| s.record.devstat.tag_types(Tag::Head)),
            statistic(c"tag_ordered", |s| s.record.devstat.tag_types(Tag::Ordered)),
        ];
    };
}

counts!(devstat!);

/// The part of the durations in the run queue, which devstat(9) does not have.
pub static SERVICE: [Statistic; 4] = [
    statistic(c"service_none_ns", by_class!(service, NoData)),
    statistic(c"service_read_ns", by_class!(service, Read)),
    statistic(c"service_write_ns", by_class!(service, Write)),
    statistic(c"service_free_ns", by_class!(service, Free)),
];

/// kstat_io(9S), in the order of `struct kstat_io`.
pub static KSTAT: [Statistic; 12] = [
    statistic(c"nread", by_class!(bytes, Read)),
    statistic(c"nwritten", by_class!(bytes, Write)),
    statistic(c"reads", operations!(Read)),
    statistic(c"writes", operations!(Write)),
    statistic(c"wtime", |s| s.wtime),
    statistic(c"wlentime", |s| s.wlentime),
    statistic(c"wlastupdate", Snapshot::wlastupdate),
    statistic(c"rtime", |s| s.rtime),
    statistic(c"rlentime", |s| s.rlentime),
    statistic(c"rlastupdate", Snapshot::rlastupdate),
    statistic(c"wcnt", |s| s.record.waitq.len()),
    statistic(c"rcnt", |s| s.record.runq.len()),
];

/// The time of a snapshot, which kstat(8) prints with every kstat.
pub static SNAPTIME: Statistic = statistic(c"snaptime", |s| s.now);

/// All values of a snapshot, in the order of the `stat` line: `snaptime`, [`DEVSTAT`], [`SERVICE`], [`KSTAT`].
fn columns() -> impl Iterator<Item = &'static Statistic> {
    core::iter::once(&SNAPTIME)
        .chain(&DEVSTAT)
        .chain(&SERVICE)
        .chain(&KSTAT)
}

/// A name in ASCII as text.
fn word(name: &CStr) -> &str {
    name.to_str().unwrap_or("?")
}

/// The `stat` line of one disk, without its newline.
pub fn stat(out: &mut impl Out, snapshot: &Snapshot) -> Result {
    number(out, (SNAPTIME.value)(snapshot))?;
    // Nested loops, as an iterator over all tables would check at each value which table it is in.
    for table in [&DEVSTAT[..], &SERVICE[..], &KSTAT[..]] {
        for column in table {
            out.write_after(b' ', (column.value)(snapshot))?;
        }
    }
    Ok(())
}

/// The names of the `stat` line's columns, without a newline.
pub fn stat_header(out: &mut impl Out) -> Result {
    let mut separator = "";
    for column in columns() {
        write!(out, "{separator}{}", word(column.name))?;
        separator = " ";
    }
    Ok(())
}

/// The first two lines of `/dev/iostat`.
pub fn header(out: &mut impl Out, generation: u64, numdevs: usize) -> Result {
    writeln!(
        out,
        "iostat {VERSION} generation {generation} numdevs {numdevs}"
    )?;
    out.write_str("device number dev diskseq priority crtime class ")?;
    stat_header(out)?;
    out.write_char('\n')
}

/// One disk's line of `/dev/iostat`.
pub fn device(out: &mut impl Out, disk: &Identity, snapshot: &Snapshot) -> Result {
    let (major, minor) = major_minor(disk.dev);
    let numbers = [
        (b' ', disk.number.into()),
        (b' ', major.into()),
        (b':', minor.into()),
        (b' ', disk.diskseq),
        (b' ', disk.priority.into()),
        (b' ', disk.crtime),
    ];
    disk.name.write(out)?;
    for (separator, value) in numbers {
        out.write_after(separator, value)?;
    }
    out.write_char(' ')?;
    out.write_str(disk.class())?;
    out.write_char(' ')?;
    stat(out, snapshot)?;
    out.write_char('\n')
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_text))]
mod tests {
    use super::*;
    use core::fmt;

    /// Counts the words of what is written to it.
    #[derive(Default)]
    struct WordCount {
        count: usize,
        lines: usize,
        inside: bool,
    }

    impl Out for WordCount {}

    impl fmt::Write for WordCount {
        fn write_str(&mut self, text: &str) -> Result {
            for c in text.chars() {
                self.lines += usize::from(c == '\n');
                let inside = !c.is_ascii_whitespace();
                self.count += usize::from(inside && !self.inside);
                self.inside = inside;
            }
            Ok(())
        }
    }

    #[test]
    fn every_column_has_a_name_and_a_value() {
        let (mut names, mut values) = (WordCount::default(), WordCount::default());
        assert!(stat_header(&mut names).is_ok());
        assert!(stat(&mut values, &Snapshot::default()).is_ok());
        let columns = DEVSTAT.len() + SERVICE.len() + KSTAT.len();
        assert_eq!(names.count, 1 + columns);
        assert_eq!(names.count, values.count);
        assert_eq!(names.lines + values.lines, 0);
    }

    #[test]
    fn names_are_unique_within_a_directory() {
        for table in [&DEVSTAT[..], &KSTAT[..]] {
            for (index, one) in table.iter().enumerate() {
                assert!(table[..index].iter().all(|other| other.name != one.name));
            }
        }
    }

    #[test]
    fn values_come_from_their_fields() {
        let mut snapshot = Snapshot {
            now: 1,
            wtime: 2,
            rlentime: 3,
            busy_time: 4,
            ..Snapshot::default()
        };
        snapshot.record.devstat.bytes = [10, 11, 12, 13];
        // By kind: four classes for each of four tag types.
        snapshot.record.devstat.completed = core::array::from_fn(|kind| 1 << kind);
        let value = |table: &[Statistic], name: &CStr| {
            let found = table.iter().find(|statistic| statistic.name == name);
            found.map(|statistic| (statistic.value)(&snapshot))
        };
        let table = [
            (&DEVSTAT[..], c"bytes_none", 10),
            (&DEVSTAT[..], c"bytes_free", 13),
            (&DEVSTAT[..], c"operations_write", 0x4444),
            (&DEVSTAT[..], c"busy_time_ns", 4),
            (&DEVSTAT[..], c"tag_ordered", 0xf00),
            (&DEVSTAT[..], c"end_count", 0xffff),
            (&KSTAT[..], c"nread", 11),
            (&KSTAT[..], c"nwritten", 12),
            (&KSTAT[..], c"reads", 0x2222),
            (&KSTAT[..], c"wtime", 2),
            (&KSTAT[..], c"rlentime", 3),
        ];
        for (statistics, name, expected) in table {
            assert_eq!(value(statistics, name), Some(expected));
        }
    }
}
