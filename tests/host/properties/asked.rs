// SPDX-License-Identifier: GPL-2.0

//! Floor 0's reading of a message beside the model's.

use super::dm::{
    self,
    Asked, //
};
use iostat::abi::message::{
    create::{
        Range,
        Sectors,
        Step, //
    },
    parse,
    word::Word,
    Message, //
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

/// A message in the model's words.
pub fn asked(message: &Message<'_>) -> Asked {
    match message {
        Message::Create(create) => {
            let histogram = create.options.histogram.as_ref();
            let bounds: Vec<u64> = histogram.map_or(Vec::new(), |bounds| bounds.iter().collect());
            assert_eq!(bounds.len(), histogram.map_or(0, |bounds| bounds.len()));
            Asked::Create {
                range: range(&create.range),
                step: match create.step {
                    Step::Sectors(sectors) => Ok(sectors),
                    Step::Parts(parts) => Err(parts),
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

/// Any line is understood as the model does, and a refusal is one printable line that names a word of
/// it.
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
