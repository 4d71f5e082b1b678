// SPDX-License-Identifier: GPL-2.0

//! An area as JSON and CSV have it.

use super::{csv_record, time, Count};
use crate::output::Output;
use crate::region::{Area, Region};
use crate::sample::Device;
use anyhow::Result;
use serde::Serialize;

/// Of an area, in an interval: what JSON and CSV say.
#[derive(Serialize)]
pub struct Line<'a> {
    time: String,
    interval_ns: Option<Count>,
    device: &'a str,
    region: u32,
    area: usize,
    start: Count,
    sectors: Count,
    reads: Count,
    writes: Count,
    read_merges: Count,
    write_merges: Count,
    read_sectors: Count,
    write_sectors: Count,
    read_ns: Count,
    write_ns: Count,
    in_flight: Count,
    busy_ns: Count,
    queue_ns: Count,
}

/// The columns of CSV.
pub const CSV: &str =
    "time,interval_ns,device,region,area,start,sectors,reads,writes,read_merges,write_merges,\
                   read_sectors,write_sectors,read_ns,write_ns,in_flight,busy_ns,queue_ns";

pub fn line<'a>(
    wall_ns: i64,
    ns: Option<u64>,
    device: &'a Device,
    region: &Region,
    index: usize,
    area: &Area,
) -> Line<'a> {
    Line {
        time: time(wall_ns),
        interval_ns: ns.map(Count),
        device: &device.name,
        region: region.id,
        area: index,
        start: Count(area.start),
        sectors: Count(area.len),
        reads: Count(area.ios[0]),
        writes: Count(area.ios[1]),
        read_merges: Count(area.merges[0]),
        write_merges: Count(area.merges[1]),
        read_sectors: Count(area.sectors[0]),
        write_sectors: Count(area.sectors[1]),
        read_ns: Count(area.time_ns[0]),
        write_ns: Count(area.time_ns[1]),
        in_flight: Count(area.in_flight),
        busy_ns: Count(area.busy_ns),
        queue_ns: Count(area.queue_ns),
    }
}

pub fn csv_line(out: &mut Output, line: &Line) -> Result<()> {
    let numbers = [
        line.start,
        line.sectors,
        line.reads,
        line.writes,
        line.read_merges,
        line.write_merges,
        line.read_sectors,
        line.write_sectors,
        line.read_ns,
        line.write_ns,
        line.in_flight,
        line.busy_ns,
        line.queue_ns,
    ];
    let mut fields = vec![
        line.time.clone(),
        line.interval_ns
            .map_or(String::new(), |ns| ns.0.to_string()),
        line.device.to_owned(),
        line.region.to_string(),
        line.area.to_string(),
    ];
    fields.extend(numbers.iter().map(|number| number.0.to_string()));
    csv_record(out, fields.iter().map(String::as_str))
}
