// SPDX-License-Identifier: GPL-2.0

//! `@evcnt_list [all] [rollup] [misc|intr|trap]`: lists event counters. It has no disk.

use super::{
    error::{
        Error,
        Reason, //
    },
    word::Words, //
};
use crate::acct::evcnt::EvcntType;

/// The counters to list, and the value to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvcntList {
    /// Includes counters with a count of 0.
    pub all: bool,
    /// Prints the sum of a counter and its descendants.
    pub rollup: bool,
    /// Lists only counters of this type.
    pub kind: Option<EvcntType>,
}

impl EvcntList {
    /// Parses a line; returns [`None`] if it is another message. The words may have any order, and each may be
    /// given once.
    pub fn parse(line: &[u8]) -> Option<Result<EvcntList, Error<'_>>> {
        let mut words = Words::of(line);
        let is_list = words.next()?.is_ignoring_case("@evcnt_list");
        is_list.then(|| EvcntList::of(words))
    }

    fn of(words: Words<'_>) -> Result<EvcntList, Error<'_>> {
        let mut list = EvcntList::default();
        for word in words {
            let is = |text| word.is_ignoring_case(text);
            let is_new = if is("all") {
                !core::mem::replace(&mut list.all, true)
            } else if is("rollup") {
                !core::mem::replace(&mut list.rollup, true)
            } else {
                let kind = EvcntType::ALL.into_iter().find(|kind| is(kind.name()));
                let kind = kind.ok_or(Error::wrong(Reason::UnknownOption, word))?;
                list.kind.replace(kind).is_none()
            };
            if !is_new {
                return Err(Error::wrong(Reason::Surplus, word));
            }
        }
        Ok(list)
    }

    /// Returns whether a counter of this type and with this total is listed.
    pub fn has(&self, kind: EvcntType, total: u64) -> bool {
        (self.all || total != 0) && self.kind.is_none_or(|asked| asked == kind)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message_evcnt))]
mod tests {
    use super::*;

    fn reason(line: &[u8]) -> Option<Reason> {
        EvcntList::parse(line)?.err().map(|error| error.reason)
    }

    #[test]
    fn words_come_in_any_order() {
        let asked = EvcntList {
            all: true,
            rollup: true,
            kind: Some(EvcntType::Trap),
        };
        for line in [
            &b"@evcnt_list all rollup trap\n"[..],
            b" @EVCNT_LIST TRAP\tall rollup",
            b"@evcnt_list rollup trap all\0 and more",
        ] {
            assert!(EvcntList::parse(line) == Some(Ok(asked)));
        }
        assert!(EvcntList::parse(b"@evcnt_list") == Some(Ok(EvcntList::default())));
    }

    #[test]
    fn errors_name_the_reason() {
        assert!(EvcntList::parse(b"").is_none() && EvcntList::parse(b"sda @evcnt_list").is_none());
        assert!(EvcntList::parse(b"@evcnt_lists").is_none());
        assert_eq!(reason(b"@evcnt_list any"), Some(Reason::UnknownOption));
        assert_eq!(reason(b"@evcnt_list all all"), Some(Reason::Surplus));
        assert_eq!(reason(b"@evcnt_list misc intr"), Some(Reason::Surplus));
    }

    #[test]
    fn counters_of_zero_are_listed_on_request() {
        let asked = |kind, all| EvcntList {
            all,
            rollup: false,
            kind,
        };
        let table = [
            (asked(None, false), EvcntType::Misc, 0, false),
            (asked(None, false), EvcntType::Misc, 1, true),
            (asked(None, true), EvcntType::Intr, 0, true),
            (asked(Some(EvcntType::Intr), true), EvcntType::Intr, 0, true),
            (
                asked(Some(EvcntType::Intr), true),
                EvcntType::Trap,
                1,
                false,
            ),
        ];
        for (list, kind, total, expected) in table {
            assert_eq!(list.has(kind, total), expected);
        }
    }
}
