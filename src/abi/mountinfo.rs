// SPDX-License-Identifier: GPL-2.0

//! Where file systems are mounted: the text of proc_pid_mountinfo(5), looked up by device.
//!
//! A table consists of the text and of an array of [`Mounted`], which refer to the text. The paths are unescaped in the text,
//! and each ends in a NUL, so that C can use them.

use super::sort::sort_by;
use crate::sync::{
    AtomicU32,
    Ordering::Relaxed, //
};
use core::ops::Range;

/// A path in the text, without its NUL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PathRange {
    start: u32,
    len: u32,
}

impl PathRange {
    fn new(range: Range<usize>) -> Option<Self> {
        Some(PathRange {
            start: u32::try_from(range.start).ok()?,
            len: u32::try_from(range.len()).ok()?,
        })
    }

    fn in_text(self, text: &[u8]) -> &[u8] {
        let end = self.start.saturating_add(self.len);
        // CAST: 32 bits.
        text.get(self.start as usize..end as usize).unwrap_or(&[])
    }
}

/// A line of the table: which part of a file system is mounted, and where.
#[derive(Debug)]
pub struct Mounted {
    dev: u32,
    line: u32,
    root: PathRange,
    point: PathRange,
    is_former: bool,
    /// Not 0 if the super block is gone: another file system may have its device number by now.
    is_gone: AtomicU32,
}

impl Mounted {
    /// Returns the device number of the file system.
    pub fn dev(&self) -> u32 {
        self.dev
    }

    /// Returns the directory of the file system that is mounted.
    pub fn root<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        self.root.in_text(text)
    }

    fn is_gone(&self) -> bool {
        self.is_gone.load(Relaxed) != 0
    }

    /// Marks that the super block is gone.
    pub fn set_gone(&self) {
        self.is_gone.store(1, Relaxed);
    }

    /// Returns the bytes that a copy of its paths needs, with their NULs.
    pub fn copied_len(&self) -> usize {
        // CAST: 32 bits.
        (self.root.len as usize)
            .saturating_add(self.point.len as usize)
            .saturating_add(2)
    }

    fn is_whole(&self) -> bool {
        self.root.len <= 1
    }
}

/// Parses the words of a line: `36 35 98:0 /root /point options`.
fn parse_line(text: &mut [u8], line: Range<usize>, number: u32) -> Option<Mounted> {
    let bytes = text.get(line.clone())?;
    let mut at = line.start;
    let mut words = bytes.split(|byte| *byte == b' ').map(|word| {
        let start = at;
        at = at.saturating_add(word.len()).saturating_add(1);
        start..start.saturating_add(word.len())
    });
    let mut next = || words.next();
    let (_, _, device, root, point) = (next()?, next()?, next()?, next()?, next()?);
    // At least one more word follows.
    next()?;
    let dev = parse_dev(text.get(device)?)?;
    let root = PathRange::new(unescape(text, root)?)?;
    let point = PathRange::new(unescape(text, point)?)?;
    Some(Mounted {
        dev,
        line: number,
        root,
        point,
        is_former: false,
        is_gone: AtomicU32::new(0),
    })
}

/// Parses `major:minor`, and returns the kernel's `dev_t`.
fn parse_dev(word: &[u8]) -> Option<u32> {
    let (major, minor) = core::str::from_utf8(word).ok()?.split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    (major < 1 << 12 && minor < 1 << 20).then_some(major << 20 | minor)
}

/// Replaces each backslash with three octal digits by the byte that they stand for, and writes a NUL behind the word,
/// in place of the blank there. Returns the range of the unescaped word.
fn unescape(text: &mut [u8], word: Range<usize>) -> Option<Range<usize>> {
    let (mut from, mut to) = (word.start, word.start);
    while from < word.end {
        let escaped = text.get(from..word.end).and_then(octal);
        let byte = match escaped {
            Some(byte) => byte,
            None => *text.get(from)?,
        };
        from = from.saturating_add(if escaped.is_some() { 4 } else { 1 });
        *text.get_mut(to)? = byte;
        to = to.saturating_add(1);
    }
    *text.get_mut(to)? = 0;
    Some(word.start..to)
}

/// Returns the byte of an escape at the start of some text.
fn octal(text: &[u8]) -> Option<u8> {
    let [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] = text else {
        return None;
    };
    Some((a & 7) << 6 | (b & 7) << 3 | c & 7)
}

/// Parses a text, and calls `add` with each valid line until that returns false. The paths of the text are unescaped.
pub fn parse(text: &mut [u8], mut add: impl FnMut(Mounted) -> bool) {
    let (mut start, mut number) = (0usize, 0u32);
    while start < text.len() {
        let rest = text.get(start..).unwrap_or(&[]);
        let len = rest.iter().position(|byte| *byte == b'\n');
        let end = start.saturating_add(len.unwrap_or(rest.len()));
        if parse_line(text, start..end, number).is_some_and(|mounted| !add(mounted)) {
            return;
        }
        start = end.saturating_add(1);
        number = number.saturating_add(1);
    }
}

/// Copies the paths of `mounted`, which is no longer mounted, from `text` to `new` behind its first `len` bytes. Returns the line
/// of the new table, and the bytes of `new` that are used.
pub fn copy_former(
    mounted: &Mounted,
    text: &[u8],
    new: &mut [u8],
    len: usize,
    line: u32,
) -> Option<(Mounted, usize)> {
    let mut end = len;
    let mut copy = |path: PathRange| {
        let bytes = path.in_text(text);
        let start = end;
        let until = start.checked_add(bytes.len())?;
        new.get_mut(start..until)?.copy_from_slice(bytes);
        *new.get_mut(until)? = 0;
        end = until.checked_add(1)?;
        PathRange::new(start..until)
    };
    let former = Mounted {
        dev: mounted.dev,
        line,
        root: copy(mounted.root)?,
        point: copy(mounted.point)?,
        is_former: true,
        is_gone: AtomicU32::new(0),
    };
    Some((former, end))
}

/// Sorts the lines by device, and the lines of a device by their order in the text, former ones
/// last.
pub fn sort(mounted: &mut [Mounted]) {
    sort_by(mounted, |one, other| {
        (one.dev, one.line).cmp(&(other.dev, other.line))
    });
}

/// A table: a text, and its lines after [`sort`].
#[derive(Clone, Copy, Debug)]
pub struct MountTable<'a> {
    text: &'a [u8],
    mounted: &'a [Mounted],
}

impl<'a> MountTable<'a> {
    /// Creates a view of a table.
    pub fn new(text: &'a [u8], mounted: &'a [Mounted]) -> Self {
        MountTable { text, mounted }
    }

    /// Returns the index of the first line of a device, or of a later one if it has none. Not `partition_point()`, whose sums
    /// are checked, with a panic.
    fn first_of(self, dev: u32) -> usize {
        let (mut first, mut len) = (0usize, self.mounted.len());
        while len > 0 {
            let half = len / 2;
            let middle = first.wrapping_add(half);
            if self
                .mounted
                .get(middle)
                .is_some_and(|mounted| mounted.dev < dev)
            {
                first = middle.wrapping_add(1);
                len = len.wrapping_sub(half).wrapping_sub(1);
            } else {
                len = half;
            }
        }
        first
    }

    /// Returns the lines of a device.
    pub fn of_dev(self, dev: u32) -> impl Iterator<Item = &'a Mounted> {
        let lines = self.mounted.get(self.first_of(dev)..).unwrap_or(&[]);
        lines.iter().take_while(move |mounted| mounted.dev == dev)
    }

    /// Returns the lines that stay when `new` replaces the table: those of devices that `new` does not have and that
    /// are not gone. Lines that were mounted until now come before former ones.
    pub fn former<'b>(self, new: MountTable<'b>) -> impl Iterator<Item = &'a Mounted> + 'b
    where
        'a: 'b,
    {
        let all = [false, true].into_iter().flat_map(move |is_former| {
            let lines = self.mounted.iter();
            lines.filter(move |mounted| mounted.is_former == is_former)
        });
        all.filter(move |mounted| !mounted.is_gone() && new.of_dev(mounted.dev).next().is_none())
    }

    /// Returns the mount point of a whole file system: its index in the text.
    pub fn of_all(self, dev: u32) -> Option<usize> {
        let mut lines = self.of_dev(dev);
        let whole = lines.find(|mounted| mounted.is_whole() && !mounted.is_gone())?;
        // CAST: 32 bits.
        Some(whole.point.start as usize)
    }

    /// Returns where a file is mounted: the index of the mount point in the text, and the length of the part of `path`
    /// that is above the mounted directory. The mount of a whole file system is preferred to that of a part.
    pub fn of(self, dev: u32, path: &[u8]) -> Option<(usize, usize)> {
        let mut found = None;
        for mounted in self.of_dev(dev).filter(|mounted| !mounted.is_gone()) {
            let Some(skipped) = below(path, mounted.root(self.text)) else {
                continue;
            };
            if found.is_none() || mounted.is_whole() {
                // CAST: 32 bits.
                found = Some((mounted.point.start as usize, skipped));
            }
            if mounted.is_whole() {
                break;
            }
        }
        found
    }

    /// Returns the mount point of the file under which its path is `name`: the index in the text.
    pub fn at(self, dev: u32, path: &[u8], name: &[u8]) -> Option<usize> {
        let mut lines = self.of_dev(dev).filter(|mounted| !mounted.is_former);
        let found = lines.find(|mounted| {
            let skipped = below(path, mounted.root(self.text));
            let left = skipped.and_then(|skipped| path.get(skipped..));
            left.is_some_and(|left| is_name_of(name, mounted.point.in_text(self.text), left))
        });
        // CAST: 32 bits.
        found.map(|mounted| mounted.point.start as usize)
    }
}

/// Returns the length of `root` in a path that is below it; 0 if `root` is "/".
fn below(path: &[u8], root: &[u8]) -> Option<usize> {
    if root.len() == 1 {
        return Some(0);
    }
    let left = path.strip_prefix(root)?;
    matches!(left, [] | [b'/', ..]).then_some(root.len())
}

/// Returns whether a name is that of the path `left` below a mount point, which is "/" or does not end in a slash.
fn is_name_of(name: &[u8], point: &[u8], left: &[u8]) -> bool {
    let point = if point.len() > 1 { point } else { &[] };
    let Some(name) = name.strip_prefix(point) else {
        return false;
    };
    name == left || (point.is_empty() && left.is_empty() && name == b"/")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const TEXT: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 8:2 /home /home rw - ext4 /dev/sda2 rw
24 22 8:2 / /mnt/a\\040disk rw - ext4 /dev/sda2 rw
25 22 8:2 /home/u /srv rw - ext4 /dev/sda2 rw
26 22 0:5 / /proc rw - proc proc rw
not a line
27 22 8:x / /no rw - ext4 none rw
28 22 8:3 / /last";

    fn table(text: &str) -> (Vec<u8>, Vec<Mounted>) {
        let (mut text, mut mounted) = (text.as_bytes().to_vec(), Vec::new());
        text.push(0);
        parse(&mut text, |line| {
            mounted.push(line);
            true
        });
        sort(&mut mounted);
        (text, mounted)
    }

    fn path(text: &[u8], start: usize) -> &str {
        let path = text[start..].split(|byte| *byte == 0).next().unwrap();
        core::str::from_utf8(path).unwrap()
    }

    const fn dev(major: u32, minor: u32) -> u32 {
        major << 20 | minor
    }

    #[test]
    fn lines_are_parsed_and_unescaped() {
        let (text, mounted) = table(TEXT);
        let found = mounted.iter().map(|line| {
            let (root, point) = (line.root(&text), line.point.in_text(&text));
            (line.dev(), line.line, root, point)
        });
        let expected: [(u32, u32, &[u8], &[u8]); 5] = [
            (dev(0, 5), 4, b"/", b"/proc"),
            (dev(8, 1), 0, b"/", b"/"),
            (dev(8, 2), 1, b"/home", b"/home"),
            (dev(8, 2), 2, b"/", b"/mnt/a disk"),
            (dev(8, 2), 3, b"/home/u", b"/srv"),
        ];
        assert!(found.eq(expected));
    }

    #[test]
    fn escapes_are_three_octal_digits() {
        for (escaped, bytes) in [
            ("\\040", &b" "[..]),
            ("\\377", b"\xff"),
            ("\\400", b"\\400"),
            ("\\08a", b"\\08a"),
            ("a\\0", b"a\\0"),
            ("\\\\011", b"\\\t"),
            ("\\134040", b"\\040"),
        ] {
            let mut text = format!("{escaped} ").into_bytes();
            let len = text.len() - 1;
            let range = unescape(&mut text, 0..len).unwrap();
            assert_eq!(text[range.clone()], *bytes);
            assert_eq!(text[range.end], 0);
        }
    }

    #[test]
    fn a_whole_file_system_is_preferred() {
        let (text, mounted) = table(TEXT);
        let table = MountTable::new(&text, &mounted);
        let of = |dev, file: &str| {
            let (point, skipped) = table.of(dev, file.as_bytes())?;
            Some((path(&text, point), file[skipped..].to_string()))
        };
        let is = |point, left: &str| Some((point, left.to_string()));
        assert_eq!(of(dev(8, 1), "/etc/fstab"), is("/", "/etc/fstab"));
        assert_eq!(of(dev(8, 2), "/home/u/x"), is("/mnt/a disk", "/home/u/x"));
        assert_eq!(of(dev(8, 3), "/x"), None);
        assert_eq!(of(dev(8, 4), "/x"), None);
        assert_eq!(
            table.of_all(dev(8, 2)).map(|at| path(&text, at)),
            Some("/mnt/a disk")
        );
        for line in table.of_dev(dev(8, 2)).filter(|line| line.is_whole()) {
            line.set_gone();
        }
        assert_eq!(of(dev(8, 2), "/home/u/x"), is("/home", "/u/x"));
        assert_eq!(of(dev(8, 2), "/homely"), None);
        assert_eq!(of(dev(8, 2), "/home"), is("/home", ""));
        assert_eq!(table.of_all(dev(8, 2)), None);
    }

    #[test]
    fn a_name_is_found_where_the_file_has_it() {
        let (text, mounted) = table(TEXT);
        let table = MountTable::new(&text, &mounted);
        let at = |dev, file: &str, name: &str| {
            let point = table.at(dev, file.as_bytes(), name.as_bytes())?;
            Some(path(&text, point))
        };
        assert_eq!(at(dev(8, 2), "/home/u/x", "/home/u/x"), Some("/home"));
        assert_eq!(at(dev(8, 2), "/home/u/x", "/srv/x"), Some("/srv"));
        assert_eq!(
            at(dev(8, 2), "/home/u/x", "/mnt/a disk/home/u/x"),
            Some("/mnt/a disk")
        );
        assert_eq!(at(dev(8, 2), "/home/u", "/srv"), Some("/srv"));
        assert_eq!(at(dev(8, 2), "/home/u/x", "/srv/y"), None);
        assert_eq!(at(dev(8, 1), "/x", "/x"), Some("/"));
        assert_eq!(at(dev(8, 1), "", "/"), Some("/"));
        assert_eq!(at(dev(8, 1), "/x", "/y"), None);
        assert_eq!(at(dev(8, 1), "/x", "/"), None);
        assert_eq!(at(dev(8, 1), "", "x"), None);
    }

    #[test]
    fn device_numbers_have_12_and_20_bits() {
        assert_eq!(parse_dev(b"4095:1048575"), Some(u32::MAX));
        for word in ["4096:0", "0:1048576", "1", "1:", ":1", "1:-1", "1:2:3"] {
            assert_eq!(parse_dev(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn what_was_mounted_until_now_stays_first() {
        let (text, mut mounted) = table(TEXT);
        let (none, no_lines) = table("");
        // The lines of the first device were former ones already.
        mounted[0].is_former = true;
        let table = MountTable::new(&text, &mounted);
        let former = table.former(MountTable::new(&none, &no_lines));
        let devs: Vec<u32> = former.map(Mounted::dev).collect();
        assert_eq!(
            devs,
            [dev(8, 1), dev(8, 2), dev(8, 2), dev(8, 2), dev(0, 5)]
        );
    }

    #[test]
    fn what_is_no_longer_mounted_stays_until_it_is_gone() {
        let (old_text, old) = table(TEXT);
        let (mut text, mut mounted) = table("22 1 8:1 / / rw - ext4 /dev/sda1 rw");
        let old_table = MountTable::new(&old_text, &old);
        old_table.of_dev(dev(0, 5)).for_each(Mounted::set_gone);
        let before = MountTable::new(&text, &mounted);
        let former: Vec<&Mounted> = old_table.former(before).collect();
        assert_eq!(
            former.iter().map(|line| line.dev).collect::<Vec<_>>(),
            [dev(8, 2); 3]
        );
        let mut len = text.len();
        text.resize(
            len + former.iter().map(|line| line.copied_len()).sum::<usize>(),
            1,
        );
        for line in former {
            let copy = copy_former(line, &old_text, &mut text, len, 9);
            let (copy, end) = copy.expect("there is room");
            mounted.push(copy);
            len = end;
        }
        assert_eq!(len, text.len());
        sort(&mut mounted);
        let table = MountTable::new(&text, &mounted);
        let point = table.of_all(dev(8, 2)).map(|at| path(&text, at));
        assert_eq!(point, Some("/mnt/a disk"));
        assert_eq!(table.at(dev(8, 2), b"/home/u", b"/srv"), None);
        assert!(copy_former(&old[0], &old_text, &mut text, len, 9).is_none());
    }
}
