// SPDX-License-Identifier: GPL-2.0

//! Histograms of sizes as text.

use super::{
    identity::Identity,
    out::{
        number,
        numbers,
        Out, //
    }, //
};
use crate::acct::{
    class::Class,
    size::{
        least_bytes,
        SIZES, //
    },
};
use core::fmt::Result;

/// The bounds of all histograms of sizes, bytes, in one line without its newline: the smallest size in each bucket but the
/// first.
pub fn bounds(out: &mut impl Out) -> Result {
    number(out, least_bytes(1))?;
    for bucket in 2..SIZES {
        out.write_after(b' ', least_bytes(bucket))?;
    }
    Ok(())
}

fn count(counts: &[u64; SIZES]) -> u64 {
    let add = |sum: u64, count: &u64| sum.wrapping_add(*count);
    counts.iter().fold(0, add)
}

/// A histogram in one line without its newline: how many, and the count of each bucket.
pub fn histogram(out: &mut impl Out, counts: &[u64; SIZES]) -> Result {
    number(out, count(counts))?;
    numbers(out, counts)
}

/// The names of the columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("device number class count ge_bytes:count\n")
}

/// One line, if there is anything to say: after how many, the buckets that are not empty, each with the
/// smallest size in it.
pub fn line(out: &mut impl Out, disk: &Identity, class: Class, counts: &[u64; SIZES]) -> Result {
    let count = count(counts);
    if count == 0 {
        return Ok(());
    }
    disk.name.write(out)?;
    out.write_after(b' ', disk.number.into())?;
    out.write_char(' ')?;
    out.write_str(class.name())?;
    out.write_after(b' ', count)?;
    for (bucket, count) in counts.iter().enumerate() {
        if *count != 0 {
            out.write_after(b' ', least_bytes(bucket))?;
            out.write_after(b':', *count)?;
        }
    }
    out.write_char('\n')
}
