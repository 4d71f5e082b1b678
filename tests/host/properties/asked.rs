// SPDX-License-Identifier: GPL-2.0

//! Compares floor 0's parsing of a message with the model's.

use super::dm::{
    self,
    Asked, //
};
use iostat::{
    abi::message::{
        create::{
            Range,
            Sectors,
            StepSize, //
        },
        evcnt::EvcntList,
        list::ListMessage,
        parse,
        word::Word,
        Message, //
    },
    acct::evcnt::EvcntType,
};

fn bytes(word: Word<'_>) -> Vec<u8> {
    word.bytes().collect()
}

fn range(range: &Range<'_>) -> Option<(u64, u64)> {
    match range.sectors() {
        Sectors::Whole => None,
        Sectors::Some { start, len } => Some((start, len)),
    }
}

/// Converts a message to the model's type.
pub fn asked(message: &Message<'_>) -> Asked {
    match message {
        Message::Create(create) => {
            let histogram = create.options.histogram.as_ref();
            let bounds: Vec<u64> = histogram.map_or(Vec::new(), |bounds| bounds.iter().collect());
            assert_eq!(bounds.len(), histogram.map_or(0, |bounds| bounds.len()));
            Asked::Create {
                range: range(&create.range),
                step: match create.step {
                    StepSize::Sectors(sectors) => Ok(sectors),
                    StepSize::Parts(parts) => Err(parts),
                },
                precise: create.options.precise_timestamps,
                classes: create.options.classes,
                unchecked: create.options.unchecked,
                bounds,
                program: bytes(create.program),
                aux: bytes(create.aux),
            }
        }
        Message::Delete(id) => Asked::Delete(*id),
        Message::Clear(id) => Asked::Clear(*id),
        Message::List(program) => Asked::List(program.map(bytes)),
        Message::Print(print) => Asked::Print(print.id, print.first, print.count, print.clear),
        Message::SetAux(id, aux) => Asked::SetAux(*id, bytes(*aux)),
        Message::Resize(resize) => Asked::Resize(resize.id, range(&resize.range), resize.unchecked),
    }
}

/// Checks that any line is parsed as by the model, and that an error is one printable line that names a
/// word of it.
pub fn assert_parsed(line: &[u8]) {
    let model = dm::parse(line);
    match parse(line) {
        Ok((disk, message)) => assert_eq!(model, Ok((bytes(disk), asked(&message)))),
        Err(error) => {
            assert!(model.is_err(), "{error} but {model:?}");
            let text = error.to_string();
            assert!(text.len() < 400 && text.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            if let Some(word) = error.word {
                assert!(dm::split(line).contains(&bytes(word)));
            }
        }
    }
}

/// Parses `@evcnt_list`, in the plainest way.
fn listed(line: &[u8]) -> Option<Option<EvcntList>> {
    let words: Vec<String> = dm::split(line)
        .iter()
        .map(|word| String::from_utf8_lossy(word).to_ascii_lowercase())
        .collect();
    let (name, words) = words.split_first()?;
    if name != "@evcnt_list" {
        return None;
    }
    let kinds = [
        ("misc", EvcntType::Misc),
        ("intr", EvcntType::Intr),
        ("trap", EvcntType::Trap),
    ];
    let count = |text: &str| words.iter().filter(|word| *word == text).count();
    let asked: Vec<EvcntType> = kinds
        .iter()
        .flat_map(|(name, kind)| vec![*kind; count(name)])
        .collect();
    let known = count("all") + count("rollup") + asked.len();
    let is_good =
        known == words.len() && count("all") < 2 && count("rollup") < 2 && asked.len() < 2;
    Some(is_good.then(|| EvcntList {
        all: count("all") == 1,
        rollup: count("rollup") == 1,
        kind: asked.first().copied(),
    }))
}

/// Checks that any line is parsed as by the model.
pub fn assert_listed(line: &[u8]) {
    let asked = EvcntList::parse(line);
    assert_eq!(asked.map(|asked| asked.ok()), listed(line));
    let words = dm::split(line);
    let model = words.split_first().and_then(|(name, words)| {
        let names = [&b"@inflight"[..], b"@sizes"];
        let which = names
            .iter()
            .position(|list| name.eq_ignore_ascii_case(list))?;
        Some((words.len() < 2).then(|| (which, words.first().cloned())))
    });
    let asked = ListMessage::parse(line).map(|asked| {
        asked.ok().map(|asked| match asked {
            ListMessage::InFlight(device) => (0, device.map(bytes)),
            ListMessage::Sizes(device) => (1, device.map(bytes)),
        })
    });
    assert_eq!(asked, model);
}
