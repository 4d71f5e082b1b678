// SPDX-License-Identifier: GPL-2.0

//! The texts of a trace event that say which file an I/O belongs to.
//!
//! A byte that would end a word or a line (a blank, a control character), and the backslash, are written as a backslash and
//! three octal digits, as in proc_pid_mountinfo(5). Of a text that is too long the end is kept, behind `...`.

/// The first characters of a text whose beginning was cut off.
const DOTS: &[u8] = b"...";

/// Returns whether a byte is escaped. Unlike in a name ([`super::name`]), UTF-8 is not escaped.
fn is_escaped(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | b'\\' | 0x7f)
}

/// Returns how many bytes are written for a byte.
fn width(byte: u8) -> usize {
    match is_escaped(byte) {
        true => 4,
        false => 1,
    }
}

/// Returns the longest end of a text that takes at most `room` bytes when it is written. It begins with a whole character of
/// UTF-8.
fn end_that_fits(text: &[u8], mut room: usize) -> &[u8] {
    let bytes = text.iter().rev().take_while(|byte| {
        let left = room.checked_sub(width(**byte));
        room = left.unwrap_or(0);
        left.is_some()
    });
    let end = text.get(text.len().saturating_sub(bytes.count())..);
    let end = end.unwrap_or(&[]);
    // Up to three bytes may be left of a character that was cut.
    let is_rest = |byte: &&u8| **byte & 0xc0 == 0x80;
    let rest = end.iter().take(3).take_while(is_rest).count();
    end.get(rest..).unwrap_or(&[])
}

/// Writes a text and a NUL, which take at most `to`, and returns the length of the text as it is written. `to` has room for
/// `...` and an escaped byte at least.
pub fn put_text(to: &mut [u8], text: &[u8]) -> usize {
    let room = to.len().saturating_sub(1);
    let is_plain = !text.iter().any(|byte| is_escaped(*byte));
    if let (true, Some((into, [nul, ..]))) = (is_plain, to.split_at_mut_checked(text.len())) {
        into.copy_from_slice(text);
        *nul = 0;
        return text.len();
    }
    let mut len = 0usize;
    let mut put = |byte: u8| {
        if let Some(place) = to.get_mut(..room).and_then(|to| to.get_mut(len)) {
            *place = byte;
            len = len.wrapping_add(1);
        }
    };
    let whole = text.iter().map(|byte| width(*byte));
    let kept = match whole.fold(0, usize::saturating_add) <= room {
        true => text,
        false => {
            DOTS.iter().for_each(|byte| put(*byte));
            end_that_fits(text, room.saturating_sub(DOTS.len()))
        }
    };
    for byte in kept {
        if is_escaped(*byte) {
            put(b'\\');
            for shift in [6, 3, 0] {
                put(b'0' | byte >> shift & 7);
            }
        } else {
            put(*byte);
        }
    }
    if let Some(nul) = to.get_mut(len) {
        *nul = 0;
    }
    len
}

/// Returns where the last component of a path begins.
pub fn name_at(path: &[u8]) -> usize {
    let slash = path.iter().rposition(|byte| *byte == b'/');
    slash.map_or(0, |slash| slash.saturating_add(1))
}

/// Returns a path without its last component: "/" for a file in the root. [`None`] if the path has only one component,
/// as its beginning was cut off.
pub fn directory(path: &[u8]) -> Option<&[u8]> {
    let before = name_at(path).checked_sub(1)?;
    path.get(..before.max(1))
}

/// Writes a mount point in front of the rest of a path, which begins at `rest` in `buffer` and ends with a NUL, and
/// returns where the whole path begins. If the mount point does not fit, its end is kept.
pub fn join(buffer: &mut [u8], rest: usize, point: &[u8]) -> usize {
    // A path below the root is complete.
    let point = if point == b"/" { &[] } else { point };
    let start = rest.saturating_sub(point.len());
    let (into, from) = (buffer.get_mut(start..rest), point.iter().rev());
    for (into, from) in into.into_iter().flatten().rev().zip(from) {
        *into = *from;
    }
    if start != rest || buffer.get(rest) != Some(&0) {
        return start;
    }
    // The root itself.
    let start = rest.saturating_sub(1);
    if let Some(slash) = buffer.get_mut(start) {
        *slash = b'/';
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(size: usize, text: impl AsRef<[u8]>) -> String {
        let mut to = [b'x'; 64];
        let len = put_text(&mut to[..size], text.as_ref());
        assert_eq!(to[len], 0);
        assert!(to[size..].iter().all(|byte| *byte == b'x'));
        String::from_utf8(to[..len].to_vec()).unwrap()
    }

    #[test]
    fn what_would_end_a_word_is_escaped() {
        assert_eq!(put(64, "/srv/a b\\c\n"), "/srv/a\\040b\\134c\\012");
        assert_eq!(put(64, b"\x01\x1f\x7f!~"), "\\001\\037\\177!~");
        assert_eq!(put(64, "/größe"), "/größe");
        assert_eq!(put(64, ""), "");
    }

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        assert_eq!(put(12, "12345678901"), "12345678901");
        assert_eq!(put(12, "123456789012"), "...56789012");
        // An escaped byte has room as a whole, or not at all.
        assert_eq!(put(12, "1 3456"), "1\\0403456");
        assert_eq!(put(12, "1234 5678"), "...\\0405678");
        assert_eq!(put(12, "1234 56789"), "...56789");
    }

    #[test]
    fn a_character_is_not_cut_through() {
        // Two, three and four bytes long.
        for (long, kept) in [
            ("123ö4567890", "...4567890"),
            ("1234ö567890", "...ö567890"),
            ("123€4567890", "...4567890"),
            ("123😀456789", "...456789"),
            ("1234😀4567", "...😀4567"),
        ] {
            assert_eq!(put(12, long), kept, "{long}");
        }
        // A text that is not UTF-8 loses three bytes at most.
        let text = [0x80; 20];
        let mut to = [0; 12];
        assert_eq!(put_text(&mut to, &text), 8);
        assert_eq!(&to[..9], b"...\x80\x80\x80\x80\x80\0");
    }

    #[test]
    fn a_path_has_a_name_and_a_directory() {
        for (path, directory_of, name) in [
            ("/a", Some("/"), "a"),
            ("/a/b", Some("/a"), "b"),
            ("/a/", Some("/a"), ""),
            ("/", Some("/"), ""),
            (".../b", Some("..."), "b"),
            ("...ab", None, "...ab"),
        ] {
            assert_eq!(
                directory(path.as_bytes()),
                directory_of.map(str::as_bytes),
                "{path}"
            );
            assert_eq!(&path[name_at(path.as_bytes())..], name);
        }
    }

    fn joined(size: usize, rest: &str, point: &str) -> String {
        let mut buffer = vec![b'x'; size];
        let at = size - rest.len() - 1;
        buffer[at..size - 1].copy_from_slice(rest.as_bytes());
        buffer[size - 1] = 0;
        let start = join(&mut buffer, at, point.as_bytes());
        assert!(buffer[..start].iter().all(|byte| *byte == b'x'));
        String::from_utf8(buffer[start..size - 1].to_vec()).unwrap()
    }

    #[test]
    fn a_mount_point_is_written_in_front() {
        assert_eq!(joined(20, "/file", "/mnt/data"), "/mnt/data/file");
        assert_eq!(joined(20, "", "/mnt/data"), "/mnt/data");
        assert_eq!(joined(20, "/file", "/"), "/file");
        assert_eq!(joined(20, "", "/"), "/");
        assert_eq!(joined(9, "/file", "/mnt"), "mnt/file");
        assert_eq!(joined(6, "/file", "/mnt"), "/file");
    }
}
