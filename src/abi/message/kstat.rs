// SPDX-License-Identifier: GPL-2.0

//! `@kstat [SELECTOR...]`, `@kstat_list [SELECTOR...]` and `@kstat_write KSTAT VALUE`.
//!
//! A selector is kstat(8)'s `module:instance:name:statistic`. An empty or missing part matches everything, and
//! each part may contain `*`, `?` and `[a-z]` as in a shell. A byte after a backslash, or given as a backslash
//! and three octal digits, matches only itself: `module:instance:name` as it is printed selects that kstat.

use super::{
    error::{
        Error,
        Reason, //
    },
    word::{
        Unescaped,
        Word,
        Words,
        KEPT, //
    }, //
};
use crate::abi::name::InlineText;
use core::fmt::Write;

/// A parsed message.
#[derive(Clone, Debug)]
pub enum Kstat<'a> {
    /// `@kstat`: prints statistics, one per line.
    Print(Selectors<'a>),
    /// `@kstat_list`: prints the chain, one kstat per line.
    List(Selectors<'a>),
    /// `@kstat_write`: sets the value of a statistic.
    Write(Selector<'a>, Word<'a>),
}

impl<'a> Kstat<'a> {
    /// Parses a line; returns [`None`] if it is another message.
    pub fn parse(line: &'a [u8]) -> Option<Result<Self, Error<'a>>> {
        let mut words = Words::of(line);
        let name = words.next()?;
        let is = |text| name.is_ignoring_case(text);
        if is("@kstat") {
            Some(Selectors::parse(words).map(Kstat::Print))
        } else if is("@kstat_list") {
            Some(Selectors::parse(words).map(Kstat::List))
        } else if is("@kstat_write") {
            Some(Self::parse_write(words))
        } else {
            None
        }
    }

    fn parse_write(mut words: Words<'a>) -> Result<Self, Error<'a>> {
        let kstat = words.next().ok_or(Error::missing(Reason::NoKstat))?;
        let value = words.next().ok_or(Error::missing(Reason::NoValue))?;
        if let Some(word) = words.next() {
            return Err(Error::wrong(Reason::Surplus, word));
        }
        Ok(Kstat::Write(Selector::parse(kstat)?, value))
    }
}

/// The maximum number of selectors. Their number and length are limited because any user may send them, and
/// each statistic is compared with all of them.
const SELECTORS: usize = 16;
/// The maximum length of a selector in bytes.
const SELECTOR_LEN: usize = 255;

/// A list of selectors. A statistic is selected if one of them matches, or if the list is empty.
#[derive(Clone, Debug)]
pub struct Selectors<'a>(Words<'a>);

impl<'a> Selectors<'a> {
    fn parse(words: Words<'a>) -> Result<Self, Error<'a>> {
        let mut bytes = 0usize;
        for (index, word) in words.clone().enumerate() {
            if index == SELECTORS {
                return Err(Error::wrong(Reason::Surplus, word));
            }
            Selector::parse(word)?;
            let len = word.as_written().len().saturating_add(1);
            bytes = bytes.saturating_add(len);
            if bytes > KEPT {
                return Err(Error::wrong(Reason::LongSelectors, word));
            }
        }
        Ok(Selectors(words))
    }

    /// Returns the words of the selectors. They have no more than 1024 bytes as written, each with a blank
    /// after it.
    pub fn words(&self) -> Words<'a> {
        self.0.clone()
    }

    /// Makes selectors of words that [`Selectors::words`] returned.
    pub fn of(words: Words<'a>) -> Self {
        Selectors(words)
    }

    fn any(&self, selects: impl Fn(&Selector<'a>) -> bool) -> bool {
        let mut selectors = self.0.clone().filter_map(|word| Selector::parse(word).ok());
        match selectors.next() {
            Some(first) => selects(&first) || selectors.any(|selector| selects(&selector)),
            None => true,
        }
    }

    /// Returns whether a statistic of this kstat may be selected.
    pub fn has_kstat(&self, module: &[u8], instance: i32, name: &[u8]) -> bool {
        self.any(|selector| selector.has_kstat(module, instance, name))
    }

    /// Returns whether this statistic is selected.
    pub fn has(
        &self,
        (module, instance, name): (&[u8], i32, &[u8]),
        statistic: impl Iterator<Item = u8> + Clone,
    ) -> bool {
        self.any(|selector| {
            selector.has_kstat(module, instance, name) && selector.has(statistic.clone())
        })
    }
}

/// A selector.
#[derive(Clone, Debug)]
pub struct Selector<'a> {
    module: SelectorPart<'a>,
    instance: SelectorPart<'a>,
    name: SelectorPart<'a>,
    statistic: SelectorPart<'a>,
}

impl<'a> Selector<'a> {
    fn parse(word: Word<'a>) -> Result<Self, Error<'a>> {
        if word.unescaped().nth(SELECTOR_LEN).is_some() {
            return Err(Error::wrong(Reason::LongSelector, word));
        }
        let mut rest = word.unescaped();
        let mut part = || {
            let bytes = rest.clone();
            while rest.next().is_some_and(|byte| byte != COLON) {}
            SelectorPart {
                bytes,
                has_colons: false,
            }
        };
        let (module, instance, name) = (part(), part(), part());
        Ok(Selector {
            module,
            instance,
            name,
            statistic: SelectorPart {
                bytes: rest,
                has_colons: true,
            },
        })
    }

    /// Returns whether a statistic of this kstat may be selected.
    pub fn has_kstat(&self, module: &[u8], instance: i32, name: &[u8]) -> bool {
        let mut digits = InlineText::<11>::default();
        let is_written = write!(digits, "{instance}").is_ok();
        let is = |part: &SelectorPart<'a>, text: &[u8]| part.matches(text.iter().copied());
        is_written
            && is(&self.module, module)
            && is(&self.name, name)
            && is(&self.instance, digits.as_bytes())
    }

    /// Returns the bytes of the statistic's part, without any pattern matching.
    pub fn statistic(&self) -> impl Iterator<Item = u8> + Clone + 'a {
        self.statistic.clone().map(|(byte, _)| byte)
    }

    /// Returns whether this statistic is selected, in a kstat of which [`Selector::has_kstat`] is
    /// true.
    pub fn has(&self, statistic: impl Iterator<Item = u8> + Clone) -> bool {
        self.statistic.matches(statistic)
    }
}

/// A byte of a selector, and whether it matches only itself.
type Wanted = (u8, bool);

const COLON: Wanted = (b':', false);

/// A part of a selector, which ends at the next colon or at the end of the selector.
#[derive(Clone, Debug)]
struct SelectorPart<'a> {
    bytes: Unescaped<'a>,
    has_colons: bool,
}

impl Iterator for SelectorPart<'_> {
    type Item = Wanted;

    fn next(&mut self) -> Option<Wanted> {
        let mut ahead = self.bytes.clone();
        let wanted = ahead.next()?;
        if wanted == COLON && !self.has_colons {
            return None;
        }
        self.bytes = ahead;
        Some(wanted)
    }
}

impl SelectorPart<'_> {
    fn matches(&self, text: impl Iterator<Item = u8> + Clone) -> bool {
        self.clone().next().is_none() || glob(self.clone(), text)
    }
}

/// Returns whether a text matches a shell pattern. Only the last `*` is ever tried again, so the number of
/// steps is at most the product of both lengths.
fn glob(
    mut pattern: impl Iterator<Item = Wanted> + Clone,
    mut text: impl Iterator<Item = u8> + Clone,
) -> bool {
    let mut retry = None;
    loop {
        let mut rest = pattern.clone();
        let wanted = rest.next();
        if wanted == Some((b'*', false)) {
            pattern = rest;
            retry = Some((pattern.clone(), text.clone()));
            continue;
        }
        let mut ahead = text.clone();
        let found = ahead.next();
        let is_match = match (wanted, found) {
            (None, None) => return true,
            (Some(wanted), Some(byte)) => one(wanted, &mut rest, byte),
            _ => false,
        };
        if is_match {
            (pattern, text) = (rest, ahead);
            continue;
        }
        let Some((after, from)) = &mut retry else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (pattern, text) = (after.clone(), from.clone());
    }
}

/// Returns whether a byte matches `wanted`. `rest` is the pattern after `wanted`.
fn one(wanted: Wanted, rest: &mut (impl Iterator<Item = Wanted> + Clone), byte: u8) -> bool {
    match wanted {
        (b'?', false) => true,
        (b'[', false) => match set(rest.clone(), byte) {
            Some((is_in, after)) => {
                *rest = after;
                is_in
            }
            // The set is not closed: `[` matches itself.
            None => byte == b'[',
        },
        (wanted, _) => byte == wanted,
    }
}

/// Returns whether a byte is in a set, and the pattern after the set; [`None`] if the set is not closed.
fn set<I: Iterator<Item = Wanted> + Clone>(mut rest: I, byte: u8) -> Option<(bool, I)> {
    const END: Wanted = (b']', false);
    let mut ahead = rest.clone();
    let is_negated = ahead.next() == Some((b'!', false));
    if is_negated {
        rest = ahead;
    }
    let mut is_in = false;
    let mut is_first = true;
    loop {
        let low = rest.next()?;
        if low == END && !is_first {
            return Some((is_in != is_negated, rest));
        }
        is_first = false;
        let mut ahead = rest.clone();
        let high = match (ahead.next(), ahead.next()) {
            (Some((b'-', false)), Some(high)) if high != END => {
                rest = ahead;
                high
            }
            _ => low,
        };
        is_in |= (low.0..=high.0).contains(&byte);
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message_kstat))]
mod tests {
    use super::*;

    fn selects(line: &[u8], id: (&str, i32, &str), statistic: &str) -> Option<bool> {
        let id = (id.0.as_bytes(), id.1, id.2.as_bytes());
        match Kstat::parse(line)?.ok()? {
            Kstat::Print(selectors) => Some(selectors.has(id, statistic.bytes())),
            _ => None,
        }
    }

    fn reason(line: &[u8]) -> Option<Reason> {
        Kstat::parse(line)?.err().map(|error| error.reason)
    }

    #[test]
    fn globs_are_those_of_a_shell() {
        let table = [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("?", "", false),
            ("s?a", "sda", true),
            ("sd[a-c]", "sdb", true),
            ("sd[a-c]", "sdd", false),
            ("sd[!a-c]", "sdd", true),
            ("[]x]", "]", true),
            ("[a-]", "-", true),
            ("[", "[", true),
            ("[ab", "[ab", true),
            ("**a", "ba", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, text, expected) in table {
            assert_eq!(
                (
                    pattern,
                    glob(pattern.bytes().map(|byte| (byte, false)), text.bytes())
                ),
                (pattern, expected)
            );
        }
    }

    #[test]
    fn missing_parts_match_everything() {
        let id = ("sd", 3, "sda");
        let table: [(&[u8], bool); 14] = [
            (b"@kstat", true),
            (b"@KSTAT sd", true),
            (b"@kstat s", false),
            (b"@kstat sd:3", true),
            (b"@kstat sd:03", false),
            (b"@kstat :::reads\n", true),
            (b"@kstat :::read", false),
            (b"@kstat sd::sda:r*", true),
            (b"@kstat :-3", false),
            (b"@kstat ::", true),
            (b"@kstat x y sd", true),
            (b"@kstat x y", false),
            (b"@kstat sd:::writes vd:::reads", false),
            (b"@kstat :::a:b", false),
        ];
        for (line, expected) in table {
            assert_eq!(selects(line, id, "reads"), Some(expected));
        }
        assert_eq!(selects(b"@kstat :::a:b", id, "a:b"), Some(true));
        let odd = ("a*:b", 0, "a b?\n");
        assert_eq!(
            selects(br"@kstat a\052\072b:0:a\040b\077\012", odd, "x"),
            Some(true)
        );
        assert_eq!(selects(br"@kstat a\*\:b::a\ b\?*", odd, "x"), Some(true));
        assert_eq!(selects(br"@kstat a\052", ("ab", 0, "x"), "x"), Some(false));
        assert_eq!(selects(br"@kstat [\133\]]", ("]", 0, "x"), "x"), Some(true));
        assert_eq!(selects(b"@kstat :-3", ("sd", -3, "sda"), "x"), Some(true));
    }

    #[test]
    fn errors_name_the_reason() {
        assert!(Kstat::parse(b"").is_none() && Kstat::parse(b"sda @kstat").is_none());
        assert!(Kstat::parse(b"@kstats").is_none());
        assert_eq!(reason(b"@kstat_write"), Some(Reason::NoKstat));
        assert_eq!(reason(b"@kstat_write a:0:b:c"), Some(Reason::NoValue));
        assert_eq!(reason(b"@kstat_write a:0:b:c 1 2"), Some(Reason::Surplus));
        assert_eq!(
            reason(b"@kstat 1 2 3 4 5 6 7 8 9 a b c d e f g h"),
            Some(Reason::Surplus)
        );
        let mut long = [b'x'; 7 + 256];
        long[..7].copy_from_slice(b"@kstat ");
        assert_eq!(reason(&long), Some(Reason::LongSelector));
        assert_eq!(reason(&long[..7 + 255]), None);
    }

    #[test]
    fn all_selectors_together_have_up_to_1024_bytes() {
        // Four of 255 bytes, each with a blank after it.
        let mut line = [b'x'; 7 + 4 * 256 + 2];
        line[..7].copy_from_slice(b"@kstat ");
        for blank in [262, 518, 774, 1030] {
            line[blank] = b' ';
        }
        assert_eq!(reason(&line), Some(Reason::LongSelectors));
        assert_eq!(reason(&line[..7 + 4 * 256]), None);
    }
}
