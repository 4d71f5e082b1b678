// SPDX-License-Identifier: GPL-2.0

//! Histograms as text.

use super::{
    decimal::number,
    identity::Identity,
    out::Out, //
};
use crate::acct::{
    class::Class,
    histogram::{
        Histogram,
        Phase,
        BOUNDS_NS, //
    },
};
use core::fmt::Result;

/// The bounds of all histograms, ns, in one line without its newline.
pub fn bounds(out: &mut impl Out) -> Result {
    numbers(out, "", &BOUNDS_NS)
}

/// A histogram in one line without its newline: how many, the shortest, the longest, and the count
/// of each bucket.
pub fn histogram(out: &mut impl Out, histogram: &Histogram<u64>) -> Result {
    summary(out, histogram)?;
    numbers(out, " ", &histogram.counts)
}

fn summary(out: &mut impl Out, histogram: &Histogram<u64>) -> Result {
    number(out, histogram.count())?;
    out.write_char(' ')?;
    number(out, histogram.min())?;
    out.write_char(' ')?;
    number(out, histogram.max())
}

fn numbers(out: &mut impl Out, mut separator: &str, numbers: &[u64]) -> Result {
    for each in numbers {
        out.write_str(separator)?;
        number(out, *each)?;
        separator = " ";
    }
    Ok(())
}

/// The head of the second table of `/dev/iostat`: its name, and that of its columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("\nlatency\ndevice number class phase count min_ns max_ns le_ns:count\n")
}

/// One line of the second table, if there is anything to say: after how many, the shortest and the
/// longest, the buckets that are not empty, each with its upper bound in ns.
pub fn line(
    out: &mut impl Out,
    disk: &Identity,
    class: Class,
    phase: Phase,
    histogram: &Histogram<u64>,
) -> Result {
    if histogram.count() == 0 {
        return Ok(());
    }
    disk.name.write(out)?;
    out.write_char(' ')?;
    number(out, disk.number.into())?;
    for name in [class.name(), phase.name()] {
        out.write_char(' ')?;
        out.write_str(name)?;
    }
    out.write_char(' ')?;
    summary(out, histogram)?;
    // Each upper bound is that of the bucket with the same number; the last bucket has none.
    let bounds = BOUNDS_NS.iter().map(Some).chain([None]);
    let bounds = bounds.skip(histogram.used().start);
    for (bound, count) in bounds.zip(histogram.used_counts()) {
        if *count == 0 {
            continue;
        }
        out.write_char(' ')?;
        match bound {
            Some(bound) => number(out, *bound)?,
            None => out.write_str("+Inf")?,
        }
        out.write_char(':')?;
        number(out, *count)?;
    }
    out.write_char('\n')
}
