// SPDX-License-Identifier: GPL-2.0

//! The names of threads.

use super::{
    name::Escaped,
    out::Out, //
};
use core::fmt::Result;

/// `TASK_COMM_LEN`.
pub const COMM_LEN: usize = 16;

/// The name of a thread, which may have any bytes but NUL. Empty if it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Comm([u8; COMM_LEN]);

impl Comm {
    /// The name in a C array.
    pub fn new(bytes: [u8; COMM_LEN]) -> Self {
        Comm(bytes)
    }

    /// The C array.
    pub fn as_array(&self) -> &[u8; COMM_LEN] {
        &self.0
    }

    /// The C array, to be written.
    pub fn as_mut_array(&mut self) -> &mut [u8; COMM_LEN] {
        &mut self.0
    }

    /// Appends a blank, and the name as one word: a dash if it is not known.
    pub fn write_after_blank(&self, out: &mut impl Out) -> Result {
        match self.0.split(|byte| *byte == 0).next() {
            Some(name) if !name.is_empty() => write!(out, " {}", Escaped::word(name)),
            _ => out.write_str(" -"),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::abi::out::Buffer;

    fn written(comm: &[u8; COMM_LEN]) -> String {
        let mut room = [0; 80];
        let mut out = Buffer::new(&mut room, 0);
        Comm::new(*comm).write_after_blank(&mut out).unwrap();
        let len = out.len();
        String::from_utf8(room[..len].to_vec()).unwrap()
    }

    #[test]
    fn a_name_is_one_word() {
        assert_eq!(written(b"dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), " dd");
        assert_eq!(
            written(b"a b\n\\\xff\0xxxxxxxxx"),
            " a\\040b\\012\\134\\377"
        );
        assert_eq!(written(&[0; COMM_LEN]), " -");
        assert_eq!(written(&[b'x'; COMM_LEN]), " xxxxxxxxxxxxxxxx");
    }
}
