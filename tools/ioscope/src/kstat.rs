// SPDX-License-Identifier: GPL-2.0

//! Kernel statistics at one moment.

use crate::sample::Entry;
use anyhow::{Context, Result};
use iostat_map::layout::until_nul;
use iostat_map::{File, KstatHeader, KstatValue};
use serde::{Deserialize, Serialize};

const ENXIO: i32 = 6;
const RAW: u32 = 0;
const IO: u32 = 3;

/// `enum iostat_kstat_data`.
mod data {
    pub const CHAR: u32 = 0;
    pub const INT32: u32 = 1;
    pub const INT64: u32 = 3;
    pub const FLOAT: u32 = 5;
    pub const DOUBLE: u32 = 6;
    pub const STRING: u32 = 9;
}

/// The value of a statistic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    Signed(i64),
    Unsigned(u64),
    /// The bits of a number with a fraction.
    Bits(u64),
    Text(Vec<u8>),
}

/// A kstat and its statistics, in the order in which the module's text has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kstat {
    pub module: Vec<u8>,
    pub instance: i32,
    pub name: Vec<u8>,
    pub class: Vec<u8>,
    /// `enum iostat_kstat_type`.
    pub kstat_type: u32,
    pub snaptime: u64,
    pub statistics: Vec<(Vec<u8>, Value)>,
}

/// Sorts text whatever its capitals; and by them, if there is no other difference.
fn order(text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    (text.to_ascii_lowercase(), text.to_vec())
}

/// The headers of all kstats, in the order of the module's text.
pub fn headers(file: &File) -> Result<Vec<KstatHeader>> {
    let mut headers = file.kstat_list().context("cannot list kstats")?.headers;
    headers.sort_by_cached_key(|header| {
        let (module, name) = (until_nul(&header.module), until_nul(&header.name));
        (order(module), header.instance, order(name))
    });
    Ok(headers)
}

impl Kstat {
    fn new(header: &KstatHeader, snaptime: u64, statistics: Vec<(Vec<u8>, Value)>) -> Self {
        let mut kstat = Kstat {
            module: until_nul(&header.module).to_vec(),
            instance: header.instance,
            name: until_nul(&header.name).to_vec(),
            class: until_nul(&header.class).to_vec(),
            kstat_type: header.kstat_type,
            snaptime,
            statistics,
        };
        let class = Value::Text(kstat.class.clone());
        let mut add = |name: &str, value| kstat.statistics.push((name.as_bytes().to_vec(), value));
        add("class", class);
        add("crtime", Value::Unsigned(header.crtime));
        add("snaptime", Value::Unsigned(snaptime));
        kstat.statistics.sort_by_cached_key(|(name, _)| order(name));
        kstat
    }

    /// Reads a kstat. `None` if it was deleted since it was listed, or if its client refuses: the module's text has
    /// nothing of it then, either.
    pub fn read(file: &File, header: &KstatHeader) -> Result<Option<Self>> {
        let values = match file.kstat_read(header.kid) {
            Ok(values) => values,
            Err(error) if error.raw_os_error() == Some(ENXIO) => return Ok(None),
            Err(_) => return Ok(None),
        };
        let mut statistics: Vec<_> = values
            .values
            .iter()
            .map(|value| named(value, &values.data))
            .collect();
        if values.kstat_type == RAW {
            let size = Value::Unsigned(values.data.len() as u64);
            statistics.push((b"data_size".to_vec(), size));
        }
        Ok(Some(Kstat::new(header, values.snaptime, statistics)))
    }

    /// The kstat of a device, from its counters; `None` if the header is not that of the device.
    pub fn of_device(header: &KstatHeader, entry: &Entry) -> Option<Self> {
        let is_it = header.kstat_type == IO
            && header.crtime == entry.device.crtime
            && escaped(until_nul(&header.name), b" ") == entry.device.name;
        let counters = &entry.counters;
        let numbers = [
            ("nread", counters.bytes[1]),
            ("nwritten", counters.bytes[2]),
            ("reads", counters.operations[1]),
            ("writes", counters.operations[2]),
            ("wtime", counters.wtime),
            ("wlentime", counters.wlentime),
            ("wlastupdate", counters.wlastupdate),
            ("rtime", counters.rtime),
            ("rlentime", counters.rlentime),
            ("rlastupdate", counters.rlastupdate),
            ("wcnt", counters.wcnt),
            ("rcnt", counters.rcnt),
        ];
        let named = numbers.map(|(name, count)| (name.as_bytes().to_vec(), Value::Unsigned(count)));
        is_it.then(|| Kstat::new(header, counters.snaptime, named.to_vec()))
    }

    /// The time and all numbers, in an order that does not change.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let values = self.statistics.iter().filter_map(|(_, value)| match value {
            Value::Signed(number) => Some(*number as u64),
            Value::Unsigned(number) | Value::Bits(number) => Some(*number),
            Value::Text(_) => None,
        });
        std::iter::once(self.snaptime).chain(values)
    }

    /// The same, to change them.
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = Number<'_>> {
        let values = self
            .statistics
            .iter_mut()
            .filter_map(|(_, value)| match value {
                Value::Signed(number) => Some(Number::Signed(number)),
                Value::Unsigned(number) | Value::Bits(number) => Some(Number::Unsigned(number)),
                Value::Text(_) => None,
            });
        std::iter::once(Number::Unsigned(&mut self.snaptime)).chain(values)
    }
}

/// A number of a kstat that can be changed.
pub enum Number<'a> {
    Signed(&'a mut i64),
    Unsigned(&'a mut u64),
}

impl Number<'_> {
    pub fn set(self, number: u64) {
        match self {
            Number::Signed(place) => *place = number as i64,
            Number::Unsigned(place) => *place = number,
        }
    }
}

fn named(value: &KstatValue, text: &[u8]) -> (Vec<u8>, Value) {
    let number = match value.value_type {
        data::CHAR | data::STRING => {
            let begin = value.value as usize;
            let end = begin.saturating_add(value.len as usize);
            Value::Text(text.get(begin..end).unwrap_or_default().to_vec())
        }
        data::INT32 | data::INT64 => Value::Signed(value.value as i64),
        data::FLOAT | data::DOUBLE => Value::Bits(value.value),
        _ => Value::Unsigned(value.value),
    };
    (until_nul(&value.name).to_vec(), number)
}

/// Bytes as the module writes them: what is not printable ASCII, backslashes, and those of `others` in octal.
pub fn escaped(bytes: &[u8], others: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b' '..=b'~' if *byte != b'\\' && !others.contains(byte) => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_module_writes_them() {
        assert_eq!(escaped(b"a b:c\\\xff\n", b""), "a b:c\\134\\377\\012");
        assert_eq!(escaped(b"a b:c", b" :"), "a\\040b\\072c");
    }
}
