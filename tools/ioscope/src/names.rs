// SPDX-License-Identifier: GPL-2.0

//! Devices by name, path, label or UUID.

use crate::sample::{Device, Kind};
use anyhow::{bail, Result};
use rustix::fs::{major, minor, stat, FileType};
use std::path::Path;
use std::rc::Rc;

/// Where udev has links to devices by what they are called.
const LINKS: &str = "/dev/disk";

/// The kinds of links that a name without its kind may be of.
const KINDS: [&str; 6] = ["label", "uuid", "partlabel", "partuuid", "id", "path"];

/// Which devices are shown.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Those of these names, if there are any. By name: a device that comes back is shown again.
    names: Vec<String>,
    /// Else partitions too.
    partitions: bool,
}

impl Selection {
    pub fn all() -> Self {
        Self::of_all(true)
    }

    /// All devices, or all but partitions.
    pub fn of_all(partitions: bool) -> Self {
        Selection {
            names: Vec::new(),
            partitions,
        }
    }

    pub fn has(&self, device: &Device) -> bool {
        match self.names.is_empty() {
            true => self.partitions || device.kind != Kind::Partition,
            false => self.names.contains(&device.name),
        }
    }

    /// As users of this system name devices: also by paths.
    pub fn of_system(words: &[String], partitions: bool, devices: &[Rc<Device>]) -> Result<Self> {
        Self::new(words, partitions, devices, |word| by_path(word, devices))
    }

    /// By name alone, of devices of another time or system.
    pub fn by_name(words: &[String], partitions: bool, devices: &[Rc<Device>]) -> Result<Self> {
        Self::new(words, partitions, devices, |_| None)
    }

    fn new(
        words: &[String],
        partitions: bool,
        devices: &[Rc<Device>],
        find: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let mut names = Vec::new();
        for word in words {
            let name = by_name(word, devices).or_else(|| find(word));
            match name {
                Some(name) => names.push(name),
                None => bail!("there is no device {word}: ioscope without a name shows all"),
            }
        }
        Ok(Selection { names, partitions })
    }
}

/// `sda`, `/dev/sda`, and what has a `!` for the kernel and a `/` in `/dev`.
fn by_name(word: &str, devices: &[Rc<Device>]) -> Option<String> {
    let word = word.strip_prefix("/dev/").unwrap_or(word);
    let is_it = |device: &&Rc<Device>| {
        device.name == word || (word.contains('/') && device.name == word.replace('/', "!"))
    };
    Some(devices.iter().find(is_it)?.name.clone())
}

/// The device of a node, of a link to one, or of what udev calls it: `LABEL=root`, `root`, a UUID.
fn by_path(word: &str, devices: &[Rc<Device>]) -> Option<String> {
    let mut paths = vec![word.to_owned(), format!("/dev/mapper/{word}")];
    if let Some((kind, value)) = word.split_once('=') {
        paths.push(format!("{LINKS}/by-{}/{value}", kind.to_lowercase()));
    }
    paths.extend(KINDS.map(|kind| format!("{LINKS}/by-{kind}/{word}")));
    paths.iter().find_map(|path| of_node(path, devices))
}

fn of_node(path: &str, devices: &[Rc<Device>]) -> Option<String> {
    let node = stat(Path::new(path)).ok()?;
    if FileType::from_raw_mode(node.st_mode) != FileType::BlockDevice {
        return None;
    }
    let number = (major(node.st_rdev), minor(node.st_rdev));
    let is_it =
        |device: &&Rc<Device>| device.diskseq != 0 && (device.major, device.minor) == number;
    Some(devices.iter().find(is_it)?.name.clone())
}
