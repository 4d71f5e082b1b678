// SPDX-License-Identifier: GPL-2.0

//! Columns of regions by the names that `dmstats report -o` has for them.

use crate::region::{Area, Region};
use crate::sample::Device;
use crate::usage::usage;
use anyhow::Result;

/// An area of a region, in an interval if there is one.
pub struct Of<'a> {
    pub device: &'a Device,
    pub region: &'a Region,
    /// How many areas the region has.
    pub areas: usize,
    pub index: usize,
    pub area: &'a Area,
    pub ns: Option<u64>,
}

/// A column.
pub struct Field {
    pub name: &'static str,
    pub heading: &'static str,
    value: fn(&Of) -> String,
}

macro_rules! field {
    ($name:literal, $heading:literal, $value:expr) => {
        Field {
            name: $name,
            heading: $heading,
            value: $value,
        }
    };
}

/// One of the rates and means that [`Area::fields`] has, in its order.
macro_rules! metric {
    ($name:literal, $heading:literal, $index:literal) => {
        field!($name, $heading, |of| {
            let metric = of.area.fields(of.ns.unwrap_or(0))[$index];
            metric.map_or("-".to_owned(), |metric| format!("{metric:.2}"))
        })
    };
}

const FIELDS: [Field; 35] = [
    field!("name", "Name", |of| of.device.name.clone()),
    field!("program_id", "ProgID", |of| of.region.program.clone()),
    field!("region_id", "RgID", |of| of.region.id.to_string()),
    field!("region_start", "RgStart", |of| of.region.start.to_string()),
    field!("region_len", "RgSize", |of| of.region.len.to_string()),
    field!("area_count", "#Areas", |of| of.areas.to_string()),
    field!("area_id", "ArID", |of| of.index.to_string()),
    field!("area_start", "ArStart", |of| of.area.start.to_string()),
    field!("area_len", "ArSize", |of| of.area.len.to_string()),
    field!("interval_ns", "Interval(ns)", |of| of
        .ns
        .map_or("-".to_owned(), |ns| ns.to_string())),
    field!("read_count", "#Reads", |of| of.area.ios[0].to_string()),
    field!("reads_merged_count", "#RdMrgs", |of| of.area.merges[0]
        .to_string()),
    field!("read_sector_count", "#RdSectors", |of| of.area.sectors[0]
        .to_string()),
    field!("read_time", "AccRdTime", |of| of.area.time_ns[0]
        .to_string()),
    field!("write_count", "#Writes", |of| of.area.ios[1].to_string()),
    field!("writes_merged_count", "#WrMrgs", |of| of.area.merges[1]
        .to_string()),
    field!("write_sector_count", "#WrSectors", |of| of.area.sectors[1]
        .to_string()),
    field!("write_time", "AccWrTime", |of| of.area.time_ns[1]
        .to_string()),
    field!("in_progress_count", "InProgress", |of| of
        .area
        .in_flight
        .to_string()),
    field!("io_ticks", "IoTicks", |of| of.area.busy_ns.to_string()),
    field!("queue_ticks", "QueueTicks", |of| of
        .area
        .queue_ns
        .to_string()),
    metric!("reads_merged_per_sec", "RMrg/s", 0),
    metric!("writes_merged_per_sec", "WMrg/s", 1),
    metric!("reads_per_sec", "R/s", 2),
    metric!("writes_per_sec", "W/s", 3),
    metric!("read_size_per_sec", "RSz/s", 4),
    metric!("write_size_per_sec", "WSz/s", 5),
    metric!("avg_request_size", "AvgRqSz", 6),
    metric!("queue_size", "QSize", 7),
    metric!("util", "Util%", 8),
    metric!("await", "AWait", 9),
    metric!("read_await", "RdAWait", 10),
    metric!("write_await", "WrAWait", 11),
    field!("throughput", "Throughput", |of| {
        let metrics = of.area.fields(of.ns.unwrap_or(0));
        let both = metrics[2].zip(metrics[3]);
        let both = both.map(|(reads, writes)| reads + writes);
        both.map_or("-".to_owned(), |both| format!("{both:.2}"))
    }),
    field!("precise", "Precise", |of| u8::from(of.region.precise)
        .to_string()),
];

/// The columns that these names are.
pub fn fields(names: &[String]) -> Result<Vec<&'static Field>> {
    let field = |name: &String| {
        let found = FIELDS.iter().find(|field| field.name == *name);
        match found {
            Some(field) => Ok(field),
            None => {
                let all: Vec<_> = FIELDS.iter().map(|field| field.name).collect();
                Err(usage(format_args!(
                    "{name}: invalid field: the fields are {}",
                    all.join(", ")
                )))
            }
        }
    };
    names.iter().map(field).collect()
}

impl Field {
    pub fn value(&self, of: &Of) -> String {
        (self.value)(of)
    }
}

/// Rows with columns of the width that they need.
pub struct Columns {
    fields: Vec<&'static Field>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub fn new(fields: &[&'static Field]) -> Self {
        Columns {
            fields: fields.to_vec(),
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, of: &Of) {
        let row = self.fields.iter().map(|field| field.value(of));
        self.rows.push(row.collect());
    }

    /// The heading, and a line for each row.
    pub fn lines(&self) -> (String, Vec<String>) {
        let heading: Vec<_> = self.fields.iter().map(|f| f.heading.to_owned()).collect();
        let width = |column: usize| {
            let rows = self.rows.iter().chain([&heading]);
            rows.map(|row| row[column].len()).max().unwrap_or(0)
        };
        let widths: Vec<_> = (0..self.fields.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            cells.collect::<Vec<_>>().join(" ").trim_end().to_owned()
        };
        (line(&heading), self.rows.iter().map(line).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_has_a_name_of_its_own() {
        for (index, field) in FIELDS.iter().enumerate() {
            let same = FIELDS.iter().filter(|other| other.name == field.name);
            assert_eq!(same.count(), 1, "{index}");
        }
        assert!(fields(&["no_such".to_owned()]).is_err());
    }
}
