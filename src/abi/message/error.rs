// SPDX-License-Identifier: GPL-2.0

//! What can be wrong with a message.

use super::word::{
    NameWord,
    Word, //
};
use core::fmt::{
    self,
    Display, //
};

/// What is wrong, and with which word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'a> {
    /// Why it is refused.
    pub reason: Reason,
    /// The word it is refused for; [`None`] if that is missing.
    pub word: Option<Word<'a>>,
}

impl<'a> Error<'a> {
    pub(super) fn missing(reason: Reason) -> Self {
        Error { reason, word: None }
    }

    /// Because of this word.
    pub fn wrong(reason: Reason, word: Word<'a>) -> Self {
        Error {
            reason,
            word: Some(word),
        }
    }
}

/// One line for a human, without its newline.
impl Display for Error<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = self.reason.as_str();
        match self.word {
            Some(word) if self.reason == Reason::NoSuchDisk => {
                write!(out, "{}: {why}", NameWord(word))
            }
            Some(word) => write!(out, "{word}: {why}"),
            None => out.write_str(why),
        }
    }
}

/// Why a message is refused. `EINVAL`, as of device-mapper, where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing but blanks.
    NoDisk,
    /// There is no disk or partition of this name. `ENXIO`.
    NoSuchDisk,
    /// A disk, and nothing more.
    NoMessage,
    /// It does not begin with `@`. Of device-mapper, the target would get it.
    NoAtSign,
    /// No message has this name.
    UnknownMessage,
    /// A word more than the message has.
    Surplus,
    /// The region's id is missing.
    NoId,
    /// The id is no number from 0 to 2^31 - 1.
    BadId,
    /// The range is missing.
    NoRange,
    /// The range is neither `-` nor `start+length`.
    BadRange,
    /// The range is of no length, or ends beyond 2^64.
    EmptyRange,
    /// The step is missing.
    NoStep,
    /// The step is neither a number nor `/` and a number.
    BadStep,
    /// The step is 0. A divisor of 2^32 is 0, too: it has 32 bits.
    ZeroStep,
    /// Fewer options than were announced.
    NoOption,
    /// No option has this name.
    UnknownOption,
    /// A second histogram.
    SecondHistogram,
    /// The bounds are no list of numbers, from above 0 on, each above the one before.
    BadBounds,
    /// How many areas to print is missing.
    NoCount,
    /// The first area to print is no number.
    BadFirst,
    /// How many areas to print is no number.
    BadCount,
    /// The auxiliary data is missing.
    NoAux,
    /// The range ends beyond the device's end, and nobody asked not to check. Ours: device-mapper
    /// never checks.
    OutsideDevice,
    /// The new range does not begin where an area of the old one would. Ours.
    Unaligned,
    /// More than 8388608 areas. `EOVERFLOW`.
    TooManyAreas,
    /// More than 134217728 counts in all histograms together. `EOVERFLOW`.
    TooManyBuckets,
    /// There is no such region. `ENOENT`.
    NoSuchRegion,
    /// Which kstat to write is missing.
    NoKstat,
    /// What to write is missing.
    NoValue,
    /// A selector of more than 255 bytes.
    LongSelector,
    /// Selectors of more than 1024 bytes together.
    LongSelectors,
    /// A program to list of more than 1024 bytes.
    LongProgram,
}

impl Reason {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NoDisk => "no disk is named",
            Reason::NoSuchDisk => "there is no such disk",
            Reason::NoMessage => "there is no message after the disk",
            Reason::NoAtSign => "a message begins with @",
            Reason::UnknownMessage => "there is no such message",
            Reason::Surplus => "one word too many",
            Reason::NoId => "the region's id is missing",
            Reason::BadId => "a region's id is a number from 0 to 2147483647",
            Reason::NoRange => "the range is missing",
            Reason::BadRange => "a range is - or START+LENGTH in sectors",
            Reason::EmptyRange => "the range has no sectors or too many",
            Reason::NoStep => "the step is missing",
            Reason::BadStep => "a step is a number of sectors or /AREAS",
            Reason::ZeroStep => "the step is 0",
            Reason::NoOption => "there are fewer options than announced",
            Reason::UnknownOption => "there is no such option",
            Reason::SecondHistogram => "there is a histogram already",
            Reason::BadBounds => "bounds are numbers above 0, each above the one before",
            Reason::NoCount => "the number of areas is missing",
            Reason::BadFirst => "the first area is a number or -",
            Reason::BadCount => "the number of areas is a number or -",
            Reason::NoAux => "the auxiliary data is missing",
            Reason::OutsideDevice => {
                "the range ends beyond the device (option unchecked allows it)"
            }
            Reason::Unaligned => "the range does not begin at the start of an area",
            Reason::TooManyAreas => "there are more than 8388608 areas",
            Reason::TooManyBuckets => "there are more than 134217728 histogram counts",
            Reason::NoSuchRegion => "there is no such region",
            Reason::NoKstat => "which statistic is missing",
            Reason::NoValue => "the value is missing",
            Reason::LongSelector => "a selector has no more than 255 bytes",
            Reason::LongSelectors => "all selectors together have no more than 1024 bytes",
            Reason::LongProgram => "a program to list has no more than 1024 bytes",
        }
    }
}
