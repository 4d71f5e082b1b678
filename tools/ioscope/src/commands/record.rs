// SPDX-License-Identifier: GPL-2.0

//! `ioscope record` and `ioscope replay`.

use super::show::show;
use crate::cli::{Record, ReplayFile, Words};
use crate::live::Live;
use crate::names::Selection;
use crate::recording::writer::Writer;
use crate::source::{Source, Want};
use anyhow::{bail, Result};

pub fn record(options: &Record) -> Result<()> {
    let words = Words::new(std::slice::from_ref(&options.interval))?;
    if words.interval.is_none() {
        bail!("{} is no interval: seconds are", options.interval);
    }
    let mut source = Live::new()?;
    let mut writer = match options.append && options.file.exists() {
        true => Writer::append(&options.file, source.bounds())?,
        false => Writer::create(&options.file, source.bounds())?,
    };
    source.choose(Selection::all(), Want::everything());
    let mut sample = Some(source.first(words.interval)?);
    let mut left = options.count.unwrap_or(u64::MAX);
    while let Some(taken) = sample {
        writer.sample(&taken)?;
        left = left.saturating_sub(1);
        sample = match left {
            0 => None,
            _ => source.next()?,
        };
    }
    Ok(())
}

pub fn replay(options: &ReplayFile) -> Result<()> {
    let mut show_options = options.show.clone();
    show_options.common.from.replay = Some(options.file.clone());
    show(&show_options, true)
}
