// SPDX-License-Identifier: GPL-2.0

//! `@stats_create` and `@stats_resize`: ranges, steps, options.

use super::{
    error::{
        Error,
        Reason, //
    },
    word::{
        number,
        short,
        Bytes,
        Word,
        Words,
        DASH, //
    },
};
use crate::acct::region::geometry::{
    Geometry,
    MAX_BUCKETS, //
};

/// A range of sectors, and the word that it was parsed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<'a> {
    word: Word<'a>,
    sectors: Sectors,
}

/// Sectors of 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sectors {
    /// All sectors of the device.
    Whole,
    /// A part of the device. `start + len` does not overflow and is greater than `start`.
    Some {
        /// The first sector.
        start: u64,
        /// The number of sectors.
        len: u64,
    },
}

impl<'a> Range<'a> {
    pub(super) fn parse(words: &mut Words<'a>) -> Result<Self, Error<'a>> {
        let word = words.next().ok_or(Error::missing(Reason::NoRange))?;
        let sectors = Sectors::parse(word).map_err(|reason| Error::wrong(reason, word))?;
        Ok(Range { word, sectors })
    }

    /// Returns the sectors.
    pub fn sectors(&self) -> Sectors {
        self.sectors
    }

    /// Returns the first sector and the length on a device of `device` sectors. A device without sectors is
    /// treated as one of one sector, as by device-mapper.
    fn on(&self, device: u64) -> (u64, u64) {
        match self.sectors {
            Sectors::Whole => (0, device.max(1)),
            Sectors::Some { start, len } => (start, len),
        }
    }

    fn check(&self, device: u64) -> Result<(), Error<'a>> {
        match self.sectors {
            Sectors::Some { start, len } if start.saturating_add(len) > device => {
                Err(self.wrong(Reason::OutsideDevice))
            }
            _ => Ok(()),
        }
    }

    fn wrong(&self, reason: Reason) -> Error<'a> {
        Error::wrong(reason, self.word)
    }
}

impl Sectors {
    fn parse(word: Word<'_>) -> Result<Self, Reason> {
        if word.is(b"-") {
            return Ok(Sectors::Whole);
        }
        let mut bytes = word.bytes();
        let start = bytes.number().ok_or(Reason::BadRange)?;
        if bytes.next() != Some(b'+') {
            return Err(Reason::BadRange);
        }
        let len = bytes.number().ok_or(Reason::BadRange)?;
        if bytes.next().is_some() {
            return Err(Reason::BadRange);
        }
        if len == 0 || start.checked_add(len).is_none() {
            return Err(Reason::EmptyRange);
        }
        Ok(Sectors::Some { start, len })
    }
}

/// The size of the areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSize {
    /// The number of sectors of an area; not 0.
    Sectors(u64),
    /// The number of areas; not 0.
    Parts(u32),
}

impl StepSize {
    fn parse(word: Word<'_>) -> Result<Self, Reason> {
        let mut bytes = word.bytes();
        let step = if bytes.next() == Some(b'/') {
            let parts = bytes.number().ok_or(Reason::BadStep)?;
            if bytes.next().is_some() {
                return Err(Reason::BadStep);
            }
            // CAST: The lower 32 bits, as the kernel's `%u` parses it.
            StepSize::Parts(parts as u32)
        } else {
            StepSize::Sectors(number(word).ok_or(Reason::BadStep)?)
        };
        match step {
            StepSize::Sectors(0) | StepSize::Parts(0) => Err(Reason::ZeroStep),
            step => Ok(step),
        }
    }

    fn of(self, len: u64) -> u64 {
        match self {
            StepSize::Sectors(sectors) => sectors,
            StepSize::Parts(parts) => len.div_ceil(u64::from(parts).max(1)),
        }
    }
}

/// The bounds of a histogram, in ms or ns as the times of the region; above 0 and ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds<'a> {
    list: Bytes<'a>,
    len: usize,
}

impl<'a> Bounds<'a> {
    fn parse(list: Bytes<'a>) -> Option<Self> {
        let mut rest = list.clone();
        let (mut last, mut len) = (0, 0usize);
        loop {
            let bound = rest.number()?;
            if bound <= last {
                return None;
            }
            last = bound;
            len = len.saturating_add(1);
            match rest.next() {
                None => return Some(Bounds { list, len }),
                Some(b',') => {}
                Some(_) => return None,
            }
        }
    }

    /// Returns the number of bounds, which is at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns an iterator over the bounds.
    pub fn iter(&self) -> impl Iterator<Item = u64> + 'a {
        let mut rest = self.list.clone();
        core::iter::from_fn(move || {
            let bound = rest.number();
            rest.next();
            bound
        })
    }
}

/// The options of a new region. The last two are additions to device-mapper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// `precise_timestamps`: times are in ns, not in ms.
    pub precise_timestamps: bool,
    /// `histogram:...`: records a histogram of the times.
    pub histogram: Option<Bounds<'a>>,
    /// `classes`: additional output, see [`crate::abi::region_text`].
    pub classes: bool,
    /// `unchecked`: the range may end beyond the end of the device.
    pub unchecked: bool,
}

impl<'a> Options<'a> {
    /// Parses a count and as many options. Takes no word if the next word is not a number.
    fn parse(words: &mut Words<'a>) -> Result<Self, Error<'a>> {
        let mut options = Options::default();
        let mut ahead = words.clone();
        let Some(count) = ahead.next().and_then(short) else {
            return Ok(options);
        };
        *words = ahead;
        for _ in 0..count {
            let word = words.next().ok_or(Error::missing(Reason::NoOption))?;
            options
                .add(word)
                .map_err(|reason| Error::wrong(reason, word))?;
        }
        Ok(options)
    }

    fn add(&mut self, word: Word<'a>) -> Result<(), Reason> {
        if word.is_ignoring_case("precise_timestamps") {
            self.precise_timestamps = true;
        } else if word.is_ignoring_case("classes") {
            self.classes = true;
        } else if word.is_ignoring_case("unchecked") {
            self.unchecked = true;
        } else if let Some(list) = word.bytes().strip_prefix_ignoring_case("histogram:") {
            if self.histogram.is_some() {
                return Err(Reason::SecondHistogram);
            }
            self.histogram = Some(Bounds::parse(list).ok_or(Reason::BadBounds)?);
        } else {
            return Err(Reason::UnknownOption);
        }
        Ok(())
    }
}

/// `@stats_create range step [count option...] [program [aux]]`: creates a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create<'a> {
    /// The sectors of the region.
    pub range: Range<'a>,
    /// The size of the areas.
    pub step: StepSize,
    /// The options.
    pub options: Options<'a>,
    /// The program that owns the region; `-` if none is given.
    pub program: Word<'a>,
    /// Auxiliary data of that program; `-` if none is given.
    pub aux: Word<'a>,
    step_word: Word<'a>,
}

impl<'a> Create<'a> {
    pub(super) fn parse(words: &mut Words<'a>) -> Result<Self, Error<'a>> {
        let range = Range::parse(words)?;
        let step_word = words.next().ok_or(Error::missing(Reason::NoStep))?;
        let step = StepSize::parse(step_word).map_err(|reason| Error::wrong(reason, step_word))?;
        let options = Options::parse(words)?;
        Ok(Create {
            range,
            step,
            options,
            program: words.next().unwrap_or(DASH),
            aux: words.next().unwrap_or(DASH),
            step_word,
        })
    }

    /// Returns the areas on a device of `device` sectors.
    pub fn geometry(&self, device: u64) -> Result<Geometry, Error<'a>> {
        let (start, len) = self.range.on(device);
        let too_many = |reason| Error::wrong(reason, self.step_word);
        let geometry = Geometry::new(start, len, self.step.of(len))
            .ok_or_else(|| too_many(Reason::TooManyAreas))?;
        let buckets = match &self.options.histogram {
            Some(bounds) => bounds.len().saturating_add(1),
            None => 1,
        };
        if buckets.saturating_mul(geometry.areas()) > MAX_BUCKETS {
            return Err(too_many(Reason::TooManyBuckets));
        }
        // Checked last, so that a range that device-mapper refuses is refused for the same reason.
        if !self.options.unchecked {
            self.range.check(device)?;
        }
        Ok(geometry)
    }
}

/// `@stats_resize id range [unchecked]`: changes the range of a region. The areas keep their size and, in the
/// common part, their counters. An addition to device-mapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resize<'a> {
    /// The id of the region.
    pub id: u32,
    /// The new range.
    pub range: Range<'a>,
    /// The range may end beyond the end of the device.
    pub unchecked: bool,
}

impl<'a> Resize<'a> {
    pub(super) fn parse(id: u32, words: &mut Words<'a>) -> Result<Self, Error<'a>> {
        let range = Range::parse(words)?;
        let mut unchecked = false;
        if let Some(word) = words.next() {
            if !word.is_ignoring_case("unchecked") {
                return Err(Error::wrong(Reason::UnknownOption, word));
            }
            unchecked = true;
        }
        Ok(Resize {
            id,
            range,
            unchecked,
        })
    }

    /// Returns the new areas of a region with `buckets` counts in the histogram of each area; 1 without a
    /// histogram.
    pub fn geometry(
        &self,
        old: &Geometry,
        buckets: usize,
        device: u64,
    ) -> Result<Geometry, Error<'a>> {
        let (start, len) = self.range.on(device);
        let new = Geometry::new(start, len, old.step())
            .ok_or_else(|| self.range.wrong(Reason::TooManyAreas))?;
        if buckets.saturating_mul(new.areas()) > MAX_BUCKETS {
            return Err(self.range.wrong(Reason::TooManyBuckets));
        }
        if !old.is_aligned_to(&new) {
            return Err(self.range.wrong(Reason::Unaligned));
        }
        if !self.unchecked {
            self.range.check(device)?;
        }
        Ok(new)
    }
}
