// SPDX-License-Identifier: GPL-2.0

//! The names of disks, partitions, drivers and modules: how they are stored, and how they are printed.
//!
//! A name is stored as the kernel has it: any bytes except NUL. In printed text, each byte that is not
//! printable ASCII, each blank and each backslash is replaced by a backslash and three octal digits, as in
//! `/proc/self/mountinfo`: a printed name is one word, and different names are printed differently.
//! [`Word::unescaped`](super::message::word::Word::unescaped) converts them back.

use super::out::Out;
use core::fmt::{
    self,
    Display,
    Write, //
};

/// The length of a name in bytes, including a NUL. The longest name of a block device is that of a partition:
/// `DISK_NAME_LEN` - 1 bytes for the disk, a `p`, and the three digits of a number below `DISK_MAX_PARTS`, 35
/// bytes in all. The longest name of a module has 55.
pub const NAME_LEN: usize = 64;

/// The maximum length of a printed name in bytes.
pub const WRITTEN_LEN: usize = 4 * (NAME_LEN - 1);

/// A name, stored in place. Longer names, which drivers may have, are cut at [`NAME_LEN`] - 1 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; NAME_LEN],
    len: u8,
}

impl Default for Name {
    fn default() -> Self {
        Name {
            bytes: [0; NAME_LEN],
            len: 0,
        }
    }
}

impl Name {
    /// Creates a name of the text up to its first NUL.
    pub fn new(text: &[u8]) -> Self {
        let mut name = Name::default();
        name.append(text);
        name
    }

    fn append(&mut self, text: &[u8]) {
        let room = self.bytes.iter_mut().take(NAME_LEN.saturating_sub(1));
        let room = room.skip(usize::from(self.len));
        for (into, from) in room.zip(text.iter().take_while(|byte| **byte != 0)) {
            *into = *from;
            self.len = self.len.saturating_add(1);
        }
    }

    /// Returns the name followed by a unit or instance number.
    pub fn with_unit(&self, unit: impl Into<i64>) -> Self {
        let mut digits = InlineText::<20>::default();
        let unit: i64 = unit.into();
        let _ = write!(digits, "{unit}");
        let mut name = *self;
        name.append(digits.as_bytes());
        name
    }

    /// Returns the bytes of the name.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or(&[])
    }

    /// Returns the name padded with NULs: the contents of a C array of [`NAME_LEN`] bytes.
    pub fn as_array(&self) -> &[u8; NAME_LEN] {
        &self.bytes
    }

    /// Prints the name.
    pub fn write(&self, out: &mut impl Out) -> fmt::Result {
        let bytes = self.bytes();
        match bytes.iter().all(|byte| is_plain(*byte)) {
            true => out.write_ascii(bytes),
            false => write!(out, "{self}"),
        }
    }

    /// Returns the printed name, stored in place.
    pub fn written(&self) -> InlineText<WRITTEN_LEN> {
        let mut text = InlineText::default();
        // The longest name fits.
        let _ = write!(text, "{self}");
        text
    }

    /// Splits the name into the number at its end and the text before it: devstat splits `nullb12` in this way.
    /// A number that does not fit becomes 0.
    pub fn unit(&self) -> (&[u8], u32) {
        let bytes = self.bytes();
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        let digits = bytes.iter().rev().take_while(is_digit).count();
        let split = bytes.split_at_checked(bytes.len().saturating_sub(digits));
        let (name, digits) = split.unwrap_or((bytes, &[]));
        let digits = core::str::from_utf8(digits).unwrap_or("");
        (name, digits.parse().unwrap_or(0))
    }
}

/// Prints the name.
impl Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaped::word(self.bytes()).fmt(out)
    }
}

/// Returns whether a byte of a word is printed as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'\\'
}

/// Bytes to be printed, some of them escaped.
#[derive(Clone, Copy)]
pub struct Escaped<'a> {
    bytes: &'a [u8],
    is_plain: fn(u8) -> bool,
}

impl<'a> Escaped<'a> {
    /// Escapes a word of a line.
    pub fn word(bytes: &'a [u8]) -> Self {
        Escaped { bytes, is_plain }
    }

    /// Escapes a part of `module:instance:name:statistic`, so that as a selector it matches only itself.
    pub fn part(bytes: &'a [u8]) -> Self {
        let is_plain = |byte: u8| {
            byte.is_ascii_graphic() && !matches!(byte, b'\\' | b':' | b'*' | b'?' | b'[')
        };
        Escaped { bytes, is_plain }
    }

    /// Escapes the rest of a line: blanks are not escaped.
    pub fn rest(bytes: &'a [u8]) -> Self {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
        Escaped { bytes, is_plain }
    }

    /// Returns the number of bytes that are printed for a byte.
    fn width(&self, byte: u8) -> usize {
        match (self.is_plain)(byte) {
            true => 1,
            false => 4,
        }
    }
}

impl Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.bytes {
            match (self.is_plain)(*byte) {
                true => out.write_char((*byte).into())?,
                false => write!(out, "\\{byte:03o}")?,
            }
        }
        Ok(())
    }
}

/// ASCII text of up to `N` bytes, stored in place.
pub struct InlineText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Default for InlineText<N> {
    fn default() -> Self {
        InlineText {
            bytes: [0; N],
            len: 0,
        }
    }
}

impl<const N: usize> InlineText<N> {
    /// Returns the text.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&[])
    }
}

/// Returns an error, and writes nothing, if there is no room.
impl<const N: usize> Write for InlineText<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len.checked_add(text.len()).ok_or(fmt::Error)?;
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        for (into, from) in room.iter_mut().zip(text.bytes()) {
            *into = from;
        }
        self.len = end;
        Ok(())
    }
}

/// Prints a value to a C array of `N` bytes, with at least one NUL; [`None`] if it does not fit.
pub fn array<const N: usize>(text: impl Display) -> Option<[u8; N]> {
    let mut array = InlineText::<N>::default();
    write!(array, "{text}").ok()?;
    (array.len < N).then_some(array.bytes)
}

/// Prints bytes as one word to a C array of `N` bytes, with at least one NUL. A word that is too long is
/// replaced by `...` and as much of its end as fits.
pub fn keep_end<const N: usize>(bytes: &[u8]) -> [u8; N] {
    const DOTS: &str = "...";
    if let Some(array) = array(Escaped::word(bytes)) {
        return array;
    }
    let mut room = N.saturating_sub(1).saturating_sub(DOTS.len());
    let escaped = Escaped::word(bytes);
    let fits = |byte: &&u8| {
        let width = escaped.width(**byte);
        let left = room.checked_sub(width);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let kept = bytes.iter().rev().take_while(fits).count();
    let end = bytes.len().saturating_sub(kept);
    let end = Escaped::word(bytes.get(end..).unwrap_or(&[]));
    array(format_args!("{DOTS}{end}")).unwrap_or([0; N])
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_name))]
mod tests {
    use super::*;

    fn is_written(bytes: &[u8], text: &str) -> bool {
        Name::new(bytes).written().as_bytes() == text.as_bytes()
    }

    #[test]
    fn names_are_whole_and_split() {
        assert_eq!(Name::new(b"sda\0rest").bytes(), b"sda");
        assert_eq!(Name::new(&[b'x'; 99]).bytes().len(), NAME_LEN - 1);
        assert_eq!(Name::new(b"nullb12").unit(), (&b"nullb"[..], 12));
        assert_eq!(Name::new(b"nvme0n1").unit(), (&b"nvme0n"[..], 1));
        assert_eq!(Name::new(b"sda").unit(), (&b"sda"[..], 0));
        assert_eq!(Name::new(b"x99999999999").unit(), (&b"x"[..], 0));
        assert_eq!(Name::new(b"\xff7").unit(), (&b"\xff"[..], 7));
        assert_eq!(Name::new(b"sa2").with_unit(1).bytes(), b"sa21");
        assert_eq!(Name::new(b"sd").with_unit(-1).bytes(), b"sd-1");
        let longest = Name::new(&[b'x'; 15]).with_unit(u32::MAX);
        assert_eq!(longest.bytes(), b"xxxxxxxxxxxxxxx4294967295");
    }

    #[test]
    fn odd_bytes_are_escaped_without_loss() {
        assert!(is_written(b"nvme0n1p2", "nvme0n1p2"));
        assert!(is_written(b"cciss!c0d0", "cciss!c0d0"));
        assert!(is_written(b"a b", "a\\040b"));
        assert!(is_written(b"a?b", "a?b"));
        assert!(is_written(b"a\nb", "a\\012b"));
        assert!(is_written(b"a\\040b", "a\\134040b"));
        assert!(is_written(b"\x01\x7f\xc3\xa4", "\\001\\177\\303\\244"));
        let longest = Name::new(&[0xff; NAME_LEN]);
        assert_eq!(longest.written().as_bytes().len(), WRITTEN_LEN);
    }

    #[test]
    fn parts_of_an_id_select_only_themselves() {
        let written = array::<32>(Escaped::part(b"a:b *?[x]"));
        assert_eq!(written, array(r"a\072b\040\052\077\133x]"));
        assert_eq!(array::<16>(Escaped::rest(b"a: \t")), array(r"a: \011"));
    }

    #[test]
    fn arrays_end_in_a_nul() {
        assert_eq!(array::<4>("abc"), Some(*b"abc\0"));
        assert_eq!(array::<4>("abcd"), None);
        assert_eq!(array::<0>(""), None);
    }

    #[test]
    fn texts_that_are_too_long_keep_their_end() {
        assert_eq!(keep_end::<6>(b"/a/b"), *b"/a/b\0\0");
        assert_eq!(keep_end::<5>(b"/a/b"), *b"/a/b\0");
        assert_eq!(keep_end::<8>(b"/long/path"), *b"...path\0");
        assert_eq!(keep_end::<9>(b"/long/pa\nh"), *b"...\\012h\0");
        assert_eq!(keep_end::<8>(b"/long/pa\nh"), *b"...h\0\0\0\0");
        assert_eq!(keep_end::<2>(b"/a"), *b"\0\0");
    }
}
