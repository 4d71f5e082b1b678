// SPDX-License-Identifier: GPL-2.0

//! Any path as that of a traced file: what is written is the path, or its end, one word, and nothing is written elsewhere.

#![no_main]

use iostat::abi::file_text::{
    directory,
    join,
    name_at,
    put_text, //
};
use iostat_fuzz::{
    fuzz_target,
    input::Input, //
};

/// Returns what was written, without its escapes.
fn unescaped(written: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = written;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        bytes.push(match first {
            b'\\' => {
                let (digits, behind) = rest.split_at(3);
                rest = behind;
                digits
                    .iter()
                    .fold(0, |byte, digit| byte << 3 | (digit - b'0'))
            }
            _ => *first,
        });
    }
    bytes
}

fn written(text: &[u8], size: usize) -> Vec<u8> {
    let mut to = vec![b' '; size.saturating_add(1)];
    let len = put_text(&mut to[..size], text);
    assert_eq!(to[len], 0);
    assert!(len < size && to[size] == b' ');
    to.truncate(len);
    assert!(to.iter().all(|byte| *byte > b' ' && *byte != 0x7f));
    to
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let size = 12 + input.choice(200);
    let length = input.choice(64);
    let point = input.bytes(length).to_vec();
    let text = input.bytes(data.len());
    let whole = written(text, 4 * text.len() + 12);
    assert_eq!(unescaped(&whole), text);
    let short = written(text, size);
    if whole.len() < size {
        assert_eq!(short, whole);
    } else {
        let end = short
            .strip_prefix(b"...")
            .expect("the beginning is cut off");
        assert!(text.ends_with(&unescaped(end)));
        // No more is missing than what had no room: an escaped byte, and then the rest of a character.
        assert!(size - short.len() <= 7);
    }
    let name = name_at(text);
    assert!(!text[name..].contains(&b'/'));
    match directory(text) {
        Some(directory) if directory != b"/" || name > 1 => {
            assert_eq!([directory, b"/"].concat(), text[..name]);
        }
        Some(_) => assert_eq!(name, 1),
        None => assert_eq!(name, 0),
    }
    let mut buffer = [vec![b'x'; 32], text.to_vec(), vec![0]].concat();
    let start = join(&mut buffer, 32, &point);
    assert!(buffer[..start].iter().all(|byte| *byte == b'x'));
    let path = &buffer[start..buffer.len() - 1];
    match &point[..] {
        b"/" if text.is_empty() || text[0] == 0 => assert_eq!(path[0], b'/'),
        b"/" => assert_eq!(path, text),
        _ if point.is_empty() && (text.is_empty() || text[0] == 0) => assert_eq!(path[0], b'/'),
        _ => {
            let begin = path.strip_suffix(text).expect("the rest is at the end");
            assert!(point.ends_with(begin));
            assert!(begin.len() == point.len().min(32));
        }
    }
});
