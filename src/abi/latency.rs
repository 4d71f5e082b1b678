// SPDX-License-Identifier: GPL-2.0

//! Histograms as text.

use super::{
    decimal::number,
    identity::Identity, //
};
use crate::acct::{
    class::Class,
    histogram::{
        Histogram,
        Phase,
        BOUNDS_NS, //
    },
};
use core::fmt::{
    Result,
    Write, //
};

/// The bounds of all histograms, ns, in one line without its newline.
pub fn bounds(out: &mut impl Write) -> Result {
    numbers(out, "", &BOUNDS_NS)
}

/// A histogram in one line without its newline: how many, the shortest, the longest, and the count
/// of each bucket.
pub fn histogram(out: &mut impl Write, histogram: &Histogram<u64>) -> Result {
    summary(out, histogram)?;
    numbers(out, " ", &histogram.counts)
}

fn summary(out: &mut impl Write, histogram: &Histogram<u64>) -> Result {
    number(out, histogram.count())?;
    out.write_char(' ')?;
    number(out, histogram.min())?;
    out.write_char(' ')?;
    number(out, histogram.max())
}

fn numbers(out: &mut impl Write, mut separator: &str, numbers: &[u64]) -> Result {
    for each in numbers {
        out.write_str(separator)?;
        number(out, *each)?;
        separator = " ";
    }
    Ok(())
}

/// The head of the second table of `/dev/iostat`: its name, and that of its columns.
pub fn header(out: &mut impl Write) -> Result {
    out.write_str("\nlatency\ndevice number class phase count min_ns max_ns le_ns:count\n")
}

/// One line of the second table, if there is anything to say: after how many, the shortest and the
/// longest, the buckets that are not empty, each with its upper bound in ns.
pub fn line(
    out: &mut impl Write,
    disk: &Identity,
    class: Class,
    phase: Phase,
    histogram: &Histogram<u64>,
) -> Result {
    if histogram.count() == 0 {
        return Ok(());
    }
    write!(out, "{}", disk.name)?;
    out.write_char(' ')?;
    number(out, disk.number.into())?;
    for name in [class.name(), phase.name()] {
        out.write_char(' ')?;
        out.write_str(name)?;
    }
    out.write_char(' ')?;
    summary(out, histogram)?;
    let (last, bounded) = histogram.counts.split_last().unwrap_or((&0, &[]));
    for (bound, count) in BOUNDS_NS.iter().zip(bounded) {
        if *count != 0 {
            out.write_char(' ')?;
            number(out, *bound)?;
            out.write_char(':')?;
            number(out, *count)?;
        }
    }
    if *last != 0 {
        out.write_str(" +Inf:")?;
        number(out, *last)?;
    }
    out.write_char('\n')
}
