// SPDX-License-Identifier: GPL-2.0

//! Values made from a fuzzer's bytes.

use crate::model::Event;
use iostat::acct::class::{
    Class,
    Tag, //
};

/// The fuzzer's bytes, used up one value at a time. After the last byte all values are 0, so that every
/// input is valid.
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

    /// Returns one of `count` choices.
    pub fn choice(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// Returns the next bytes unchanged, up to `count`.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Returns a number: a small one takes one byte, any other as many as it needs and one more.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..=0xef => small.into(),
            prefix => {
                let mut bytes = [0; 8];
                let taken = self.bytes(usize::from(prefix & 7) + 1);
                bytes[..taken.len()].copy_from_slice(taken);
                // The upper half of the prefixes stands for numbers close to 2^64.
                match prefix & 8 {
                    0 => u64::from_le_bytes(bytes),
                    _ => !u64::from_le_bytes(bytes),
                }
            }
        }
    }

    /// Returns any event of the block layer.
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

    /// Returns a number of 32 bits, as in a completion of the kernel.
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

/// The number of kinds of [`Event`].
const EVENTS: usize = 10;
