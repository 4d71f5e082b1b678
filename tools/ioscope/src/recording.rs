// SPDX-License-Identifier: GPL-2.0

//! Samples in a file, and from one.
//!
//! A file is [`MAGIC`] and frames. A frame is the length of its content and a CRC-32 of it, of 4 bytes each,
//! little-endian, and the content: a [`frame::Frame`] as postcard writes it. A sample says what changed since the one
//! before. What is cut off or altered ends the file there: all samples before are read.

pub mod frame;
mod names;
pub mod reader;
pub mod replay;
pub mod writer;

/// What a file begins with: a name and a version.
pub const MAGIC: &[u8; 8] = b"ioscope\x01";

/// More than any frame has.
pub const MOST_BYTES: u32 = 1 << 26;

#[cfg(test)]
mod tests;
