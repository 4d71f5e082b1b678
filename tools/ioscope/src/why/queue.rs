// SPDX-License-Identifier: GPL-2.0

//! The settings of a disk, as sysfs has them.

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Settings of a disk's queue. What sysfs has not is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// How many requests there may be: without a scheduler, tags of a hardware queue.
    pub requests: Option<u64>,
    /// The scheduler: `none` is a name.
    pub scheduler: Option<String>,
    /// The largest I/O, KiB.
    pub max_kib: Option<u64>,
    /// 0 if bios are merged, 1 if only into the last request, 2 if not at all.
    pub nomerges: Option<u64>,
    /// The names of the disks that it is made of.
    pub below: Vec<String>,
}

/// Of the disk with this name, as the kernel has it.
pub fn of_disk(name: &str) -> Option<Queue> {
    read(&Path::new("/sys/block").join(name))
}

fn read(disk: &Path) -> Option<Queue> {
    if !disk.exists() {
        return None;
    }
    let text = |file: &str| read_to_string(disk.join("queue").join(file)).ok();
    let number = |file: &str| text(file)?.trim().parse().ok();
    Some(Queue {
        requests: number("nr_requests"),
        scheduler: text("scheduler").and_then(|line| chosen(&line)),
        max_kib: number("max_sectors_kb"),
        nomerges: number("nomerges"),
        below: names(disk.join("slaves")),
    })
}

/// Of `none [mq-deadline] kyber`, the one in brackets. Of a disk without schedulers, `none` alone.
fn chosen(line: &str) -> Option<String> {
    let words = line.split_whitespace();
    let chosen = words
        .clone()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    let chosen = chosen.or_else(|| words.clone().next())?;
    Some(chosen.to_owned())
}

/// The names in `slaves`: disks, or partitions, whose disk is the directory above.
fn names(slaves: PathBuf) -> Vec<String> {
    let entries = read_dir(slaves).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_is_the_one_in_brackets() {
        let name = |line| chosen(line).unwrap_or_default();
        assert_eq!(name("none [mq-deadline] kyber\n"), "mq-deadline");
        assert_eq!(name("[none] mq-deadline\n"), "none");
        assert_eq!(name("none\n"), "none");
        assert_eq!(chosen("\n"), None);
    }

    #[test]
    fn settings_are_those_of_the_directory() -> std::io::Result<()> {
        let disk = std::env::temp_dir().join(format!("ioscope-queue-{}", std::process::id()));
        std::fs::create_dir_all(disk.join("queue"))?;
        std::fs::create_dir_all(disk.join("slaves/sdb"))?;
        std::fs::create_dir_all(disk.join("slaves/sda1"))?;
        std::fs::write(disk.join("queue/nr_requests"), "64\n")?;
        std::fs::write(disk.join("queue/scheduler"), "[none] bfq\n")?;
        std::fs::write(disk.join("queue/nomerges"), "odd\n")?;
        let queue = read(&disk);
        std::fs::remove_dir_all(&disk)?;
        let expected = Queue {
            requests: Some(64),
            scheduler: Some("none".to_owned()),
            max_kib: None,
            nomerges: None,
            below: vec!["sda1".to_owned(), "sdb".to_owned()],
        };
        assert_eq!(queue, Some(expected));
        assert_eq!(read(&disk), None);
        Ok(())
    }
}
