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

/// A histogram in one line without its newline: the number of transactions, and the count of each
/// bucket.
pub fn histogram(out: &mut impl Out, counts: &[u64; SIZES]) -> Result {
    number(out, count(counts))?;
    numbers(out, counts)
}

/// The names of the columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("device number class count ge_bytes:count\n")
}

/// One line; nothing for an empty histogram. The number of transactions is followed by the buckets that are
/// not empty, each with the smallest size in it.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{
        super::name::Name,
        *, //
    };

    #[test]
    fn bounds_are_powers_of_two_from_1_kib_on() {
        let mut text = String::new();
        assert_eq!(bounds(&mut text), Ok(()));
        let expected: Vec<_> = (10..32).map(|bit| (1u64 << bit).to_string()).collect();
        assert_eq!(text, expected.join(" "));
    }

    #[test]
    fn a_histogram_begins_with_the_sum_of_its_counts() {
        let mut counts = [0; SIZES];
        (counts[0], counts[3], counts[SIZES - 1]) = (1, 20, 300);
        let mut text = String::new();
        assert_eq!(histogram(&mut text, &counts), Ok(()));
        assert_eq!(text, format!("321 1 0 0 20 {}300", "0 ".repeat(SIZES - 5)));
    }

    #[test]
    fn a_line_has_the_buckets_that_are_not_empty() {
        let disk = Identity {
            name: Name::new(b"sda1"),
            number: 7,
            ..Identity::default()
        };
        let mut counts = [0; SIZES];
        let mut text = String::new();
        assert_eq!(header(&mut text), Ok(()));
        assert_eq!(line(&mut text, &disk, Class::Read, &counts), Ok(()));
        (counts[0], counts[3], counts[SIZES - 1]) = (1, 20, 300);
        assert_eq!(line(&mut text, &disk, Class::Write, &counts), Ok(()));
        let expected = "device number class count ge_bytes:count\n\
            sda1 7 write 321 0:1 4096:20 2147483648:300\n";
        assert_eq!(text, expected);
    }
}
