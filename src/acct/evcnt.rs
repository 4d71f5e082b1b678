// SPDX-License-Identifier: GPL-2.0

//! evcnt(9): names and types of event counters, and how counts of children are added to their
//! parents.

/// `EVCNT_TYPE_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvcntType {
    /// `EVCNT_TYPE_MISC`: whatever is neither of the others.
    Misc = 0,
    /// `EVCNT_TYPE_INTR`: interrupts.
    Intr = 1,
    /// `EVCNT_TYPE_TRAP`: traps and faults.
    Trap = 2,
}

impl EvcntType {
    /// All types in the order of their numbers.
    pub const ALL: [EvcntType; 3] = [EvcntType::Misc, EvcntType::Intr, EvcntType::Trap];

    /// The type that has this number.
    pub fn from_number(number: u64) -> Option<EvcntType> {
        EvcntType::ALL
            .into_iter()
            .find(|kind| *kind as u64 == number)
    }

    /// The word used in text and messages.
    pub const fn name(self) -> &'static str {
        match self {
            EvcntType::Misc => "misc",
            EvcntType::Intr => "intr",
            EvcntType::Trap => "trap",
        }
    }
}

/// Bytes of a group or name with the NUL that ends it, at most: NetBSD's, whose strings have one byte
/// for their length.
pub const EVCNT_STRING_MAX: usize = 255;

/// What is wrong with a group or name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadString {
    /// It is empty, or holds what cannot be printed in a line.
    Unprintable,
    /// It has [`EVCNT_STRING_MAX`] bytes or more without its NUL. It is not cut: two that are cut could
    /// become one.
    TooLong,
}

/// Checks a group or name, without its NUL. Blanks are valid inside, but not at the ends.
pub fn check_string(text: &[u8]) -> Result<(), BadString> {
    if text.len() >= EVCNT_STRING_MAX {
        return Err(BadString::TooLong);
    }
    let is_printable = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let ends = [text.first(), text.last()];
    if is_printable && ends.iter().all(|end| end.is_some_and(|end| *end != b' ')) {
        Ok(())
    } else {
        Err(BadString::Unprintable)
    }
}

/// Adds the counts of children, and of theirs, to those of their parents.
///
/// `totals` are in the order of attachment, in which a parent is before its children. `parent` returns the index of the
/// parent of a counter, or [`None`]; an index that is not smaller than the counter's is ignored. Sums wrap.
pub fn roll_up(totals: &mut [u64], parent: impl Fn(usize) -> Option<usize>) {
    for child in (0..totals.len()).rev() {
        let Some(parent) = parent(child).filter(|parent| *parent < child) else {
            continue;
        };
        let count = totals.get(child).copied().unwrap_or(0);
        if let Some(total) = totals.get_mut(parent) {
            *total = total.wrapping_add(count);
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_evcnt))]
mod tests {
    use super::*;

    #[test]
    fn types_have_netbsds_numbers() {
        let table = [
            (0, Some(EvcntType::Misc)),
            (1, Some(EvcntType::Intr)),
            (2, Some(EvcntType::Trap)),
            (3, None),
            (u64::MAX, None),
        ];
        for (number, kind) in table {
            assert_eq!(EvcntType::from_number(number), kind);
        }
    }

    #[test]
    fn strings_are_checked_and_not_cut() {
        let long = [b'a'; EVCNT_STRING_MAX];
        let table: [(&[u8], _); 10] = [
            (b"tape", Ok(())),
            (b"vmcmd kills", Ok(())),
            (b"", Err(BadString::Unprintable)),
            (b" ", Err(BadString::Unprintable)),
            (b" a", Err(BadString::Unprintable)),
            (b"a ", Err(BadString::Unprintable)),
            (b"a\nb", Err(BadString::Unprintable)),
            (b"\xc3\xa4", Err(BadString::Unprintable)),
            (&long[..254], Ok(())),
            (&long, Err(BadString::TooLong)),
        ];
        for (text, expected) in table {
            assert_eq!(check_string(text), expected);
        }
    }

    #[test]
    fn parents_have_what_their_descendants_have() {
        let mut totals = [1, 10, 100, 1000, u64::MAX];
        let parents = [None, Some(0), Some(1), None, Some(3)];
        roll_up(&mut totals, |child| parents[child]);
        assert_eq!(totals, [111, 110, 100, 999, u64::MAX]);
    }

    #[test]
    fn a_parent_behind_its_child_is_none() {
        let mut totals = [1, 2];
        roll_up(&mut totals, |child| Some(1 - child));
        assert_eq!(totals, [3, 2]);
        roll_up(&mut totals, Some);
        assert_eq!(totals, [3, 2]);
        roll_up(&mut totals, |_| Some(9));
        assert_eq!(totals, [3, 2]);
    }
}
