// SPDX-License-Identifier: GPL-2.0

//! `ioscope kstat`: kernel statistics, with the options of illumos' kstat(8).

use crate::cli::{Kstat as Options, Words};
use crate::json::Count;
use crate::live::open;
use crate::output::Output;
use crate::ticker::Ticker;
use anyhow::{anyhow, bail, Context, Result};
use glob::Pattern;
use iostat_map::layout::until_nul;
use iostat_map::{File, Kstat, KstatHeader, KstatValue};
use serde::Serialize;
use std::io::Write;

const ENXIO: i32 = 6;
const RAW: u32 = 0;

/// `enum iostat_kstat_data`.
mod data {
    pub const CHAR: u32 = 0;
    pub const INT32: u32 = 1;
    pub const INT64: u32 = 3;
    pub const FLOAT: u32 = 5;
    pub const DOUBLE: u32 = 6;
    pub const STRING: u32 = 9;
}

pub fn kstat(options: &Options) -> Result<()> {
    let words = Words::new(&options.words)?;
    let selectors = Selectors::new(options, &words.devices)?;
    let file = open()?;
    let mut ticker = Ticker::new()?;
    let mut out = Output::new(true);
    if let Some(interval) = words.interval {
        ticker.start(interval);
    }
    let mut left = words.count.unwrap_or(match words.interval {
        Some(_) => u64::MAX,
        None => 1,
    });
    loop {
        let all = read(&file, &selectors)?;
        if all.is_empty() {
            bail!("there is no such kstat: ioscope kstat -l lists all");
        }
        write(&mut out, options, &all)?;
        out.flush()?;
        left -= 1;
        if left == 0 || !ticker.wait()? {
            return Ok(());
        }
        if !options.json {
            out.line("")?;
        }
    }
}

/// Which kstats, and which of their statistics: all options, and one of the operands.
struct Selectors {
    options: Selector,
    operands: Vec<Selector>,
}

/// Patterns of module, instance, name, statistic and class; what is not given is anything.
#[derive(Default)]
struct Selector([Option<Pattern>; 5]);

impl Selectors {
    fn new(options: &Options, operands: &[String]) -> Result<Self> {
        let by_options = [
            &options.module,
            &options.instance,
            &options.name,
            &options.statistic,
            &options.class,
        ];
        let mut patterns = Selector::default();
        for (pattern, word) in patterns.0.iter_mut().zip(by_options) {
            *pattern = word.as_deref().map(compile).transpose()?;
        }
        let operands = operands.iter().map(|word| Selector::operand(word));
        Ok(Selectors {
            options: patterns,
            operands: operands.collect::<Result<_>>()?,
        })
    }

    fn has(&self, kstat: &[String; 3], class: &str, statistic: Option<&str>) -> bool {
        let has = |selector: &Selector| selector.has(kstat, class, statistic);
        has(&self.options) && (self.operands.is_empty() || self.operands.iter().any(has))
    }
}

impl Selector {
    fn operand(word: &str) -> Result<Self> {
        let parts: Vec<&str> = word.split(':').collect();
        if parts.len() > 4 {
            bail!("{word} is no module:instance:name:statistic: it has too many parts");
        }
        let mut selector = Selector::default();
        for (pattern, part) in selector.0.iter_mut().zip(parts) {
            if !part.is_empty() {
                *pattern = Some(compile(part)?);
            }
        }
        Ok(selector)
    }

    fn has(&self, kstat: &[String; 3], class: &str, statistic: Option<&str>) -> bool {
        let [module, instance, name] = kstat;
        let values = [
            Some(module.as_str()),
            Some(instance),
            Some(name),
            statistic,
            Some(class),
        ];
        let mut pairs = self.0.iter().zip(values);
        pairs.all(|pair| match pair {
            (Some(pattern), Some(value)) => pattern.matches(value),
            _ => true,
        })
    }
}

fn compile(word: &str) -> Result<Pattern> {
    Pattern::new(word).map_err(|error| anyhow!("{word} is no pattern: {}", error.msg))
}

/// A kstat, and those of its statistics that were selected, in the order in which the module's text has them.
struct Selected {
    header: KstatHeader,
    snaptime: u64,
    statistics: Vec<(Vec<u8>, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Signed(i64),
    Unsigned(u64),
    Bits(u64),
    Text(Vec<u8>),
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(until_nul(bytes)).into_owned()
}

/// Text whatever its capitals; and with them, if there is no other difference.
fn order(text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    (text.to_ascii_lowercase(), text.to_vec())
}

fn read(file: &File, selectors: &Selectors) -> Result<Vec<Selected>> {
    let chain = file.kstat_list().context("cannot list kstats")?;
    let mut headers = chain.headers;
    headers.sort_by_cached_key(|header| {
        let (module, name) = (until_nul(&header.module), until_nul(&header.name));
        (order(module), header.instance, order(name))
    });
    let mut all = Vec::new();
    for header in headers {
        let kstat = [
            lossy(&header.module),
            header.instance.to_string(),
            lossy(&header.name),
        ];
        let class = lossy(&header.class);
        if !selectors.has(&kstat, &class, None) {
            continue;
        }
        let values = match file.kstat_read(header.kid) {
            Ok(values) => values,
            // It has left since it was listed.
            Err(error) if error.raw_os_error() == Some(ENXIO) => continue,
            // Its client refuses; as the module's text, nothing is said of it.
            Err(_) => continue,
        };
        let mut statistics = statistics(&header, &values);
        statistics.retain(|(name, _)| selectors.has(&kstat, &class, Some(&lossy(name))));
        if !statistics.is_empty() {
            all.push(Selected {
                header,
                snaptime: values.snaptime,
                statistics,
            });
        }
    }
    Ok(all)
}

/// All statistics by name, those that each kstat has among them.
fn statistics(header: &KstatHeader, kstat: &Kstat) -> Vec<(Vec<u8>, Value)> {
    let mut all: Vec<_> = kstat.values.iter().map(|v| named(v, &kstat.data)).collect();
    let mut add = |name: &str, value| all.push((name.as_bytes().to_vec(), value));
    if kstat.kstat_type == RAW {
        add("data_size", Value::Unsigned(kstat.data.len() as u64));
    }
    add("class", Value::Text(until_nul(&header.class).to_vec()));
    add("crtime", Value::Unsigned(kstat.crtime));
    add("snaptime", Value::Unsigned(kstat.snaptime));
    all.sort_by_cached_key(|(name, _)| order(name));
    all
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
fn escaped(bytes: &[u8], others: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b' '..=b'~' if *byte != b'\\' && !others.contains(byte) => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Signed(number) => number.to_string(),
            Value::Unsigned(number) => number.to_string(),
            Value::Bits(bits) => format!("{bits:#x}"),
            Value::Text(text) => escaped(text, b""),
        }
    }

    fn json(&self) -> serde_json::Value {
        let value = match self {
            Value::Signed(number) if number.unsigned_abs() > 1 << 53 => {
                return number.to_string().into()
            }
            Value::Signed(number) => serde_json::to_value(number),
            Value::Unsigned(number) => serde_json::to_value(Count(*number)),
            Value::Bits(_) | Value::Text(_) => return self.text().into(),
        };
        value.unwrap_or_default()
    }
}

/// What JSON says of a kstat.
#[derive(Serialize)]
struct Json {
    module: String,
    instance: i32,
    name: String,
    class: String,
    #[serde(rename = "type")]
    kstat_type: u32,
    snaptime: Count,
    data: serde_json::Map<String, serde_json::Value>,
}

impl Selected {
    fn id(&self) -> String {
        const PART: &[u8] = b" :*?[";
        let module = escaped(until_nul(&self.header.module), PART);
        let name = escaped(until_nul(&self.header.name), PART);
        format!("{module}:{}:{name}", self.header.instance)
    }

    fn json(&self) -> Json {
        let statistics = self.statistics.iter();
        let shown = statistics.filter(|(name, _)| name != b"class" && name != b"snaptime");
        Json {
            module: lossy(&self.header.module),
            instance: self.header.instance,
            name: lossy(&self.header.name),
            class: lossy(&self.header.class),
            kstat_type: self.header.kstat_type,
            snaptime: Count(self.snaptime),
            data: shown
                .map(|(name, value)| (lossy(name), value.json()))
                .collect(),
        }
    }
}

fn write(out: &mut Output, options: &Options, all: &[Selected]) -> Result<()> {
    if options.json {
        let list: Vec<Json> = all.iter().map(Selected::json).collect();
        let text = serde_json::to_string_pretty(&list).context("cannot write")?;
        return writeln!(out, "{text}").context("cannot write");
    }
    for kstat in all {
        let id = kstat.id();
        if !options.parseable && !options.list {
            let [module, name, class] = [
                &kstat.header.module,
                &kstat.header.name,
                &kstat.header.class,
            ]
            .map(|text| escaped(until_nul(text), b""));
            let instance = kstat.header.instance;
            out.line(&format!("module: {module:<30}  instance: {instance:<6}"))?;
            out.line(&format!("name:   {name:<30}  class:    {class}"))?;
        }
        for (name, value) in &kstat.statistics {
            let name = escaped(name, b"");
            match (options.list, options.parseable) {
                (true, _) => out.line(&format!("{id}:{name}"))?,
                (false, true) => out.line(&format!("{id}:{name}\t{}", value.text()))?,
                (false, false) if name == "class" => {}
                (false, false) => out.line(&format!("\t{name:<30}  {}", value.text()))?,
            }
        }
        if !options.parseable && !options.list {
            out.line("")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_module_writes_them() {
        assert_eq!(escaped(b"a b:c\\\xff\n", b""), "a b:c\\134\\377\\012");
        assert_eq!(escaped(b"a b:c", b" :"), "a\\040b\\072c");
        assert_eq!(Value::Signed(-1).text(), "-1");
        assert_eq!(Value::Bits(0x3ff).text(), "0x3ff");
    }

    #[test]
    fn operands_select_by_parts() -> Result<()> {
        let disk = ["sd".to_owned(), "0".to_owned(), "sda".to_owned()];
        let has = |word: &str, statistic| -> Result<bool> {
            Ok(Selector::operand(word)?.has(&disk, "disk", statistic))
        };
        assert!(has("sd:0:sda:nread", Some("nread"))?);
        assert!(has("::sd?", None)?);
        assert!(has(":::n[rw]*", Some("nwritten"))?);
        assert!(!has(":1", None)?);
        assert!(!has("sd:::reads", Some("nread"))?);
        assert!(has("sd:::reads", None)?);
        assert!(Selector::operand("a:b:c:d:e").is_err());
        assert!(Selector::operand("[").is_err());
        Ok(())
    }
}
