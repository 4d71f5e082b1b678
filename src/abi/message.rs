// SPDX-License-Identifier: GPL-2.0

//! Messages: device-mapper's `@stats_*`, for any disk.
//!
//! A line consists of the disk and the message as `dmsetup message` takes it. Messages that device-mapper
//! accepts are accepted, and those that it refuses are refused. Numbers are parsed as by the kernel's
//! `sscanf()`, which refuses no number as too large. Additions to device-mapper: the options `classes` and
//! `unchecked`, the message `@stats_resize`, and that a range must end on the device.
//!
//! Nothing is copied: a parsed message borrows its line. Floor 3 looks up the disk and returns the errno and
//! the text of an error; floor 2 copies what it keeps, from `Word::bytes()`.

pub mod cgroup;
pub mod create;
pub mod error;
pub mod evcnt;
pub mod kstat;
pub mod list;
pub mod slow;
pub mod word;

use create::{
    Create,
    Resize, //
};
use error::{
    Error,
    Reason, //
};
use word::{
    Word,
    Words,
    KEPT, //
};

/// A parsed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// `@stats_create`: creates a region; the reply is its id.
    Create(Create<'a>),
    /// `@stats_delete id`: deletes a region.
    Delete(u32),
    /// `@stats_clear id`: sets the counters of a region to zero, except I/O in flight.
    Clear(u32),
    /// `@stats_list [program]`: prints a line for each region, or for each region of that program.
    List(Option<Word<'a>>),
    /// `@stats_print id [first count]` or `@stats_print_clear`: prints a line for each area.
    Print(PrintAreas),
    /// `@stats_set_aux id aux`: replaces the auxiliary data of a region.
    SetAux(u32, Word<'a>),
    /// `@stats_resize id range [unchecked]`: an addition to device-mapper.
    Resize(Resize<'a>),
}

impl Message<'_> {
    /// Returns the id of the region, if the message is for an existing region.
    pub fn id(&self) -> Option<u32> {
        match self {
            Message::Create(_) | Message::List(_) => None,
            Message::Delete(id) | Message::Clear(id) | Message::SetAux(id, _) => Some(*id),
            Message::Print(print) => Some(print.id),
            Message::Resize(resize) => Some(resize.id),
        }
    }
}

/// The areas to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintAreas {
    /// The id of the region.
    pub id: u32,
    /// The first area.
    pub first: u64,
    /// The number of areas.
    pub count: u64,
    /// Whether the printed values are subtracted from the counters.
    pub clear: bool,
}

impl PrintAreas {
    /// Returns whether no areas were given. Then all are printed, and the total of the region too.
    pub fn is_whole(&self) -> bool {
        (self.first, self.count) == (0, u64::MAX)
    }

    /// Returns the range of areas to print, for a region with this number of areas.
    pub fn areas(&self, areas: usize) -> core::ops::Range<usize> {
        let clip = |index: u64| usize::try_from(index).map_or(areas, |index| index.min(areas));
        clip(self.first)..clip(self.first.saturating_add(self.count))
    }
}

/// Parses a line: the disk and the message.
pub fn parse(line: &[u8]) -> Result<(Word<'_>, Message<'_>), Error<'_>> {
    let mut words = Words::of(line);
    let disk = words.next().ok_or(Error::missing(Reason::NoDisk))?;
    let name = words.next().ok_or(Error::missing(Reason::NoMessage))?;
    let message = message(name, &mut words)?;
    match words.next() {
        Some(word) => Err(Error::wrong(Reason::Surplus, word)),
        None => Ok((disk, message)),
    }
}

fn message<'a>(name: Word<'a>, words: &mut Words<'a>) -> Result<Message<'a>, Error<'a>> {
    let is = |text| name.is_ignoring_case(text);
    if name.bytes().next() != Some(b'@') {
        return Err(Error::wrong(Reason::NoAtSign, name));
    }
    Ok(if is("@stats_create") {
        Message::Create(Create::parse(words)?)
    } else if is("@stats_delete") {
        Message::Delete(id(words)?)
    } else if is("@stats_clear") {
        Message::Clear(id(words)?)
    } else if is("@stats_list") {
        Message::List(program(words)?)
    } else if is("@stats_print") {
        Message::Print(print(words, false)?)
    } else if is("@stats_print_clear") {
        Message::Print(print(words, true)?)
    } else if is("@stats_set_aux") {
        let id = id(words)?;
        Message::SetAux(id, words.next().ok_or(Error::missing(Reason::NoAux))?)
    } else if is("@stats_resize") {
        Message::Resize(Resize::parse(id(words)?, words)?)
    } else {
        return Err(Error::wrong(Reason::UnknownMessage, name));
    })
}

fn id<'a>(words: &mut Words<'a>) -> Result<u32, Error<'a>> {
    let word = words.next().ok_or(Error::missing(Reason::NoId))?;
    word::id(word).ok_or(Error::wrong(Reason::BadId, word))
}

fn program<'a>(words: &mut Words<'a>) -> Result<Option<Word<'a>>, Error<'a>> {
    match words.next() {
        Some(word) if word.as_written().len() > KEPT => {
            Err(Error::wrong(Reason::LongProgram, word))
        }
        word => Ok(word),
    }
}

fn print<'a>(words: &mut Words<'a>, clear: bool) -> Result<PrintAreas, Error<'a>> {
    let mut print = PrintAreas {
        id: id(words)?,
        first: 0,
        count: u64::MAX,
        clear,
    };
    let Some(first) = words.next() else {
        return Ok(print);
    };
    let number = |word: Word<'a>, default, reason| match word.is(b"-") {
        true => Ok(default),
        false => word::number(word).ok_or(Error::wrong(reason, word)),
    };
    print.first = number(first, print.first, Reason::BadFirst)?;
    let count = words.next().ok_or(Error::missing(Reason::NoCount))?;
    print.count = number(count, print.count, Reason::BadCount)?;
    Ok(print)
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_message))]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_disk_and_a_message() {
        let parsed = parse(b"sda @stats_print_clear 3 - 7\n");
        let print = PrintAreas {
            id: 3,
            first: 0,
            count: 7,
            clear: true,
        };
        assert!(
            matches!(parsed, Ok((disk, message)) if disk.is(b"sda") && message == Message::Print(print))
        );
    }

    #[test]
    fn an_error_names_the_word() {
        let error = parse(b"sda @stats_delete 3 4\\\t").err();
        assert!(error.is_some_and(|error| {
            error.reason == Reason::Surplus && error.word.is_some_and(|word| word.is(b"4\t"))
        }));
        let error = parse(b"sda @stats_delete").err();
        assert!(error == Some(Error::missing(Reason::NoId)));
    }

    #[test]
    fn a_program_has_at_most_1024_bytes() {
        let mut line = [b'p'; 17 + 1025];
        line[..17].copy_from_slice(b"sda @stats_list  ");
        let error = parse(&line).err();
        assert!(error.is_some_and(|error| error.reason == Reason::LongProgram));
        let parsed = parse(&line[..17 + 1024]);
        assert!(
            matches!(parsed, Ok((_, Message::List(Some(word)))) if word.as_written().len() == 1024)
        );
    }

    #[test]
    fn messages_for_a_region_have_its_id() {
        let table: [(&[u8], Option<u32>); 9] = [
            (b"sda @stats_create - /1", None),
            (b"sda @stats_list", None),
            (b"sda @stats_delete 3", Some(3)),
            (b"sda @stats_clear 4", Some(4)),
            (b"sda @stats_print 5", Some(5)),
            (b"sda @stats_print_clear 6", Some(6)),
            (b"sda @stats_set_aux 7 aux", Some(7)),
            (b"sda @stats_resize 8 -", Some(8)),
            (b"sda @stats_resize 9 0+8", Some(9)),
        ];
        for (line, id) in table {
            assert!(parse(line).is_ok_and(|(_, message)| message.id() == id));
        }
    }

    #[test]
    fn areas_to_print_are_clipped_to_the_region() {
        let print = |first, count| PrintAreas {
            id: 0,
            first,
            count,
            clear: false,
        };
        let table = [
            (0, u64::MAX, 0..5),
            (1, u64::MAX, 1..5),
            (2, 2, 2..4),
            (2, 0, 2..2),
            (4, 3, 4..5),
            (5, 1, 5..5),
            (u64::MAX, u64::MAX, 5..5),
        ];
        for (first, count, areas) in table {
            assert_eq!(print(first, count).areas(5), areas);
        }
        assert!(print(0, u64::MAX).is_whole() && !print(0, 5).is_whole());
    }
}
