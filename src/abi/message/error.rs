// SPDX-License-Identifier: GPL-2.0

//! The errors of messages.

use super::word::{
    NameWord,
    Word, //
};
use core::fmt::{
    self,
    Display, //
};

/// The error of a message: the reason, and the invalid word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error<'a> {
    /// The reason.
    pub reason: Reason,
    /// The invalid word; [`None`] if a word is missing.
    pub word: Option<Word<'a>>,
}

impl<'a> Error<'a> {
    pub(super) fn missing(reason: Reason) -> Self {
        Error { reason, word: None }
    }

    /// Returns an error for an invalid word.
    pub fn wrong(reason: Reason, word: Word<'a>) -> Self {
        Error {
            reason,
            word: Some(word),
        }
    }
}

/// One line of text, without a newline.
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

/// The reason of an error. `EINVAL`, as in device-mapper, unless another errno is given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The line is empty or blank.
    NoDisk,
    /// There is no disk or partition of this name. `ENXIO`.
    NoSuchDisk,
    /// There is no word after the disk.
    NoMessage,
    /// The message does not begin with `@`. In device-mapper, it would be passed to the target.
    NoAtSign,
    /// There is no message of this name.
    UnknownMessage,
    /// There are more words than the message has.
    Surplus,
    /// The id of the region is missing.
    NoId,
    /// The id is not a number from 0 to 2^31 - 1.
    BadId,
    /// The range is missing.
    NoRange,
    /// The range is neither `-` nor `start+length`.
    BadRange,
    /// The range has no sectors, or ends beyond 2^64.
    EmptyRange,
    /// The step is missing.
    NoStep,
    /// The step is neither a number nor `/` and a number.
    BadStep,
    /// The step is 0. A divisor of 2^32 is 0 too: it has 32 bits.
    ZeroStep,
    /// There are fewer options than the count says.
    NoOption,
    /// There is no option of this name.
    UnknownOption,
    /// There is more than one histogram.
    SecondHistogram,
    /// The bounds are not a list of ascending numbers above 0.
    BadBounds,
    /// The number of areas to print is missing.
    NoCount,
    /// The first area to print is not a number.
    BadFirst,
    /// The number of areas to print is not a number.
    BadCount,
    /// The auxiliary data is missing.
    NoAux,
    /// The range ends beyond the end of the device, and the option `unchecked` was not given. An addition:
    /// device-mapper does not check this.
    OutsideDevice,
    /// The new range does not begin at the start of an area of the old one. An addition to device-mapper.
    Unaligned,
    /// There would be more than 8388608 areas. `EOVERFLOW`.
    TooManyAreas,
    /// There would be more than 134217728 counts in all histograms together. `EOVERFLOW`.
    TooManyBuckets,
    /// There is no region with this id. `ENOENT`.
    NoSuchRegion,
    /// The statistic to write is missing.
    NoKstat,
    /// The value to write is missing.
    NoValue,
    /// A selector has more than 255 bytes.
    LongSelector,
    /// All selectors together have more than 1024 bytes.
    LongSelectors,
    /// The program to list has more than 1024 bytes.
    LongProgram,
    /// The threshold of slow I/Os is missing.
    NoThreshold,
    /// The threshold is not a number from 1 to 2^63.
    BadThreshold,
    /// `@cgroups` without a word.
    NoSwitch,
    /// `@cgroups` with another word than `on` and `off`.
    BadSwitch,
}

impl Reason {
    /// Returns the text of the reason.
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
            Reason::NoKstat => "the statistic is missing",
            Reason::NoValue => "the value is missing",
            Reason::LongSelector => "a selector has no more than 255 bytes",
            Reason::LongSelectors => "all selectors together have no more than 1024 bytes",
            Reason::LongProgram => "a program to list has no more than 1024 bytes",
            Reason::NoThreshold => "the threshold is missing",
            Reason::BadThreshold => "a threshold is a number of ns from 1 to 9223372036854775808",
            Reason::NoSwitch => "on or off is missing",
            Reason::BadSwitch => "accounts by cgroup are on or off",
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::abi::message::word::Words;

    #[test]
    fn a_disk_is_repeated_as_names_are_printed() {
        let word = Words::of(br"a\040b\c").next().unwrap();
        let error = Error::wrong(Reason::NoSuchDisk, word);
        assert_eq!(error.to_string(), r"a\040bc: there is no such disk");
        let error = Error::wrong(Reason::NoAtSign, word);
        assert!(error.to_string().starts_with("a040bc: "));
        let error = Error::missing(Reason::NoDisk);
        assert_eq!(error.to_string(), Reason::NoDisk.as_str());
    }
}
