// SPDX-License-Identifier: GPL-2.0

//! Replies to messages, as device-mapper gives them to the byte.
//!
//! Times are measured in ns. Without `precise_timestamps` they are reported in ms, each number rounded
//! down; device-mapper counts jiffies, and so reports multiples of a jiffy.
//!
//! # What the option `classes` adds
//!
//! `@stats_print` appends to device-mapper's columns (and histogram) of each area:
//!
//! ```text
//!  length:L read:IOS:MERGES:SECTORS:NS write:IOS:MERGES:SECTORS:NS free:IOS:MERGES:SECTORS:NS
//! ```
//!
//! `L` is the number of sectors of the area; the last area may have fewer than the step.
//! Device-mapper's writes are split into those that write and those that free sectors. Times are
//! always in ns. Unless the message gives areas, a last line has the region as a whole, without a
//! histogram. There an I/O is counted once, however many areas it touches:
//!
//! ```text
//! total START+LENGTH (13 columns) length:L read:... write:... free:... none:...
//! ```
//!
//! `@stats_list` appends the word `classes`, and writes a backslash before each blank and backslash
//! of program and auxiliary data, so that the line can be split like a message. (Device-mapper
//! writes them unchanged, as does a region without the option.)

use super::{
    decimal::DIGITS,
    out::{
        number,
        numbers,
        Out, //
        ReplyWriter,
    },
    pager::Piece, //
};
use crate::acct::region::{
    area::Completed,
    columns::{
        Classes,
        Column,
        Columns,
        Unit, //
    },
    geometry::Geometry, //
};
use core::fmt::{
    Result,
    Write, //
};

/// The reply to `@stats_create`.
pub fn created(out: &mut impl Out, id: u32) -> Result {
    write!(out, "{id}")
}

/// A region as `@stats_list` prints it.
#[derive(Clone, Copy, Debug)]
pub struct ListedRegion<'a> {
    /// Its id.
    pub id: u32,
    /// Its range.
    pub geometry: &'a Geometry,
    /// The program that owns it.
    pub program: &'a [u8],
    /// Auxiliary data of that program.
    pub aux: &'a [u8],
    /// The unit of its times.
    pub unit: Unit,
    /// The bounds of its histogram; empty without a histogram.
    pub bounds: &'a [u64],
    /// Whether it has the option `classes`.
    pub classes: bool,
}

/// A line of `@stats_list`.
pub fn listed(out: &mut impl ReplyWriter, region: &ListedRegion<'_>) -> Result {
    let geometry = region.geometry;
    let (start, len, step) = (geometry.start(), geometry.len(), geometry.step());
    write!(out, "{}: {start}+{len} {step} ", region.id)?;
    word(out, region.program, region.classes)?;
    out.write_char(' ')?;
    word(out, region.aux, region.classes)?;
    if region.unit == Unit::Ns {
        out.write_str(" precise_timestamps")?;
    }
    let mut separator = " histogram:";
    for bound in region.bounds {
        write!(out, "{separator}{bound}")?;
        separator = ",";
    }
    if region.classes {
        out.write_str(" classes")?;
    }
    out.write_char('\n')
}

fn word(out: &mut impl ReplyWriter, word: &[u8], quote: bool) -> Result {
    if !quote {
        return out.write_bytes(word);
    }
    for byte in word {
        // The blanks are those of `message::word`.
        if matches!(byte, b'\t'..=b'\r' | b' ' | 0xa0 | b'\\') {
            out.write_char('\\')?;
        }
        out.write_bytes(&[*byte])?;
    }
    Ok(())
}

/// The values that `@stats_print` reports of an area, or of the whole region.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// The columns, counted since they were cleared.
    pub columns: &'a Columns,
    /// I/Os in flight.
    pub in_flight: u64,
    /// The additional columns, counted since they were cleared; only with the option `classes`.
    pub classes: Option<&'a Classes>,
    /// The unit in which times are reported.
    pub unit: Unit,
}

/// A line of `@stats_print`: one area, with its histogram if there is one.
///
/// A histogram may have more counts than a buffer has room for. Hence a line consists of parts, which are written
/// in one or in several pieces: what is before the histogram, each of its counts, and what follows.
pub struct AreaLine<'a> {
    /// The areas of the region.
    pub geometry: &'a Geometry,
    /// The index of the area.
    pub area: usize,
    /// The values of the area.
    pub printed: Printed<'a>,
    /// Counts in its histogram; 0 without a histogram.
    pub buckets: usize,
}

impl AreaLine<'_> {
    /// How many parts the line has.
    pub fn parts(&self) -> usize {
        self.buckets.saturating_add(2)
    }

    /// Writes the parts from `first` on for which there is room. Returns the index of the next part. `count`
    /// returns the count of a bucket; it is called once for each bucket that is written.
    pub fn write(
        &self,
        out: &mut Piece<'_>,
        first: usize,
        mut count: impl FnMut(usize) -> u64,
    ) -> usize {
        let mut part = first;
        if part == 0 {
            if !out.record(|out| self.head(out)) {
                return part;
            }
            part = 1;
        }
        while let Some(bucket) = part.checked_sub(1).filter(|bucket| *bucket < self.buckets) {
            let separator = if bucket == 0 { ' ' } else { ':' };
            let is_written = out.room() > DIGITS && {
                // There is room for any count.
                let count = count(bucket);
                out.record(|out| {
                    out.write_char(separator)?;
                    number(out, count)
                })
            };
            if !is_written {
                return part;
            }
            part = part.saturating_add(1);
        }
        if part < self.parts() && out.record(|out| self.tail(out)) {
            part = self.parts();
        }
        part
    }

    fn head(&self, out: &mut Piece<'_>) -> Result {
        let (start, _) = self.geometry.area(self.area);
        number(out, start)?;
        out.write_char('+')?;
        number(out, self.geometry.step())?;
        columns(out, &self.printed)
    }

    fn tail(&self, out: &mut Piece<'_>) -> Result {
        if let Some(by_class) = self.printed.classes {
            let (_, len) = self.geometry.area(self.area);
            classes(out, len, by_class)?;
        }
        out.write_char('\n')
    }
}

/// The last line of `@stats_print` with the option `classes`: the region as a whole.
pub fn total(out: &mut impl Out, geometry: &Geometry, printed: &Printed<'_>) -> Result {
    let (start, len) = (geometry.start(), geometry.len());
    write!(out, "total {start}+{len}")?;
    columns(out, printed)?;
    if let Some(by_class) = printed.classes {
        classes(out, len, by_class)?;
        done(out, "none", &by_class.none)?;
    }
    out.write_char('\n')
}

/// Columns 1 to 13, each after a blank.
fn columns(out: &mut impl Out, printed: &Printed<'_>) -> Result {
    let Columns { read, write, .. } = printed.columns;
    let time = |time_ns| printed.unit.of(time_ns);
    for column in [read, write] {
        let Column {
            ios,
            merges,
            sectors,
            ticks_ns,
        } = *column;
        numbers(out, &[ios, merges, sectors, time(ticks_ns)])?;
    }
    let columns = printed.columns;
    let times = [
        columns.io_ticks_total_ns,
        columns.time_in_queue_ns,
        columns.io_ticks_read_ns,
        columns.io_ticks_write_ns,
    ];
    numbers(out, &[printed.in_flight])?;
    numbers(out, &times.map(time))
}

fn classes(out: &mut impl Out, len: u64, classes: &Classes) -> Result {
    out.write_str(" length:")?;
    number(out, len)?;
    done(out, "read", &classes.read)?;
    done(out, "write", &classes.write)?;
    done(out, "free", &classes.free)
}

fn done(out: &mut impl Out, name: &str, done: &Completed<u64>) -> Result {
    let Completed {
        ios,
        sectors,
        ticks_ns,
        merges,
    } = *done;
    out.write_char(' ')?;
    out.write_str(name)?;
    for value in [ios, merges, sectors, ticks_ns] {
        out.write_char(':')?;
        number(out, value)?;
    }
    Ok(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_reply_to_a_creation_is_the_id() {
        let mut text = String::new();
        assert_eq!(created(&mut text, 4_294_967_295), Ok(()));
        assert_eq!(text, "4294967295");
    }

    #[test]
    fn the_last_line_is_of_the_whole_region() {
        let geometry = Geometry::new(8, 24, 16).unwrap();
        let columns = Columns {
            io_ticks_total_ns: 7_000_000,
            ..Columns::default()
        };
        let classes = Classes::default();
        let mut printed = Printed {
            columns: &columns,
            in_flight: 5,
            classes: None,
            unit: Unit::Ms,
        };
        let text = |printed: &Printed<'_>| {
            let mut text = String::new();
            total(&mut text, &geometry, printed).map(|()| text)
        };
        let line = "total 8+24 0 0 0 0 0 0 0 0 5 7 0 0 0";
        assert_eq!(text(&printed), Ok(format!("{line}\n")));
        printed.classes = Some(&classes);
        let classes = "read:0:0:0:0 write:0:0:0:0 free:0:0:0:0 none:0:0:0:0";
        assert_eq!(text(&printed), Ok(format!("{line} length:24 {classes}\n")));
    }

    #[test]
    fn a_count_is_returned_only_if_there_is_room_for_any() {
        let geometry = Geometry::new(0, 8, 8).unwrap();
        let columns = Columns::default();
        let line = AreaLine {
            geometry: &geometry,
            area: 0,
            printed: Printed {
                columns: &columns,
                in_flight: 0,
                classes: None,
                unit: Unit::Ms,
            },
            buckets: 1,
        };
        let head = "0+8 0 0 0 0 0 0 0 0 0 0 0 0 0".len();
        let mut memory = [0; 64];
        for (room, asked, parts) in [(DIGITS, 0, 1), (DIGITS + 1, 1, 2), (DIGITS + 2, 1, 3)] {
            let mut piece = Piece::new(&mut memory[..head + room], 0);
            let mut counts = 0;
            let written = line.write(&mut piece, 0, |_| {
                counts += 1;
                u64::MAX
            });
            assert_eq!((written, counts), (parts, asked));
        }
        let mut piece = Piece::new(&mut memory, 0);
        assert_eq!(line.write(&mut piece, line.parts(), |_| 0), line.parts());
        assert!(piece.is_empty());
    }
}
