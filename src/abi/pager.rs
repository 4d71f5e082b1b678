// SPDX-License-Identifier: GPL-2.0

//! Text that is made while it is read, as by the kernel's seq_file.
//!
//! An open file has one buffer, whatever the length of the text. The buffer is filled with whole records, each
//! of them a snapshot of one moment. When the reader has read the buffer, it is filled again; the source of the
//! records keeps the position of the next one. If a reader seeks back to text that is no longer in the buffer,
//! the text is made again from its start.

use super::out::{
    Buffer,
    Out,
    ReplyWriter, //
};
use core::{
    fmt::{
        self,
        Error,
        Write, //
    },
    ops::Range,
    result::Result, //
};

/// The size of the buffer in bytes. The longest line of a device or a histogram fits.
pub const BUFFER: usize = 4096;

/// The buffer while it is being filled.
pub struct Piece<'a>(Buffer<'a>);

impl<'a> Piece<'a> {
    /// Wraps a buffer whose first `len` bytes are in use.
    pub fn new(room: &'a mut [u8], len: usize) -> Self {
        Piece(Buffer::new(room, len))
    }

    /// Returns the number of bytes in use.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether no bytes are in use. A record that does not fit then will never fit.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of free bytes.
    pub fn room(&self) -> usize {
        self.0.room()
    }

    /// Discards all bytes after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Writes a record, or nothing if it does not fit. Returns whether it was written.
    pub fn record(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> bool {
        let len = self.len();
        let is_written = write(self).is_ok();
        if !is_written {
            self.truncate(len);
        }
        is_written
    }

    /// Writes a part of a record: skips its first `skip` bytes, and writes as many of the following bytes as
    /// fit. Returns the number of bytes of the record up to the end of this part, and whether the record is
    /// complete.
    ///
    /// Used for a record that is longer than the buffer. The record must be the same each time.
    pub fn part(
        &mut self,
        skip: usize,
        write: impl FnOnce(&mut PiecePart<'_, 'a>) -> fmt::Result,
    ) -> (usize, bool) {
        let len = self.len();
        let mut part = PiecePart { piece: self, skip };
        let is_complete = write(&mut part).is_ok();
        let written = self.len().saturating_sub(len);
        (skip.saturating_add(written), is_complete)
    }
}

impl Write for Piece<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }

    #[inline]
    fn write_char(&mut self, letter: char) -> fmt::Result {
        self.0.write_char(letter)
    }
}

impl Out for Piece<'_> {
    #[inline]
    fn write_number(&mut self, number: u64) -> fmt::Result {
        self.0.write_number(number)
    }

    #[inline]
    fn write_after(&mut self, separator: u8, number: u64) -> fmt::Result {
        self.0.write_after(separator, number)
    }

    #[inline]
    fn write_ascii(&mut self, text: &[u8]) -> fmt::Result {
        self.0.write_ascii(text)
    }
}

impl ReplyWriter for Piece<'_> {
    #[inline]
    fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        self.0.write_bytes(bytes)
    }
}

/// The target of [`Piece::part`].
pub struct PiecePart<'a, 'b> {
    piece: &'a mut Piece<'b>,
    skip: usize,
}

impl Write for PiecePart<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}

impl Out for PiecePart<'_, '_> {}

impl ReplyWriter for PiecePart<'_, '_> {
    fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        let skipped = self.skip.min(bytes.len());
        self.skip = self.skip.saturating_sub(skipped);
        let bytes = bytes.get(skipped..).unwrap_or(&[]);
        let (fits, rest) = bytes
            .split_at_checked(self.piece.room())
            .unwrap_or((bytes, &[]));
        self.piece.write_bytes(fits)?;
        if rest.is_empty() {
            Ok(())
        } else {
            Err(Error)
        }
    }
}

/// The reason why filling stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The next record needs an empty buffer.
    Full,
    /// There is room left, but the source stopped to limit the work of one call.
    More,
    /// The text is complete.
    End,
}

/// The next step of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Copy these bytes of the buffer to the reader.
    Copy(Range<usize>),
    /// Fill the buffer, see [`Pager::fill`].
    Fill,
    /// Make the text from its start, see [`Pager::restart`].
    Restart,
    /// The text ends at the position or before it.
    End,
}

/// The position of the buffer in the text.
#[derive(Clone, Copy, Debug)]
pub struct Pager {
    start: u64,
    len: usize,
    filled: Filled,
}

impl Pager {
    /// Creates an empty buffer at the start of a text.
    pub const fn new() -> Self {
        Pager {
            start: 0,
            len: 0,
            filled: Filled::More,
        }
    }

    /// Returns the next step of a read at this position.
    pub fn next(&self, position: u64) -> Next {
        let Some(into) = position.checked_sub(self.start) else {
            return Next::Restart;
        };
        match usize::try_from(into) {
            Ok(into) if into < self.len => Next::Copy(into..self.len),
            _ if self.filled == Filled::End => Next::End,
            // Bytes before the position are skipped.
            _ => Next::Fill,
        }
    }

    /// Starts the text again.
    pub fn restart(&mut self) {
        *self = Pager::new();
    }

    /// Returns whether the next filling replaces the contents of the buffer.
    pub fn is_replaced(&self) -> bool {
        self.filled == Filled::Full
    }

    /// Begins to fill the buffer. Returns the number of bytes that stay in it: bytes that were read stay as
    /// long as there is room, for a reader that seeks back a little.
    pub fn fill(&mut self) -> usize {
        if self.is_replaced() {
            self.forget();
            self.filled = Filled::More;
        }
        self.len
    }

    /// Ends filling the buffer, which has `len` bytes now.
    pub fn filled(&mut self, len: usize, filled: Filled) {
        self.len = len;
        self.filled = filled;
    }

    /// Discards the contents of the buffer.
    pub fn forget(&mut self) {
        self.start = self.start.saturating_add(self.len as u64);
        self.len = 0;
    }
}

/// A text that is made while it is read, and the memory of the reader.
pub trait Paged {
    /// The error of making the text.
    type Error;

    /// Returns the position of the buffer.
    fn pager(&self) -> &Pager;

    /// Fills the buffer after [`Next::Fill`], see [`Pager::fill`].
    fn fill(&mut self) -> Result<(), Self::Error>;

    /// Starts the text again, see [`Pager::restart`].
    fn restart(&mut self);

    /// Copies these bytes of the buffer to the reader. Returns the number of bytes that were copied.
    fn copy(&mut self, bytes: Range<usize>) -> usize;
}

/// Reads up to `most` bytes from `position` on. Returns the number of bytes; 0 at the end. Returns an error
/// only if nothing was read before it; [`None`] stands for a failed copy.
///
/// A read of less than a whole buffer returns bytes of one buffer only: a program that reads a line and seeks
/// back to its end finds there the bytes that it has read.
pub fn read<T: Paged>(text: &mut T, position: u64, most: usize) -> Result<usize, Option<T::Error>> {
    let mut copied = 0usize;
    while copied < most {
        let left = most.saturating_sub(copied);
        match text.pager().next(position.saturating_add(copied as u64)) {
            Next::Copy(Range { start, end }) => {
                let end = end.min(start.saturating_add(left));
                let len = text.copy(start..end);
                copied = copied.saturating_add(len);
                if len != end.saturating_sub(start) {
                    return match copied {
                        0 => Err(None),
                        copied => Ok(copied),
                    };
                }
            }
            Next::Fill if copied != 0 && left < BUFFER && text.pager().is_replaced() => break,
            Next::Fill => match text.fill() {
                Err(error) if copied == 0 => return Err(Some(error)),
                Err(_) => break,
                Ok(()) => {}
            },
            Next::Restart => text.restart(),
            Next::End => break,
        }
    }
    Ok(copied)
}

impl Default for Pager {
    fn default() -> Self {
        Pager::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_written_whole_or_not_at_all() {
        let mut room = [0; 10];
        let mut piece = Piece::new(&mut room, 1);
        assert!(piece.record(|out| out.write_ascii(b"12345")));
        assert!(!piece.record(|out| {
            out.write_char('6')?;
            out.write_str("7890")
        }));
        assert_eq!((piece.len(), piece.room()), (6, 4));
        assert!(piece.record(|out| out.write_str("6789")));
        assert_eq!(room, *b"\x00123456789");
    }

    #[test]
    fn what_was_read_stays_until_the_buffer_is_full() {
        let mut pager = Pager::new();
        assert_eq!(pager.fill(), 0);
        pager.filled(100, Filled::More);
        assert!(!pager.is_replaced());
        assert_eq!(pager.fill(), 100);
        pager.filled(200, Filled::Full);
        assert_eq!(pager.next(50), Next::Copy(50..200));
        assert!(pager.is_replaced());
        assert_eq!(pager.fill(), 0);
        assert_eq!(pager.next(199), Next::Restart);
        assert_eq!(pager.next(200), Next::Fill);
    }

    /// A text with the numbers of bytes in its buffer, each time it is filled; [`None`] if it
    /// cannot be filled.
    struct FakeText<'a> {
        pager: Pager,
        lengths: &'a [Option<usize>],
        /// How many bytes the reader has room for.
        room: usize,
    }

    impl Paged for FakeText<'_> {
        type Error = ();

        fn pager(&self) -> &Pager {
            &self.pager
        }

        fn fill(&mut self) -> Result<(), ()> {
            let stays = self.pager.fill();
            let Some((len, rest)) = self.lengths.split_first() else {
                self.pager.filled(stays, Filled::End);
                return Ok(());
            };
            self.lengths = rest;
            self.pager.filled(stays + len.ok_or(())?, Filled::Full);
            Ok(())
        }

        fn restart(&mut self) {
            unreachable!();
        }

        fn copy(&mut self, bytes: Range<usize>) -> usize {
            let len = bytes.len().min(self.room);
            self.room -= len;
            len
        }
    }

    #[test]
    fn a_read_ends_where_bytes_cannot_be_made_or_copied() {
        let read = |lengths: &[Option<usize>], room, most| {
            let mut text = FakeText {
                pager: Pager::new(),
                lengths,
                room,
            };
            read(&mut text, 0, most)
        };
        let two = [Some(10), Some(20)];
        let all = usize::MAX;
        assert_eq!(read(&two, all, 10 + BUFFER), Ok(30));
        // After the first, less than a whole buffer is left to read.
        assert_eq!(read(&two, all, 9 + BUFFER), Ok(10));
        assert_eq!(read(&two, 15, 10 + BUFFER), Ok(15));
        assert_eq!(read(&two, 0, 5), Err(None));
        assert_eq!(read(&two, 3, 5), Ok(3));
        assert_eq!(read(&[Some(10), None], all, 10 + BUFFER), Ok(10));
        assert_eq!(read(&[None], all, 5), Err(Some(())));
        assert_eq!(read(&[], all, 5), Ok(0));
    }

    #[test]
    fn a_part_of_a_record_is_what_fits() {
        let mut room = [0; 4];
        let mut written = |skip| {
            let mut piece = Piece::new(&mut room, 0);
            let part = piece.part(skip, |out| {
                out.write_str("abc")?;
                out.write_bytes(b"def")
            });
            (part, piece.len(), room)
        };
        assert_eq!(written(0), ((4, false), 4, *b"abcd"));
        assert_eq!(written(2), ((6, true), 4, *b"cdef"));
        assert_eq!(written(4), ((6, true), 2, *b"efef"));
    }
}
