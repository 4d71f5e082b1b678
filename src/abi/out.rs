// SPDX-License-Identifier: GPL-2.0

//! The targets of text.

use super::decimal;
use core::fmt::{
    Error,
    Result,
    Write, //
};

/// Text with many numbers.
pub trait Out: Write {
    /// Appends a number in decimal.
    fn write_number(&mut self, number: u64) -> Result {
        let mut digits = [0; decimal::DIGITS];
        let len = decimal::len(number);
        let digits = digits.get_mut(..len).ok_or(Error)?;
        decimal::fill(digits, number);
        self.write_ascii(digits)
    }

    /// Appends an ASCII character and then a number in decimal.
    fn write_after(&mut self, separator: u8, number: u64) -> Result {
        self.write_ascii(&[separator])?;
        self.write_number(number)
    }

    /// Appends ASCII text.
    fn write_ascii(&mut self, text: &[u8]) -> Result {
        self.write_str(core::str::from_utf8(text).map_err(|_| Error)?)
    }
}

/// The target of a reply. Words that users gave are bytes, and need not be valid text.
pub trait ReplyWriter: Out {
    /// Appends bytes as they are.
    fn write_bytes(&mut self, bytes: &[u8]) -> Result;
}

/// Writes a number without leading zeros.
#[inline]
pub fn number(out: &mut impl Out, number: u64) -> Result {
    out.write_number(number)
}

/// Writes numbers, each after a blank.
pub fn numbers(out: &mut impl Out, numbers: &[u64]) -> Result {
    for each in numbers {
        out.write_after(b' ', *each)?;
    }
    Ok(())
}

/// Memory for text, filled from its start on.
#[derive(Debug)]
pub struct Buffer<'a> {
    room: &'a mut [u8],
    len: usize,
}

impl<'a> Buffer<'a> {
    /// Creates a buffer whose first `len` bytes are used.
    pub fn new(room: &'a mut [u8], len: usize) -> Self {
        Buffer { room, len }
    }

    /// Bytes that are used.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no bytes are used.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that are not used.
    pub fn room(&self) -> usize {
        self.room.len().saturating_sub(self.len)
    }

    /// Discards all bytes after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Uses `len` more bytes, which `fill` writes. Returns an error if they do not fit.
    #[inline(always)]
    fn append(&mut self, len: usize, fill: impl FnOnce(&mut [u8])) -> Result {
        let end = self.len.wrapping_add(len);
        let room = self.room.get_mut(self.len..end).ok_or(Error)?;
        fill(room);
        self.len = end;
        Ok(())
    }

    /// Appends bytes as they are.
    #[inline]
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result {
        self.append(bytes.len(), |room| {
            // A loop, as most texts are a few bytes.
            for (into, from) in room.iter_mut().zip(bytes) {
                *into = *from;
            }
        })
    }
}

impl Write for Buffer<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> Result {
        self.write_bytes(text.as_bytes())
    }

    #[inline]
    fn write_char(&mut self, letter: char) -> Result {
        match u8::try_from(letter) {
            Ok(byte) if byte.is_ascii() => self.append(1, |room| room.fill(byte)),
            _ => self.write_str(letter.encode_utf8(&mut [0; 4])),
        }
    }
}

impl Out for Buffer<'_> {
    #[inline]
    fn write_number(&mut self, number: u64) -> Result {
        self.append(decimal::len(number), |room| decimal::fill(room, number))
    }

    #[inline]
    fn write_after(&mut self, separator: u8, number: u64) -> Result {
        // Most numbers of most lines have one digit.
        if number < 10 {
            let text = [separator, decimal::digit(number)];
            return self.append(2, |room| room.copy_from_slice(&text));
        }
        self.append(decimal::len(number).wrapping_add(1), |room| {
            if let Some((first, digits)) = room.split_first_mut() {
                *first = separator;
                decimal::fill(digits, number);
            }
        })
    }

    #[inline]
    fn write_ascii(&mut self, text: &[u8]) -> Result {
        self.write_bytes(text)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn characters_are_written_as_utf8_and_bytes_as_they_are() {
        let mut room = [0; 16];
        let mut buffer = Buffer::new(&mut room, 0);
        for letter in ['a', '\u{7f}', '\u{80}', '\u{e9}', '\u{20ac}'] {
            assert_eq!(buffer.write_char(letter), Ok(()));
        }
        assert_eq!(buffer.write_ascii(b"end"), Ok(()));
        buffer.truncate(20);
        assert_eq!(buffer.len(), 12);
        buffer.truncate(11);
        assert_eq!((buffer.len(), buffer.room()), (11, 5));
        assert_eq!(room[..11], *"a\u{7f}\u{80}\u{e9}\u{20ac}en".as_bytes());
    }

    #[test]
    fn a_number_after_a_character_is_written_whole_or_not_at_all() {
        let powers = core::iter::successors(Some(1u64), |power| power.checked_mul(10));
        let near = powers.flat_map(|power| [power - 1, power, power + 1, power.saturating_mul(7)]);
        for number in near.chain([u64::MAX]) {
            let expected = format!(":{number}");
            let mut room = [0; 24];
            let mut buffer = Buffer::new(&mut room, 2);
            assert_eq!(buffer.write_after(b':', number), Ok(()));
            let end = buffer.len();
            assert_eq!(room[2..end], *expected.as_bytes());
            let mut buffer = Buffer::new(&mut room[..end - 1], 2);
            assert_eq!(buffer.write_after(b':', number), Err(Error));
            assert_eq!(buffer.len(), 2);
        }
    }
}
