// SPDX-License-Identifier: GPL-2.0

//! Replies to messages, as device-mapper gives them to the byte.
//!
//! Times are taken in ns. Without `precise_timestamps` they are told in ms, each number rounded
//! down; device-mapper counts jiffies, and so tells multiples of a jiffy.
//!
//! # What the option `classes` adds
//!
//! `@stats_print` has behind device-mapper's columns (and histogram) of each area
//!
//! ```text
//!  length:L read:IOS:MERGES:SECTORS:NS write:IOS:MERGES:SECTORS:NS free:IOS:MERGES:SECTORS:NS
//! ```
//!
//! with the sectors the area really has, of which the last may have fewer than the step, and what
//! device-mapper has as writes by what they do; times in ns in any case. If it was not asked for
//! some areas only, a last line tells of the region as a whole, in which an I/O is counted once
//! however many areas it touches, without a histogram:
//!
//! ```text
//! total START+LENGTH (13 columns) length:L read:... write:... free:... none:...
//! ```
//!
//! `@stats_list` has the word `classes` last, and a backslash before each blank and backslash of
//! program and auxiliary data: then the line can be split as a message is. (Device-mapper writes
//! them as they are, and so is done without the option.)

use crate::acct::region::{
    area::Done,
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

/// Where replies go. Words of users' are bytes, and need not be text.
pub trait Reply: Write {
    /// Appends bytes as they are.
    fn write_bytes(&mut self, bytes: &[u8]) -> Result;
}

/// The reply to `@stats_create`.
pub fn created(out: &mut impl Reply, id: u32) -> Result {
    write!(out, "{id}")
}

/// A region as `@stats_list` has it.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Its id.
    pub id: u32,
    /// Its range.
    pub geometry: &'a Geometry,
    /// Whose it is.
    pub program: &'a [u8],
    /// What it is found by.
    pub aux: &'a [u8],
    /// What its times are in.
    pub unit: Unit,
    /// Its histogram's bounds; none without.
    pub bounds: &'a [u64],
    /// Whether it has additional output.
    pub classes: bool,
}

/// A line of `@stats_list`.
pub fn listed(out: &mut impl Reply, region: &Listed<'_>) -> Result {
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

fn word(out: &mut impl Reply, word: &[u8], quote: bool) -> Result {
    if !quote {
        return out.write_bytes(word);
    }
    for byte in word {
        // What `message::word` takes for a blank.
        if matches!(byte, b'\t'..=b'\r' | b' ' | 0xa0 | b'\\') {
            out.write_char('\\')?;
        }
        out.write_bytes(&[*byte])?;
    }
    Ok(())
}

/// What `@stats_print` tells of an area or of the whole region.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'a> {
    /// Since it was cleared.
    pub columns: &'a Columns,
    /// I/Os in flight.
    pub in_flight: u64,
    /// Since they were cleared; with additional output.
    pub classes: Option<&'a Classes>,
    /// What times are told in.
    pub unit: Unit,
}

/// A line of `@stats_print`: one area, with its histogram if there is one.
pub fn area(
    out: &mut impl Reply,
    geometry: &Geometry,
    area: usize,
    printed: &Printed<'_>,
    histogram: impl IntoIterator<Item = u64>,
) -> Result {
    let (start, len) = geometry.area(area);
    write!(out, "{start}+{}", geometry.step())?;
    columns(out, printed)?;
    let mut separator = ' ';
    for count in histogram {
        write!(out, "{separator}{count}")?;
        separator = ':';
    }
    if let Some(by_class) = printed.classes {
        classes(out, len, by_class)?;
    }
    out.write_char('\n')
}

/// The last line of `@stats_print` with additional output: the region as a whole.
pub fn total(out: &mut impl Reply, geometry: &Geometry, printed: &Printed<'_>) -> Result {
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
fn columns(out: &mut impl Reply, printed: &Printed<'_>) -> Result {
    let Columns { read, write, .. } = printed.columns;
    let time = |time_ns| printed.unit.of(time_ns);
    for column in [read, write] {
        let Column {
            ios,
            merges,
            sectors,
            ticks_ns,
        } = *column;
        write!(out, " {ios} {merges} {sectors} {}", time(ticks_ns))?;
    }
    write!(
        out,
        " {} {} {} {} {}",
        printed.in_flight,
        time(printed.columns.io_ticks_total_ns),
        time(printed.columns.time_in_queue_ns),
        time(printed.columns.io_ticks_read_ns),
        time(printed.columns.io_ticks_write_ns),
    )
}

fn classes(out: &mut impl Reply, len: u64, classes: &Classes) -> Result {
    write!(out, " length:{len}")?;
    done(out, "read", &classes.read)?;
    done(out, "write", &classes.write)?;
    done(out, "free", &classes.free)
}

fn done(out: &mut impl Reply, name: &str, done: &Done<u64>) -> Result {
    let Done {
        ios,
        sectors,
        ticks_ns,
        merges,
    } = *done;
    write!(out, " {name}:{ios}:{merges}:{sectors}:{ticks_ns}")
}
