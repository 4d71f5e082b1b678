// SPDX-License-Identifier: GPL-2.0

//! `@inflight [<disk>]`: lists the I/Os in flight; `@sizes [<disk>]`: how the sizes of transactions are distributed.

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

/// A list whose only argument is a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListMessage<'a> {
    /// The I/Os in flight: of all disks, or of this disk and its partitions, or of this partition.
    InFlight(Option<Word<'a>>),
    /// The sizes of transactions: of all devices, or of this one.
    Sizes(Option<Word<'a>>),
}

impl<'a> ListMessage<'a> {
    /// Parses a line; returns [`None`] if it is another message.
    pub fn parse(line: &'a [u8]) -> Option<Result<Self, Error<'a>>> {
        let mut words = Words::of(line);
        let name = words.next()?;
        let list = if name.is_ignoring_case("@inflight") {
            ListMessage::InFlight
        } else if name.is_ignoring_case("@sizes") {
            ListMessage::Sizes
        } else {
            return None;
        };
        let device = words.next();
        Some(match words.next() {
            Some(word) => Err(Error::wrong(Reason::Surplus, word)),
            None => Ok(list(device)),
        })
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message_list))]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_of_all_devices_or_of_one() {
        let all = ListMessage::parse(b" @INFLIGHT\n");
        assert!(all == Some(Ok(ListMessage::InFlight(None))));
        let all = ListMessage::parse(b"@Sizes");
        assert!(all == Some(Ok(ListMessage::Sizes(None))));
        let one = ListMessage::parse(b"@inflight /dev/sda");
        assert!(matches!(one, Some(Ok(ListMessage::InFlight(Some(word)))) if word.is_disk(b"sda")));
        let one = ListMessage::parse(b"@sizes sda1");
        assert!(matches!(one, Some(Ok(ListMessage::Sizes(Some(word)))) if word.is_disk(b"sda1")));
        for line in [&b"@inflight sda sdb"[..], b"@sizes sda sdb"] {
            let surplus = ListMessage::parse(line);
            assert!(surplus
                .is_some_and(|wrong| wrong.is_err_and(|error| error.reason == Reason::Surplus)));
        }
        assert!(ListMessage::parse(b"@inflights").is_none());
        assert!(ListMessage::parse(b"@size").is_none());
        assert!(ListMessage::parse(b"sda @inflight").is_none());
    }
}
