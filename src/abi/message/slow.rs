// SPDX-License-Identifier: GPL-2.0

//! `@slow [<disk>]`: lists slow I/Os; `@slow_threshold <ns>`: sets the time from which on an I/O is slow.

use super::{
    error::{
        Error,
        Reason, //
    },
    word::{
        Word,
        Words, //
    },
};
use crate::acct::slow::LONGEST_NS;

/// A message about slow I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow<'a> {
    /// Lists the slow I/Os of this disk and its partitions, or of this partition, or of all disks.
    List(Option<Word<'a>>),
    /// Sets the threshold, ns.
    Threshold(u64),
}

impl<'a> Slow<'a> {
    /// Parses a line; returns [`None`] if it is another message.
    pub fn parse(line: &'a [u8]) -> Option<Result<Self, Error<'a>>> {
        let mut words = Words::of(line);
        let name = words.next()?;
        let message = if name.is_ignoring_case("@slow") {
            Ok(Slow::List(words.next()))
        } else if name.is_ignoring_case("@slow_threshold") {
            threshold(words.next())
        } else {
            return None;
        };
        Some(message.and_then(|message| match words.next() {
            Some(word) => Err(Error::wrong(Reason::Surplus, word)),
            None => Ok(message),
        }))
    }
}

fn threshold<'a>(word: Option<Word<'a>>) -> Result<Slow<'a>, Error<'a>> {
    let word = word.ok_or(Error::missing(Reason::NoThreshold))?;
    let text = core::str::from_utf8(word.as_written()).ok();
    let ns = text.and_then(|text| text.parse::<u64>().ok());
    let ns = ns.filter(|ns| (1..=LONGEST_NS).contains(ns));
    let ns = ns.ok_or(Error::wrong(Reason::BadThreshold, word))?;
    Ok(Slow::Threshold(ns))
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message_slow))]
mod tests {
    use super::*;

    fn reason(line: &[u8]) -> Option<Reason> {
        Slow::parse(line)?.err().map(|error| error.reason)
    }

    #[test]
    fn slow_ios_are_of_all_disks_or_of_one() {
        assert!(Slow::parse(b"@slow\n") == Some(Ok(Slow::List(None))));
        let one = Slow::parse(b" @SLOW /dev/sda");
        assert!(one.is_some_and(|one| {
            matches!(one, Ok(Slow::List(Some(word))) if word.is_disk(b"sda"))
        }));
        assert_eq!(reason(b"@slow sda sdb"), Some(Reason::Surplus));
        assert!(Slow::parse(b"@slowly").is_none() && Slow::parse(b"sda @slow").is_none());
    }

    #[test]
    fn thresholds_are_from_1_to_2_to_the_63() {
        for (line, ns) in [
            (&b"@slow_threshold 1"[..], 1),
            (b"@slow_threshold 9223372036854775808", 1 << 63),
        ] {
            assert!(Slow::parse(line) == Some(Ok(Slow::Threshold(ns))));
        }
        assert_eq!(reason(b"@slow_threshold"), Some(Reason::NoThreshold));
        for line in [
            &b"@slow_threshold 0"[..],
            b"@slow_threshold 9223372036854775809",
            b"@slow_threshold 18446744073709551616",
            b"@slow_threshold -1",
            b"@slow_threshold 5ms",
        ] {
            assert_eq!(reason(line), Some(Reason::BadThreshold));
        }
        assert_eq!(reason(b"@slow_threshold 5 6"), Some(Reason::Surplus));
    }
}
