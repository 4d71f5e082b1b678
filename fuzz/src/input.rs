// SPDX-License-Identifier: GPL-2.0

//! Values made of a fuzzer's bytes.

use crate::model::Event;
use iostat::acct::class::{
    Class,
    Tag, //
};

/// Bytes that are taken one value at a time. After the last, all values are 0: any input says
/// something.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Input(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// One of `count` choices.
    pub fn choice(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// Up to so many bytes as they are.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// A number: small ones in one byte, all others in as many as they need and one more.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..=0xef => small.into(),
            prefix => {
                let mut bytes = [0; 8];
                let taken = self.bytes(usize::from(prefix & 7) + 1);
                bytes[..taken.len()].copy_from_slice(taken);
                // The upper half of the prefixes: numbers close to 2^64.
                match prefix & 8 {
                    0 => u64::from_le_bytes(bytes),
                    _ => !u64::from_le_bytes(bytes),
                }
            }
        }
    }

    /// Any event of the block layer.
    pub fn event(&mut self) -> Event {
        match self.choice(EVENTS) {
            0 => {
                let (class, tag) = self.kind();
                Event::Accept(class, tag)
            }
            1 => {
                let (class, tag) = self.kind();
                Event::Submit(class, tag, self.number() as u32)
            }
            2 => Event::Issue,
            3 => Event::Requeue,
            4 => Event::Part(self.transferred()),
            5 => Event::FlushData(self.transferred()),
            6 => Event::Done(self.transferred()),
            7 => Event::Fail,
            8 => Event::Merge,
            _ => Event::Refuse,
        }
    }

    /// A completion of the kernel speaks of 32 bits.
    fn transferred(&mut self) -> u64 {
        self.number() & u64::from(u32::MAX)
    }

    fn kind(&mut self) -> (Class, Tag) {
        let byte = self.byte();
        let tag = match byte & 4 {
            0 => Tag::Simple,
            _ => Tag::Ordered,
        };
        (Class::ALL[usize::from(byte & 3)], tag)
    }
}

/// How many kinds of [`Event`] there are.
const EVENTS: usize = 10;
