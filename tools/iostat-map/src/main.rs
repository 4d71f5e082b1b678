// SPDX-License-Identifier: GPL-2.0 OR MIT

//! `iostat-map [NAME...]`: a line for each device, or of those: its name, and the columns of its `stat` file.
//!
//! `iostat-map --ways [NAME...]`: the same in every way there is to read it, which the line says behind the name;
//! from memory first and last.
//!
//! `iostat-map --histograms [NAME...]`: class, phase, number, shortest and longest of its times, and what is in
//! each bucket that is not empty.

use iostat_map::{Device, Disk, File, Snapshot};
use std::ffi::OsStr;
use std::fs::read_to_string;
use std::io::{ErrorKind, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fn main() -> Result<()> {
    let (options, names): (Vec<_>, Vec<_>) = std::env::args()
        .skip(1)
        .partition(|word| word.starts_with("--"));
    let file = File::open("/dev/iostat")?;
    for device in file.devices()? {
        if !names.is_empty() && !names.contains(&device.written_name()) {
            continue;
        }
        let mut disk = file.map(device.map_offset)?;
        match options.first().map(String::as_str) {
            None => println!("{} {}", device.written_name(), columns(&disk.snapshot())),
            Some("--ways") => ways(&file, &device, &mut disk)?,
            Some("--histograms") => histograms(&disk),
            Some(_) => return Err(ErrorKind::InvalidInput.into()),
        }
    }
    Ok(())
}

fn ways(file: &File, device: &Device, disk: &mut Disk) -> Result<()> {
    let name = &device.written_name();
    println!("{name} mmap {}", columns(&disk.snapshot()));
    let snapshot = file.by_ioctl(device.number)?;
    println!("{name} ioctl {}", columns(&snapshot));
    println!("{name} sysfs {}", by_sysfs(device)?);
    println!("{name} text {}", by_text(name)?);
    println!("{name} mmap {}", columns(&disk.snapshot()));
    Ok(())
}

/// Of a disk, a partition, or an entry of a module.
fn by_sysfs(device: &Device) -> Result<String> {
    let name = OsStr::from_bytes(device.name());
    let path = match device.dev_major {
        0 => Path::new("/sys/class/misc/iostat/devstat").join(name),
        _ => Path::new("/sys/class/block").join(name).join("iostat"),
    };
    Ok(read_to_string(path.join("stat"))?.trim_end().to_owned())
}

/// The first of the two tables, behind a line of its own and one of names.
fn by_text(name: &str) -> Result<String> {
    let text = read_to_string("/dev/iostat")?;
    let mut lines = text.lines().skip(1);
    let names = lines.next().unwrap_or_default().split(' ');
    let who = names.take_while(|column| *column != "snaptime").count();
    let of_device = |line: &&str| line.split(' ').next() == Some(name);
    let line = lines.take_while(|line| !line.is_empty()).find(of_device);
    let columns: Vec<&str> = line.ok_or(ErrorKind::NotFound)?.split(' ').collect();
    Ok(columns.get(who..).unwrap_or_default().join(" "))
}

fn histograms(disk: &Disk) {
    for class in 0..4 {
        for phase in 0..3 {
            let times = disk.histogram(class, phase);
            let counts = times.counts.iter().enumerate();
            let filled = counts.filter(|(_, count)| **count != 0);
            let buckets: String = filled.map(|(i, count)| format!(" {i}:{count}")).collect();
            let (count, min, max) = (times.count(), times.min(), times.max());
            println!("{class} {phase} {count} {min} {max}{buckets}");
        }
    }
}

/// As in `stat_columns`.
fn columns(s: &Snapshot) -> String {
    let ends = [s.start_count, s.end_count, s.merged, s.refused, s.abandoned];
    let times = [
        s.wtime,
        s.wlentime,
        s.wlastupdate,
        s.rtime,
        s.rlentime,
        s.rlastupdate,
    ];
    let read_and_written = [s.bytes[1], s.bytes[2], s.operations[1], s.operations[2]];
    let columns = [s.snaptime]
        .into_iter()
        .chain(ends)
        .chain(s.bytes)
        .chain(s.operations)
        .chain(s.duration)
        .chain([s.busy_time])
        .chain(s.tag_types)
        .chain(read_and_written)
        .chain(times)
        .chain([s.wcnt, s.rcnt]);
    let columns: Vec<String> = columns.map(|column| column.to_string()).collect();
    columns.join(" ")
}
