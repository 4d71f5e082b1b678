// SPDX-License-Identifier: GPL-2.0

//! The words of a message, split and unquoted by the rules of device-mapper.
//!
//! Words are separated by blanks. A character after a backslash is taken literally, also a blank; there are no
//! other quotes. Words are bytes: device-mapper requires no encoding.

use crate::abi::name::Escaped;
use core::fmt::{
    self,
    Display, //
};

/// A word as it was written, including backslashes. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a>(&'a [u8]);

/// The value of a word that may be omitted.
pub const DASH: Word<'static> = Word(b"-");

impl<'a> Word<'a> {
    /// Returns the unquoted bytes.
    pub fn bytes(self) -> Bytes<'a> {
        Bytes(self.0)
    }

    /// Returns the bytes as written.
    pub fn as_written(self) -> &'a [u8] {
        self.0
    }

    /// Returns whether the unquoted word equals this text.
    pub fn is(self, text: &[u8]) -> bool {
        self.bytes().eq(text.iter().copied())
    }

    /// Returns the unquoted bytes of a name or of a selector, in which octal escapes are allowed.
    pub fn unescaped(self) -> Unescaped<'a> {
        Unescaped(self.0)
    }

    /// Returns whether it is the name of a disk or partition, or the path of its device node: `/dev/cciss/c0d0`
    /// for the disk that the kernel calls `cciss!c0d0`.
    pub fn is_disk(self, name: &[u8]) -> bool {
        // The kernel replaces each slash in a name by `!`.
        let is = |word: Unescaped<'_>| {
            let word = word.map(|(byte, _)| if byte == b'/' { b'!' } else { byte });
            word.eq(name.iter().copied())
        };
        let in_dev = self.0.strip_prefix(b"/dev/");
        is(self.unescaped()) || in_dev.is_some_and(|node| is(Unescaped(node)))
    }

    /// Returns whether the unquoted word equals this text without regard to case.
    pub fn is_ignoring_case(self, text: &str) -> bool {
        self.bytes()
            .strip_prefix_ignoring_case(text)
            .is_some_and(|mut rest| rest.next().is_none())
    }
}

/// The number of characters of a word that an error message repeats.
const SHOWN: usize = 64;

/// The unquoted word, escaped for use in one line, and truncated.
impl Display for Word<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(out, self.bytes(), false)
    }
}

/// As the [`Display`] of [`Word`], for a word that is a name.
pub(super) struct NameWord<'a>(pub(super) Word<'a>);

impl Display for NameWord<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.unescaped().map(|(byte, _)| byte);
        show(out, bytes, true)
    }
}

fn show(
    out: &mut fmt::Formatter<'_>,
    mut bytes: impl Iterator<Item = u8>,
    is_name: bool,
) -> fmt::Result {
    for byte in bytes.by_ref().take(SHOWN) {
        let byte = &[byte];
        match is_name {
            true => Escaped::word(byte),
            false => Escaped::rest(byte),
        }
        .fmt(out)?;
    }
    match bytes.next() {
        Some(_) => out.write_str("..."),
        None => Ok(()),
    }
}

/// The unquoted bytes of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes<'a>(&'a [u8]);

impl Iterator for Bytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = match self.0 {
            // A backslash at the end is taken literally.
            [b'\\', quoted, rest @ ..] => (quoted, rest),
            [byte, rest @ ..] => (byte, rest),
            [] => return None,
        };
        self.0 = rest;
        Some(*byte)
    }
}

/// The bytes of a name. A backslash and three octal digits are one byte; any other backslash is as in
/// [`Bytes`]. Each byte comes with whether it was escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unescaped<'a>(&'a [u8]);

impl Iterator for Unescaped<'_> {
    type Item = (u8, bool);

    fn next(&mut self) -> Option<(u8, bool)> {
        let (item, rest) = match self.0 {
            [b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', rest @ ..] => {
                let digit = |digit: u8| digit & 7;
                let byte = digit(*high) << 6 | digit(*middle) << 3 | digit(*low);
                ((byte, true), rest)
            }
            [b'\\', quoted, rest @ ..] => ((*quoted, true), rest),
            [byte, rest @ ..] => ((*byte, false), rest),
            [] => return None,
        };
        self.0 = rest;
        Some(item)
    }
}

impl Bytes<'_> {
    /// Returns the bytes after this prefix, which is compared without regard to case; [`None`] if it is another
    /// prefix.
    pub fn strip_prefix_ignoring_case(mut self, text: &str) -> Option<Self> {
        for byte in text.bytes() {
            if !self.next()?.eq_ignore_ascii_case(&byte) {
                return None;
            }
        }
        Some(self)
    }

    /// Parses an unsigned number, after quoted blanks. It may have any number of digits: a number that is too
    /// large becomes the largest `u64`.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut ahead = self.clone();
        let mut digit = loop {
            match ahead.next() {
                Some(byte) if is_blank(byte) => {}
                byte => break byte.filter(u8::is_ascii_digit)?,
            }
        };
        let mut number = 0u64;
        loop {
            let value = u64::from(digit.wrapping_sub(b'0'));
            number = number.saturating_mul(10).saturating_add(value);
            self.0 = ahead.0;
            match ahead.next() {
                Some(byte) if byte.is_ascii_digit() => digit = byte,
                _ => return Some(number),
            }
        }
    }

    /// Parses a number with an optional sign, and cuts it to 32 bits.
    fn signed(&mut self) -> Option<i32> {
        let mut ahead = self.clone();
        while ahead.clone().next().is_some_and(is_blank) {
            ahead.next();
        }
        let minus = ahead.clone().next() == Some(b'-');
        if minus {
            ahead.next();
            // A blank is not a digit.
            ahead.clone().next().filter(u8::is_ascii_digit)?;
        }
        let number = ahead.number()?;
        *self = ahead;
        let number = if minus { number.wrapping_neg() } else { number };
        // CAST: The lower 32 bits, as the kernel's `%d` parses it.
        Some(number as i32)
    }
}

/// Parses a whole word as an unsigned number.
pub(super) fn number(word: Word<'_>) -> Option<u64> {
    let mut bytes = word.bytes();
    let number = bytes.number()?;
    bytes.next().is_none().then_some(number)
}

/// Parses a whole word as an unsigned number, and cuts it to 32 bits as the kernel's `%u` does.
pub(super) fn short(word: Word<'_>) -> Option<u32> {
    // CAST: The lower 32 bits.
    number(word).map(|number| number as u32)
}

/// Parses a whole word as the id of a region, as the kernel's `%d` does: 2^32 is 0.
pub(super) fn id(word: Word<'_>) -> Option<u32> {
    let mut bytes = word.bytes();
    let number = bytes.signed()?;
    let number = u32::try_from(number).ok()?;
    bytes.next().is_none().then_some(number)
}

/// The kernel's `isspace()`: the blanks of ASCII, and the no-break space of Latin-1.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ' | 0xa0)
}

/// The maximum number of bytes of the words that an open file keeps in order to continue a reply, including the
/// blanks between them.
pub(super) const KEPT: usize = 1024;

/// The remaining words of a message.
#[derive(Clone, Debug)]
pub struct Words<'a>(&'a [u8]);

impl<'a> Words<'a> {
    /// Splits a line. A NUL ends the line, as it ends strings in the kernel.
    pub fn of(line: &'a [u8]) -> Self {
        Words(line.split(|byte| *byte == 0).next().unwrap_or(&[]))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let start = self.0.iter().position(|byte| !is_blank(*byte))?;
        let (_, word) = self.0.split_at_checked(start)?;
        let mut quoted = false;
        let end = word.iter().position(|byte| {
            let is_end = !quoted && is_blank(*byte);
            quoted = !quoted && *byte == b'\\';
            is_end
        });
        let (word, rest) = word.split_at_checked(end.unwrap_or(word.len()))?;
        self.0 = rest;
        Some(Word(word))
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_word))]
mod tests {
    use super::*;

    fn only(text: &str) -> Word<'_> {
        Words::of(text.as_bytes()).next().unwrap_or(DASH)
    }

    #[test]
    fn blanks_separate_and_backslashes_quote() {
        let line = b" one\t\x0b two\\ words \\\\ \\a\xa0z\\\xa0 end\\\0 more";
        let expected: [&[u8]; 6] = [b"one", b"two words", b"\\", b"a", b"z\xa0", b"end\\"];
        let mut words = Words::of(line);
        for expected in expected {
            assert!(words.next().is_some_and(|word| word.is(expected)));
        }
        assert!(words.next().is_none());
        assert!(Words::of(b" \n").next().is_none());
    }

    #[test]
    fn disks_are_found_by_printed_name_or_path() {
        let table: [(&str, &[u8], bool); 16] = [
            ("sda", b"sda", true),
            ("sda1", b"sda", false),
            ("/dev/sda", b"sda", true),
            ("/dev//sda", b"sda", false),
            ("/dev/", b"sda", false),
            ("dev/sda", b"sda", false),
            ("cciss!c0d0", b"cciss!c0d0", true),
            ("cciss/c0d0", b"cciss!c0d0", true),
            ("/dev/cciss/c0d0", b"cciss!c0d0", true),
            ("a\\040b", b"a b", true),
            ("a\\ b", b"a b", true),
            ("/dev/a\\012b", b"a\nb", true),
            ("a\\134040b", b"a\\040b", true),
            ("a\\377", b"a\xff", true),
            ("a\\400", b"a400", true),
            ("a\\18", b"a18", true),
        ];
        for (text, name, expected) in table {
            assert_eq!((text, only(text).is_disk(name)), (text, expected));
        }
    }

    #[test]
    fn case_is_ignored_where_allowed() {
        assert!(only("\\@StAtS_list").is_ignoring_case("@stats_list"));
        assert!(!only("@stats_lis").is_ignoring_case("@stats_list"));
        assert!(!only("@stats_list_").is_ignoring_case("@stats_list"));
        assert!(!only("DMSTATS").is(b"dmstats"));
    }

    #[test]
    fn numbers_are_those_of_the_kernels_sscanf() {
        let table = [
            ("0", Some(0)),
            ("007", Some(7)),
            ("\\ \\\t12", Some(12)),
            ("1\\2", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("-1", None),
            ("+1", None),
            ("0x1", None),
            ("1k", None),
            ("1\\ ", None),
            ("-", None),
        ];
        for (text, expected) in table {
            assert_eq!(number(only(text)), expected);
        }
        assert_eq!(short(only("4294967297")), Some(1));
        assert_eq!(short(only("99999999999999999999")), Some(u32::MAX));
    }

    #[test]
    fn ids_are_cut_to_32_bits_and_not_negative() {
        let table = [
            ("0", Some(0)),
            ("2147483647", Some(i32::MAX as u32)),
            ("2147483648", None),
            ("4294967296", Some(0)),
            ("-4294967291", Some(5)),
            ("-0", Some(0)),
            ("-1", None),
            ("\\ 3", Some(3)),
            ("-\\ 0", None),
            ("18446744073709551616", None),
            ("-18446744073709551616", Some(1)),
            ("1x", None),
            ("--1", None),
        ];
        for (text, expected) in table {
            assert_eq!(id(only(text)), expected);
        }
    }
}
