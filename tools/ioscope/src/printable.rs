// SPDX-License-Identifier: GPL-2.0

//! Text for a terminal. A control character would act there in place of being shown: each byte of it is written as a
//! backslash and three octal digits, as the kernel does it. The kernel does so with those of ASCII alone, and leaves those
//! from U+0080 to U+009F, of which some terminals take U+009B for an escape and a bracket.

use std::borrow::Cow;

/// A text without control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    // Each control character begins with one of these bytes; so do some other characters.
    let may_be = |byte: u8| byte < b' ' || byte == 0x7f || byte == 0xc2;
    if !text.bytes().any(may_be) || !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut result = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => octal(c, &mut result),
            false => result.push(c),
        }
    }
    Cow::Owned(result)
}

/// Writes each byte of a character in octal.
pub fn octal(c: char, to: &mut String) {
    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
        to.push_str(&format!("\\{byte:03o}"));
    }
}

/// JSON without control characters but new lines between its values. Only in its strings there can be others, where JSON has
/// escapes of its own for them.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() && c != '\n';
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut result = String::new();
    for c in text.chars() {
        match is_odd(c) {
            true => result.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => result.push(c),
        }
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_in_octal() {
        assert_eq!(
            printable("a\x1b[2J\u{9b}1m\n\x7f\t"),
            "a\\033[2J\\302\\2331m\\012\\177\\011"
        );
        // The first byte of all but the last is 0xc2, too.
        let plain = "a b\\ \u{a0}\u{a9}\u{e9}";
        assert!(matches!(printable(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(printable("\u{a9}\u{9b}"), "\u{a9}\\302\\233");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a\u{9b}": "\x7f\n\u{85}\u{e9}"});
        for text in [
            serde_json::to_string(&value).unwrap_or_default(),
            serde_json::to_string_pretty(&value).unwrap_or_default(),
        ] {
            let shown = json(&text);
            assert!(
                !shown.contains(|c: char| c.is_control() && c != '\n'),
                "{shown:?}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).ok(),
                Some(value.clone())
            );
        }
    }
}
