// SPDX-License-Identifier: GPL-2.0

//! A model of device-mapper's parsing of messages, with lists of words and a small `sscanf()`.

/// A message, as device-mapper has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Create {
        /// [`None`] for `-`.
        range: Option<(u64, u64)>,
        /// [`Ok`] for sectors, [`Err`] for a divisor.
        step: Result<u64, u32>,
        precise: bool,
        classes: bool,
        unchecked: bool,
        bounds: Vec<u64>,
        program: Vec<u8>,
        aux: Vec<u8>,
    },
    Delete(u32),
    Clear(u32),
    List(Option<Vec<u8>>),
    Print(u32, u64, u64, bool),
    SetAux(u32, Vec<u8>),
    Resize(u32, Option<(u64, u64)>, bool),
}

/// The message is invalid by its text alone.
#[derive(Debug, PartialEq, Eq)]
pub struct Einval;

fn is_space(byte: u8) -> bool {
    [9, 10, 11, 12, 13, 32, 160].contains(&byte)
}

/// Splits a line into words of at least one byte.
pub fn split(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let end = line
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(line.len());
    let mut index = 0;
    while index < end {
        let byte = line[index];
        if byte == b'\\' && index + 1 < end {
            index += 1;
            word.get_or_insert_default().push(line[index]);
        } else if is_space(byte) {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(byte);
        }
        index += 1;
    }
    words.extend(word);
    words
}

/// `sscanf()` for the formats that are used: returns the numbers read, as 64 bits, and the number of
/// conversions.
fn scan(text: &[u8], format: &str) -> (usize, Vec<u64>) {
    let (mut at, mut converted, mut values) = (0, 0, Vec::new());
    for part in format.split_inclusive(['u', 'c', 'd', '+', '/']) {
        let rest = &text[at..];
        match part {
            "%c" => {
                if !rest.is_empty() {
                    converted += 1;
                }
                break;
            }
            "+" | "/" => {
                if rest.first() != Some(&part.as_bytes()[0]) {
                    break;
                }
                at += 1;
            }
            _ => {
                at += rest.iter().take_while(|byte| is_space(**byte)).count();
                let minus = part == "%d" && text.get(at) == Some(&b'-');
                let from = at + usize::from(minus);
                let digits = text[from..].iter().take_while(|byte| byte.is_ascii_digit());
                let digits: String = digits.map(|byte| char::from(*byte)).collect();
                if digits.is_empty() {
                    break;
                }
                at = from + digits.len();
                let number = digits.parse::<u64>().unwrap_or(u64::MAX);
                values.push(match part {
                    "%llu" => number,
                    "%u" => number % (1 << 32),
                    _ if minus => number.wrapping_neg() % (1 << 32),
                    _ => number % (1 << 32),
                });
                converted += 1;
            }
        }
    }
    (converted, values)
}

fn id(word: &[u8]) -> Result<u32, Einval> {
    match scan(word, "%d%c") {
        (1, values) if values[0] < 1 << 31 => Ok(values[0] as u32),
        _ => Err(Einval),
    }
}

fn range(word: &[u8]) -> Result<Option<(u64, u64)>, Einval> {
    if word == b"-" {
        return Ok(None);
    }
    let (2, values) = scan(word, "%llu+%llu%c") else {
        return Err(Einval);
    };
    if values[0] >= values[0].wrapping_add(values[1]) {
        return Err(Einval);
    }
    Ok(Some((values[0], values[1])))
}

fn step(word: &[u8]) -> Result<Result<u64, u32>, Einval> {
    if let (1, values) = scan(word, "/%u%c") {
        return match values[0] {
            0 => Err(Einval),
            divisor => Ok(Err(divisor as u32)),
        };
    }
    match scan(word, "%llu%c") {
        (1, values) if values[0] != 0 => Ok(Ok(values[0])),
        _ => Err(Einval),
    }
}

fn bounds(list: &[u8]) -> Result<Vec<u64>, Einval> {
    let mut bounds = Vec::new();
    for bound in list.split(|byte| *byte == b',') {
        let (1, values) = scan(bound, "%llu%c") else {
            return Err(Einval);
        };
        if bounds.last().is_some_and(|last| values[0] <= *last) || values[0] == 0 {
            return Err(Einval);
        }
        bounds.push(values[0]);
    }
    Ok(bounds)
}

fn create(words: &[Vec<u8>]) -> Result<Asked, Einval> {
    let [range_word, step_word, rest @ ..] = words else {
        return Err(Einval);
    };
    let (range, step) = (range(range_word)?, step(step_word)?);
    let (mut precise, mut classes, mut unchecked) = (false, false, false);
    let mut histogram = Vec::new();
    let mut rest = rest.iter();
    let mut ahead = rest.clone();
    if let Some((1, values)) = ahead.next().map(|word| scan(word, "%u%c")) {
        rest = ahead;
        for _ in 0..values[0] {
            let option = rest.next().ok_or(Einval)?.to_ascii_lowercase();
            match &option[..] {
                b"precise_timestamps" => precise = true,
                b"classes" => classes = true,
                b"unchecked" => unchecked = true,
                _ => {
                    let list = option.strip_prefix(b"histogram:").ok_or(Einval)?;
                    if !histogram.is_empty() {
                        return Err(Einval);
                    }
                    histogram = bounds(list)?;
                }
            }
        }
    }
    let program = rest.next().cloned().unwrap_or(b"-".to_vec());
    let aux = rest.next().cloned().unwrap_or(b"-".to_vec());
    if rest.next().is_some() {
        return Err(Einval);
    }
    Ok(Asked::Create {
        range,
        step,
        precise,
        classes,
        unchecked,
        bounds: histogram,
        program,
        aux,
    })
}

fn print(words: &[Vec<u8>], clear: bool) -> Result<Asked, Einval> {
    let number = |word: &Vec<u8>, default| match scan(word, "%llu%c") {
        _ if word == b"-" => Ok(default),
        (1, values) => Ok(values[0]),
        _ => Err(Einval),
    };
    match words {
        [name] => Ok(Asked::Print(id(name)?, 0, u64::MAX, clear)),
        [name, first, count] => Ok(Asked::Print(
            id(name)?,
            number(first, 0)?,
            number(count, u64::MAX)?,
            clear,
        )),
        _ => Err(Einval),
    }
}

fn resize(words: &[Vec<u8>]) -> Result<Asked, Einval> {
    let unchecked = match &words[..] {
        [_, _] => false,
        [_, _, word] if word.eq_ignore_ascii_case(b"unchecked") => true,
        _ => return Err(Einval),
    };
    Ok(Asked::Resize(id(&words[0])?, range(&words[1])?, unchecked))
}

/// Parses a line into a disk and a message.
pub fn parse(line: &[u8]) -> Result<(Vec<u8>, Asked), Einval> {
    let words = split(line);
    let [disk, name, rest @ ..] = &words[..] else {
        return Err(Einval);
    };
    let asked = match (&name.to_ascii_lowercase()[..], rest) {
        (b"@stats_create", words) => create(words),
        (b"@stats_delete", [word]) => Ok(Asked::Delete(id(word)?)),
        (b"@stats_clear", [word]) => Ok(Asked::Clear(id(word)?)),
        (b"@stats_list", []) => Ok(Asked::List(None)),
        (b"@stats_list", [program]) => Ok(Asked::List(Some(program.clone()))),
        (b"@stats_print", words) => print(words, false),
        (b"@stats_print_clear", words) => print(words, true),
        (b"@stats_set_aux", [word, aux]) => Ok(Asked::SetAux(id(word)?, aux.clone())),
        (b"@stats_resize", words) => resize(words),
        _ => Err(Einval),
    }?;
    Ok((disk.clone(), asked))
}
