// SPDX-License-Identifier: GPL-2.0

//! A text known as a whole, generated while it is read.

use iostat::abi::{
    out::ReplyWriter, //
    pager::{
        read,
        Filled,
        Paged,
        Pager,
        Piece,
        BUFFER, //
    },
};
use std::ops::Range;

/// A text of records; records longer than the buffer are generated in parts.
pub struct Records {
    records: Vec<Vec<u8>>,
    next: usize,
    skip: usize,
    /// The maximal number of records written at a time.
    most: usize,
    buffer: Vec<u8>,
    pager: Pager,
    /// The bytes that a call has read.
    read: Vec<u8>,
    /// How often the text was started.
    pub starts: usize,
}

impl Records {
    pub fn new(lengths: &[usize], most: usize) -> Self {
        let record = |(index, len): (usize, &usize)| {
            let byte = |at: usize| b'a' + ((at ^ index.wrapping_mul(7)) % 26) as u8;
            (0..*len).map(byte).chain([b'\n']).collect()
        };
        Records {
            records: lengths.iter().enumerate().map(record).collect(),
            next: 0,
            skip: 0,
            most,
            buffer: vec![0; BUFFER],
            pager: Pager::new(),
            read: Vec::new(),
            starts: 1,
        }
    }

    pub fn all(&self) -> Vec<u8> {
        self.records.concat()
    }

    /// Returns the bytes of a read of `most` bytes at a position.
    pub fn at(&mut self, position: u64, most: usize) -> Vec<u8> {
        self.read.clear();
        let len = read(self, position, most).unwrap();
        assert_eq!(len, self.read.len());
        assert!(len <= most);
        self.read.clone()
    }

    fn write(&mut self, piece: &mut Piece<'_>) -> Filled {
        for _ in 0..self.most {
            let Some(record) = self.records.get(self.next) else {
                return Filled::End;
            };
            if self.skip != 0 || !piece.record(|out| out.write_bytes(record)) {
                if !piece.is_empty() {
                    return Filled::Full;
                }
                // The same record in several calls, as the columns of a line are.
                let (skip, is_complete) = piece.part(self.skip, |out| {
                    record
                        .chunks(3)
                        .try_for_each(|bytes| out.write_bytes(bytes))
                });
                if !is_complete {
                    self.skip = skip;
                    return Filled::Full;
                }
                assert_eq!(skip, record.len());
            }
            self.skip = 0;
            self.next += 1;
        }
        Filled::More
    }
}

impl Paged for Records {
    type Error = ();

    fn pager(&self) -> &Pager {
        &self.pager
    }

    fn fill(&mut self) -> Result<(), ()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut piece = Piece::new(&mut buffer, self.pager.fill());
        let filled = self.write(&mut piece);
        self.pager.filled(piece.len(), filled);
        self.buffer = buffer;
        Ok(())
    }

    fn restart(&mut self) {
        (self.next, self.skip) = (0, 0);
        self.starts += 1;
        self.pager.restart();
    }

    fn copy(&mut self, bytes: Range<usize>) -> usize {
        self.read.extend_from_slice(&self.buffer[bytes.clone()]);
        bytes.len()
    }
}

/// Returns the bytes at a position of a text.
pub fn slice(all: &[u8], position: u64, len: usize) -> &[u8] {
    let start = (position as usize).min(all.len());
    &all[start..(start + len).min(all.len())]
}
