// SPDX-License-Identifier: GPL-2.0

//! `ioscope kstat`: kernel statistics, with the options of illumos' kstat(8).

use super::source;
use crate::cli::{Kstat as Options, Words};
use crate::json::Count;
use crate::kstat::{escaped, headers, Kstat, Value};
use crate::live::open;
use crate::names::Selection;
use crate::output::Output;
use crate::printable;
use crate::source::Want;
use crate::ticker::Ticker;
use crate::usage::usage;
use anyhow::{anyhow, bail, Context, Result};
use glob::Pattern;
use iostat_map::layout::until_nul;
use iostat_map::File;
use serde::Serialize;
use std::io::Write;

pub fn kstat(options: &Options) -> Result<()> {
    let words = Words::new(&options.words)?;
    let selectors = Selectors::new(options, &words.devices)?;
    let mut report = Report {
        options,
        out: Output::new(true),
        count: 0,
    };
    if options.from.is_of_recording() {
        return recorded(options, &words, &selectors, &mut report);
    }
    let file = open()?;
    let mut ticker = Ticker::new()?;
    if let Some(interval) = words.interval {
        ticker.start(interval);
    }
    let mut left = words.count.unwrap_or(match words.interval {
        Some(_) => u64::MAX,
        None => 1,
    });
    loop {
        report.write(&read(&file, &selectors)?)?;
        left -= 1;
        if left == 0 || !ticker.wait()? {
            return Ok(());
        }
    }
}

/// The kstats of a recording: at each interval, or without one at its end.
fn recorded(
    options: &Options,
    words: &Words,
    selectors: &Selectors,
    report: &mut Report,
) -> Result<()> {
    let mut source = source(&options.from, false)?;
    let want = Want {
        kstats: true,
        ..Want::default()
    };
    source.choose(Selection::all(), want);
    let mut sample = source.first(words.interval)?;
    let mut left = words.count.unwrap_or(u64::MAX);
    loop {
        let next = match left {
            1 => None,
            _ => source.next()?,
        };
        if words.interval.is_some() || next.is_none() {
            report.write(&selectors.select(sample.kstats.into_iter()))?;
        }
        left -= 1;
        match next {
            Some(next) => sample = next,
            None => return Ok(()),
        }
    }
}

/// What was written so far.
struct Report<'a> {
    options: &'a Options,
    out: Output,
    count: u64,
}

impl Report<'_> {
    fn write(&mut self, all: &[Kstat]) -> Result<()> {
        if all.is_empty() {
            bail!("there is no such kstat: ioscope kstat -l lists all");
        }
        if self.count != 0 && !self.options.json {
            self.out.line("")?;
        }
        self.count += 1;
        write(&mut self.out, self.options, all)?;
        self.out.flush()
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
            let compiled = word.as_deref().map(compile).transpose();
            *pattern = compiled.map_err(usage)?;
        }
        let operands = operands.iter().map(|word| Selector::operand(word));
        Ok(Selectors {
            options: patterns,
            operands: operands.collect::<Result<_>>()?,
        })
    }

    /// Those that are selected, each with the statistics that are.
    fn select(&self, all: impl Iterator<Item = Kstat>) -> Vec<Kstat> {
        let selected = all.filter_map(|mut kstat| {
            let (module, name) = (lossy(&kstat.module), lossy(&kstat.name));
            let names = [module, kstat.instance.to_string(), name];
            let class = lossy(&kstat.class);
            let statistics = &mut kstat.statistics;
            statistics.retain(|(name, _)| self.has(&names, &class, Some(&lossy(name))));
            (!statistics.is_empty()).then_some(kstat)
        });
        selected.collect()
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
            bail!("{word}: invalid kstat: module:instance:name:statistic has at most four parts");
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
    Pattern::new(word).map_err(|error| anyhow!("{word}: invalid pattern: {}", error.msg))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(until_nul(bytes)).into_owned()
}

fn read(file: &File, selectors: &Selectors) -> Result<Vec<Kstat>> {
    let mut all = Vec::new();
    for header in headers(file)? {
        let (module, name) = (lossy(&header.module), lossy(&header.name));
        let names = [module, header.instance.to_string(), name];
        if selectors.has(&names, &lossy(&header.class), None) {
            all.extend(Kstat::read(file, &header)?);
        }
    }
    Ok(selectors.select(all.into_iter()))
}

fn text(value: &Value) -> String {
    match value {
        Value::Signed(number) => number.to_string(),
        Value::Unsigned(number) => number.to_string(),
        Value::Bits(bits) => format!("{bits:#x}"),
        Value::Text(text) => escaped(text, b""),
    }
}

fn json(value: &Value) -> serde_json::Value {
    let number = match value {
        Value::Signed(number) if number.unsigned_abs() > 1 << 53 => {
            return number.to_string().into()
        }
        Value::Signed(number) => serde_json::to_value(number),
        Value::Unsigned(number) => serde_json::to_value(Count(*number)),
        Value::Bits(_) | Value::Text(_) => return text(value).into(),
    };
    number.unwrap_or_default()
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

const PART: &[u8] = b" :*?[";

fn id(kstat: &Kstat) -> String {
    let (module, name) = (escaped(&kstat.module, PART), escaped(&kstat.name, PART));
    format!("{module}:{}:{name}", kstat.instance)
}

fn json_of(kstat: &Kstat) -> Json {
    let statistics = kstat.statistics.iter();
    let shown = statistics.filter(|(name, _)| name != b"class" && name != b"snaptime");
    Json {
        module: lossy(&kstat.module),
        instance: kstat.instance,
        name: lossy(&kstat.name),
        class: lossy(&kstat.class),
        kstat_type: kstat.kstat_type,
        snaptime: Count(kstat.snaptime),
        data: shown
            .map(|(name, value)| (lossy(name), json(value)))
            .collect(),
    }
}

fn write(out: &mut Output, options: &Options, all: &[Kstat]) -> Result<()> {
    if options.json {
        let list: Vec<Json> = all.iter().map(json_of).collect();
        let text = serde_json::to_string_pretty(&list).context("cannot write")?;
        return writeln!(out, "{}", printable::json(&text)).context("cannot write");
    }
    for kstat in all {
        let id = id(kstat);
        if !options.parseable && !options.list {
            let [module, name, class] =
                [&kstat.module, &kstat.name, &kstat.class].map(|text| escaped(text, b""));
            let instance = kstat.instance;
            out.line(&format!("module: {module:<30}  instance: {instance:<6}"))?;
            out.line(&format!("name:   {name:<30}  class:    {class}"))?;
        }
        for (name, value) in &kstat.statistics {
            let name = escaped(name, b"");
            match (options.list, options.parseable) {
                (true, _) => out.line(&format!("{id}:{name}"))?,
                (false, true) => out.styled(&format!("{id}:{name}\t{}", text(value)))?,
                (false, false) if name == "class" => {}
                (false, false) => out.styled(&format!("\t{name:<30}  {}", text(value)))?,
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
    fn values_are_as_the_module_writes_them() {
        assert_eq!(text(&Value::Signed(-1)), "-1");
        assert_eq!(text(&Value::Bits(0x3ff)), "0x3ff");
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
