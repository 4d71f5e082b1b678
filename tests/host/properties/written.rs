// SPDX-License-Identifier: GPL-2.0

//! Escaped names, compared with a model of tables and strings. Shared with the fuzz targets.

use iostat::abi::{
    identity::{
        numbers,
        statname, //
    },
    kstat_text,
    message::{
        kstat::Kstat,
        parse, //
    },
    name::{
        keep_end,
        Name,
        NAME_LEN,
        WRITTEN_LEN, //
    }, //
};

/// Returns a name as mountinfo would escape it, had it all of our characters to escape.
fn escaped(bytes: &[u8], plain: &str) -> String {
    let one = |byte: &u8| match plain.contains(char::from(*byte)) && byte.is_ascii() {
        true => char::from(*byte).to_string(),
        false => format!("\\{}{}{}", byte / 64, byte / 8 % 8, byte % 8),
    };
    bytes.iter().map(one).collect()
}

/// Returns the printable ASCII characters except these.
fn all_but(these: &str) -> String {
    let all = (b'!'..=b'~').map(char::from);
    all.filter(|c| !these.contains(*c)).collect()
}

/// Whether a message that begins with this word is for the disk of this name.
fn is_to(word: &str, name: &[u8]) -> bool {
    let line = format!("{word} @stats_list");
    parse(line.as_bytes()).is_ok_and(|(disk, _)| disk.is_disk(name))
}

/// Checks any bytes as a name: kept complete, written as one word, read back from it.
pub fn assert_name(bytes: &[u8]) {
    let name = Name::new(bytes);
    let whole = bytes.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let kept = &whole[..whole.len().min(NAME_LEN - 1)];
    assert_eq!(name.bytes(), kept);
    let (used, padding) = name.as_array().split_at(kept.len());
    assert_eq!(used, kept);
    assert!(!padding.is_empty() && padding.iter().all(|byte| *byte == 0));

    let written = name.to_string();
    assert_eq!(written, escaped(kept, &all_but("\\")));
    assert_eq!(name.written().as_bytes(), written.as_bytes());
    assert!(written.len() <= WRITTEN_LEN);
    assert!(written.bytes().all(|byte| byte.is_ascii_graphic()));

    let (word, number) = name.unit();
    let digits = kept.strip_prefix(word).unwrap();
    assert!(digits.iter().all(u8::is_ascii_digit));
    assert!(!word.last().is_some_and(u8::is_ascii_digit));
    let digits = std::str::from_utf8(digits).unwrap();
    assert!(number == 0 || digits.trim_start_matches('0') == number.to_string());

    // A disk's name is neither empty nor contains slashes in the kernel.
    if kept.is_empty() || kept.contains(&b'/') {
        return;
    }
    assert!(is_to(&written, kept));
    assert!(is_to(&format!("/dev/{written}"), kept));
    assert!(is_to(&format!("/dev/{}", written.replace('!', "/")), kept));
    assert!(!is_to(&format!("{written}1"), kept));
    assert!(!is_to(&format!("x{written}"), kept));
}

/// Checks that two names are written alike only if they are equal, and that each word stands for one.
pub fn assert_distinguished(one: &[u8], other: &[u8]) {
    let (one, other) = (Name::new(one), Name::new(other));
    assert_eq!(one == other, one.to_string() == other.to_string());
    let has_slash = |name: &Name| name.bytes().contains(&b'/');
    if one.bytes().is_empty() || has_slash(&one) || has_slash(&other) {
        return;
    }
    assert_eq!(one == other, is_to(&one.to_string(), other.bytes()));
}

/// Checks that a kstat is selected by its printed form, and no other one is.
pub fn assert_selected(module: &[u8], instance: i32, name: &[u8], other: &[u8]) {
    let [module, name, other] = [module, name, other].map(Name::new);
    let mut id = String::new();
    let parts = (module.bytes(), instance, name.bytes());
    kstat_text::id(&mut id, parts).unwrap();
    let plain = all_but("\\:*?[");
    let [module_part, name_part] = [module, name].map(|part: Name| escaped(part.bytes(), &plain));
    assert_eq!(id, format!("{module_part}:{instance}:{name_part}"));
    // An empty part matches all; and a selector's length is limited.
    if module.bytes().is_empty() || name.bytes().is_empty() {
        return;
    }
    let line = format!("@kstat {id}");
    let Some(Ok(Kstat::Print(selectors))) = Kstat::parse(line.as_bytes()) else {
        panic!("{line}");
    };
    assert!(selectors.has_kstat(module.bytes(), instance, name.bytes()));
    let is_other = other != name;
    assert_eq!(
        selectors.has_kstat(module.bytes(), instance, other.bytes()),
        !is_other
    );
    assert!(!selectors.has_kstat(module.bytes(), instance.wrapping_add(1), name.bytes()));
}

/// Checks that a name that does not fit an array keeps its end, or becomes the device number.
pub fn assert_fits(bytes: &[u8], dev: u32) {
    const N: usize = 24;
    let text = |array: [u8; N]| {
        let end = array.iter().position(|byte| *byte == 0).unwrap();
        assert!(array[end..].iter().all(|byte| *byte == 0));
        String::from_utf8(array[..end].to_vec()).unwrap()
    };
    let whole = escaped(bytes, &all_but("\\"));
    let kept = text(keep_end(bytes));
    match kept.strip_prefix("...").filter(|_| kept != whole) {
        None => assert_eq!(kept, whole),
        Some(end) => {
            assert!(whole.len() >= N && whole.ends_with(end));
            // The maximum that fits, and no part of an escaped byte.
            assert!(kept.len() + 4 >= N);
            let ends = (0..=bytes.len()).map(|from| escaped(&bytes[from..], &all_but("\\")));
            assert!(ends.into_iter().any(|one| one == end));
        }
    }
    let name = Name::new(bytes);
    let written = name.to_string();
    let expected = match written.len() < N {
        true => written,
        false => format!("{}:{}", dev >> 20, dev & 0xf_ffff),
    };
    assert_eq!(text(statname(&name, dev)), expected);
    assert!(text(numbers(dev)).len() <= 12);
}
