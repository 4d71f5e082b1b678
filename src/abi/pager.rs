// SPDX-License-Identifier: GPL-2.0

//! Text that is made while it is read, as the kernel's seq_file makes it.
//!
//! An open file has one buffer, however long its text is. It is filled with whole records, each of which
//! is of one moment; the reader gets what is in it, and then it is filled again. What makes the
//! records remembers by itself which one is next. The text is made anew, from its start on, if a reader
//! goes back to what is no longer in the buffer.

use super::{
    out::{
        Buffer,
        Out, //
    },
    region_text::Reply, //
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

/// Bytes of the buffer. The longest line of a device or a histogram fits.
pub const BUFFER: usize = 4096;

/// The buffer while it is filled.
pub struct Piece<'a>(Buffer<'a>);

impl<'a> Piece<'a> {
    /// A buffer of which the first `len` bytes are used.
    pub fn new(room: &'a mut [u8], len: usize) -> Self {
        Piece(Buffer::new(room, len))
    }

    /// Bytes that are used.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is used: then a record that does not fit never will.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that are not used.
    pub fn room(&self) -> usize {
        self.0.room()
    }

    /// Gives up everything behind the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Writes a record, or nothing if there is no room for all of it. Returns whether it was written.
    pub fn record(&mut self, write: impl FnOnce(&mut Self) -> fmt::Result) -> bool {
        let len = self.len();
        let is_written = write(self).is_ok();
        if !is_written {
            self.truncate(len);
        }
        is_written
    }

    /// Writes as much of a record as there is room for, behind its first `skip` bytes. Returns how many bytes
    /// of it are written then, these included, and whether it is complete.
    ///
    /// For a record that is longer than the buffer: it must be the same each time.
    pub fn part(
        &mut self,
        skip: usize,
        write: impl FnOnce(&mut Part<'_, 'a>) -> fmt::Result,
    ) -> (usize, bool) {
        let len = self.len();
        let mut part = Part { piece: self, skip };
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
}

impl Reply for Piece<'_> {
    #[inline]
    fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        self.0.write_bytes(bytes)
    }
}

/// See [`Piece::part`].
pub struct Part<'a, 'b> {
    piece: &'a mut Piece<'b>,
    skip: usize,
}

impl Write for Part<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}

impl Out for Part<'_, '_> {}

impl Reply for Part<'_, '_> {
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

/// Why no more was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The next record does not fit, or may not: an empty buffer is needed.
    Full,
    /// There is room, but enough was done at a time.
    More,
    /// The text ends here.
    End,
}

/// What is to be done for a reader at some position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These bytes of the buffer are what it reads.
    Copy(Range<usize>),
    /// The buffer is to be filled, see [`Pager::fill`].
    Fill,
    /// The text is to be made from its start on, see [`Pager::restart`].
    Restart,
    /// The text ends there or before.
    End,
}

/// Which part of the text is in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Pager {
    start: u64,
    len: usize,
    filled: Filled,
}

impl Pager {
    /// Nothing of a text that begins.
    pub const fn new() -> Self {
        Pager {
            start: 0,
            len: 0,
            filled: Filled::More,
        }
    }

    /// What is to be done for a reader at this position.
    pub fn next(&self, position: u64) -> Next {
        let Some(into) = position.checked_sub(self.start) else {
            return Next::Restart;
        };
        match usize::try_from(into) {
            Ok(into) if into < self.len => Next::Copy(into..self.len),
            _ if self.filled == Filled::End => Next::End,
            // What is before the position is passed over.
            _ => Next::Fill,
        }
    }

    /// The text begins again.
    pub fn restart(&mut self) {
        *self = Pager::new();
    }

    /// Whether what is in the buffer is to be replaced when it is filled.
    pub fn is_replaced(&self) -> bool {
        self.filled == Filled::Full
    }

    /// How many bytes of the buffer stay when it is filled now: what was read last stays as long as there is
    /// room, for a reader that goes back a little.
    pub fn fill(&mut self) -> usize {
        if self.is_replaced() {
            self.forget();
            self.filled = Filled::More;
        }
        self.len
    }

    /// It was filled, and has so many bytes now.
    pub fn filled(&mut self, len: usize, filled: Filled) {
        self.len = len;
        self.filled = filled;
    }

    /// Nothing is in the buffer any more.
    pub fn forget(&mut self) {
        self.start = self.start.saturating_add(self.len as u64);
        self.len = 0;
    }
}

/// A text that is made while it is read, and the reader's memory.
pub trait Paged {
    /// Why it cannot be made.
    type Error;

    /// What is in the buffer.
    fn pager(&self) -> &Pager;

    /// Fills the buffer: after [`Next::Fill`], see [`Pager::fill`].
    fn fill(&mut self) -> Result<(), Self::Error>;

    /// Begins to make the text again, see [`Pager::restart`].
    fn restart(&mut self);

    /// Copies these bytes of the buffer to the reader. Returns how many could be copied.
    fn copy(&mut self, bytes: Range<usize>) -> usize;
}

/// Reads up to `most` bytes from a position on. Returns how many; none at the end. An error only if nothing was
/// read before it; [`None`] if that could not be copied.
///
/// A read of less than a whole buffer is of one buffer: a program that reads lines, and goes back to the end of
/// the first, finds there what it has read.
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
