// SPDX-License-Identifier: GPL-2.0

//! Histograms as text.

use super::{
    identity::Identity, //
    out::{
        number,
        numbers,
        Out, //
    },
};
use crate::acct::{
    class::Class,
    histogram::{
        buckets_of,
        Histogram,
        Phase,
        BOUNDS_NS, //
    },
};
use core::fmt::Result;

/// The bounds of all histograms, ns, in one line without its newline.
pub fn bounds(out: &mut impl Out) -> Result {
    let [first, others @ ..] = &BOUNDS_NS;
    number(out, *first)?;
    numbers(out, others)
}

/// A histogram in one line without its newline: the number of times, the shortest, the longest, and
/// the count of each bucket.
pub fn histogram(out: &mut impl Out, histogram: &Histogram<u64>) -> Result {
    number(out, histogram.count())?;
    numbers(out, &[histogram.min(), histogram.max()])?;
    numbers(out, &histogram.counts)
}

/// The head of the second table of `/dev/iostat`: its name, and the names of its columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("\nlatency\ndevice number class phase count min_ns max_ns le_ns:count\n")
}

/// One line of the second table; nothing for an empty histogram. The number of times, the shortest
/// and the longest are followed by the buckets that are not empty, each with its upper bound in ns.
pub fn line(
    out: &mut impl Out,
    disk: &Identity,
    class: Class,
    phase: Phase,
    histogram: &Histogram<u64>,
) -> Result {
    let Some((shortest, longest)) = histogram.extremes() else {
        return Ok(());
    };
    let used = buckets_of((shortest, longest));
    let counts = histogram.counts.get(used.clone()).unwrap_or(&[]);
    let add = |sum: u64, count: &u64| sum.wrapping_add(*count);
    let count = counts.iter().fold(0, add);
    if count == 0 {
        return Ok(());
    }
    disk.name.write(out)?;
    out.write_after(b' ', disk.number.into())?;
    for name in [class.name(), phase.name()] {
        out.write_char(' ')?;
        out.write_str(name)?;
    }
    numbers(out, &[count, shortest, longest])?;
    for (bucket, count) in used.zip(counts) {
        if *count == 0 {
            continue;
        }
        // Each upper bound is that of the bucket with the same number; the last bucket has none.
        match BOUNDS_NS.get(bucket) {
            Some(bound) => out.write_after(b' ', *bound)?,
            None => out.write_str(" +Inf")?,
        }
        out.write_after(b':', *count)?;
    }
    out.write_char('\n')
}
