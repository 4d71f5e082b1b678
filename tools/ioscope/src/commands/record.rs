// SPDX-License-Identifier: GPL-2.0

//! `ioscope record` and `ioscope replay`.

use super::region::Own;
use super::show::show;
use crate::cli::{Record, ReplayFile, Words};
use crate::live::{open, Live};
use crate::names::Selection;
use crate::recording::writer::Writer;
use crate::sample::{Kind, Sample};
use crate::source::{Source, Want};
use anyhow::{bail, Result};
use iostat_map::File;
use std::collections::HashMap;

pub fn record(options: &Record) -> Result<()> {
    let words = Words::new(std::slice::from_ref(&options.interval))?;
    if words.interval.is_none() {
        bail!(
            "{}: invalid interval: it must be a number of seconds",
            options.interval
        );
    }
    let mut source = Live::new()?;
    let mut writer = match options.append && options.file.exists() {
        true => Writer::append(&options.file, source.bounds())?,
        false => Writer::create(&options.file, source.bounds())?,
    };
    source.choose(Selection::all(), Want::everything());
    let file = open()?;
    let mut regions = options.areas.map(|areas| Regions::new(&file, areas));
    let mut sample = Some(source.first(words.interval)?);
    let mut left = options.count.unwrap_or(u64::MAX);
    while let Some(taken) = sample {
        writer.sample(&taken)?;
        if let Some(regions) = &mut regions {
            regions.follow(&taken)?;
        }
        left = left.saturating_sub(1);
        sample = match left {
            0 => None,
            _ => source.next()?,
        };
    }
    Ok(())
}

/// A region on each disk, until this is dropped.
struct Regions<'a> {
    file: &'a File,
    areas: u64,
    /// By the number of the disk.
    of_disks: HashMap<u32, Own<'a>>,
}

impl<'a> Regions<'a> {
    fn new(file: &'a File, areas: u64) -> Self {
        Regions {
            file,
            areas,
            of_disks: HashMap::new(),
        }
    }

    /// Disks that are new in a sample get a region; disks that have left lost theirs. An error if no disk can have one.
    fn follow(&mut self, sample: &Sample) -> Result<()> {
        let is_there = |number: &u32| sample.find(*number, 0).is_some();
        self.of_disks.retain(|number, _| is_there(number));
        let mut refused = None;
        let disks = sample.entries.iter().map(|entry| &entry.device);
        for disk in disks.filter(|device| device.kind == Kind::Disk) {
            if self.of_disks.contains_key(&disk.number) {
                continue;
            }
            let areas = format!("/{}", self.areas);
            match Own::new(self.file, disk.clone(), &["-".to_owned()], &areas) {
                Ok(own) => drop(self.of_disks.insert(disk.number, own)),
                // Of a disk without sectors, for example.
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            Some(error) if self.of_disks.is_empty() => Err(error),
            _ => Ok(()),
        }
    }
}

pub fn replay(options: &ReplayFile) -> Result<()> {
    let mut show_options = options.show.clone();
    show_options.common.from.replay = Some(options.file.clone());
    show(&show_options, true)
}
