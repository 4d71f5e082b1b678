// SPDX-License-Identifier: GPL-2.0

//! `@inflight [<disk>]`: lists the I/Os in flight.

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

/// The I/Os to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlightList<'a> {
    /// Only those of this disk and its partitions, or of this partition.
    pub device: Option<Word<'a>>,
}

impl<'a> InFlightList<'a> {
    /// Parses a line; returns [`None`] if it is another message.
    pub fn parse(line: &'a [u8]) -> Option<Result<Self, Error<'a>>> {
        let mut words = Words::of(line);
        let is_list = words.next()?.is_ignoring_case("@inflight");
        is_list.then(|| {
            let device = words.next();
            match words.next() {
                Some(word) => Err(Error::wrong(Reason::Surplus, word)),
                None => Ok(InFlightList { device }),
            }
        })
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::macros::kunit_tests(iostat_message_inflight)
)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_of_all_disks_or_of_one() {
        let all = InFlightList::parse(b" @INFLIGHT\n");
        assert!(all == Some(Ok(InFlightList { device: None })));
        let one = InFlightList::parse(b"@inflight /dev/sda");
        assert!(one.is_some_and(
            |one| one.is_ok_and(|one| one.device.is_some_and(|word| word.is_disk(b"sda")))
        ));
        let surplus = InFlightList::parse(b"@inflight sda sdb");
        assert!(
            surplus.is_some_and(|wrong| wrong.is_err_and(|error| error.reason == Reason::Surplus))
        );
        assert!(InFlightList::parse(b"@inflights").is_none());
        assert!(InFlightList::parse(b"sda @inflight").is_none());
    }
}
