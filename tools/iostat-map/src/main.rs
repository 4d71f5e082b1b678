// SPDX-License-Identifier: GPL-2.0 OR MIT

//! `iostat-map`: what the memory of `/dev/iostat` says of devices. See [`USAGE`].

use iostat_map::{Device, Disk, File, Snapshot};
use std::ffi::OsStr;
use std::fs::read_to_string;
use std::io::{ErrorKind, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: iostat-map [--ways | --histograms | --sizes] [NAME...]

Prints a line for each device, or for those named, read from the memory that /dev/iostat maps:
its name and the columns of its stat file. Names are as /dev/iostat has them.

      --ways        a line for each way to read it, which is named behind the device:
                    from memory, by ioctl, from sysfs, from text, and from memory again
      --histograms  a line for each class and phase of I/O: class, phase, count, shortest and
                    longest time in ns, and INDEX:COUNT of each bucket that is not empty
      --sizes       a line for each class of I/O: class, count, and INDEX:COUNT of each bucket of
                    sizes that is not empty
  -h, --help        this text
";

/// What to print of each device.
#[derive(Clone, Copy)]
enum What {
    Columns,
    Ways,
    Histograms,
    Sizes,
}

fn main() -> ExitCode {
    let mut what = What::Columns;
    let mut names = Vec::new();
    let mut words = std::env::args();
    words.next();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--ways" => what = What::Ways,
            "--histograms" => what = What::Histograms,
            "--sizes" => what = What::Sizes,
            "-h" | "--help" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            "--" => names.extend(words.by_ref()),
            _ if word.starts_with('-') => {
                eprint!("iostat-map: there is no option {word}\n\n{USAGE}");
                return ExitCode::from(2);
            }
            _ => names.push(word),
        }
    }
    match print(what, &names) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("iostat-map: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what is asked for, and whether all names are of devices.
fn print(what: What, names: &[String]) -> Result<bool> {
    let file = File::open("/dev/iostat")?;
    let devices = file.devices()?;
    for device in &devices {
        let name = device.written_name();
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let mut disk = file.map(device.map_offset)?;
        match what {
            What::Columns => println!("{name} {}", columns(&disk.snapshot()?)),
            What::Ways => ways(&file, device, &mut disk)?,
            What::Histograms => histograms(&mut disk)?,
            What::Sizes => sizes(&mut disk)?,
        }
    }
    let is_device = |name: &&String| devices.iter().any(|device| device.written_name() == **name);
    let mut is_all = true;
    for name in names.iter().filter(|name| !is_device(name)) {
        eprintln!("iostat-map: there is no device {name}");
        is_all = false;
    }
    Ok(is_all)
}

fn ways(file: &File, device: &Device, disk: &mut Disk) -> Result<()> {
    let name = device.written_name();
    println!("{name} mmap {}", columns(&disk.snapshot()?));
    let snapshot = file.by_ioctl(device.number)?;
    println!("{name} ioctl {}", columns(&snapshot));
    println!("{name} sysfs {}", by_sysfs(device)?);
    println!("{name} text {}", by_text(&name)?);
    println!("{name} mmap {}", columns(&disk.snapshot()?));
    Ok(())
}

/// Of a disk, a partition, or an entry of a module.
fn by_sysfs(device: &Device) -> Result<String> {
    let name = OsStr::from_bytes(device.name());
    let path = match device.diskseq {
        0 => Path::new("/sys/class/misc/iostat/devstat").join(name),
        _ => Path::new("/sys/class/block").join(name).join("iostat"),
    };
    Ok(read_to_string(path.join("stat"))?.trim_end().to_owned())
}

/// The first of the tables, behind a line of its own and one of names.
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

fn histograms(disk: &mut Disk) -> Result<()> {
    for class in 0..4 {
        for phase in 0..3 {
            let times = disk.histogram(class, phase)?;
            let (count, min, max) = (times.count(), times.min(), times.max());
            println!(
                "{class} {phase} {count} {min} {max}{}",
                buckets(&times.counts)
            );
        }
    }
    Ok(())
}

fn sizes(disk: &mut Disk) -> Result<()> {
    for class in 0..4 {
        let counts = disk.sizes(class)?;
        let count: u64 = counts.iter().sum();
        println!("{class} {count}{}", buckets(&counts));
    }
    Ok(())
}

/// Those that are not empty.
fn buckets(counts: &[u64]) -> String {
    let counts = counts.iter().enumerate();
    let filled = counts.filter(|(_, count)| **count != 0);
    filled.map(|(i, count)| format!(" {i}:{count}")).collect()
}

/// As in `stat_columns`.
fn columns(s: &Snapshot) -> String {
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
        .chain([s.start_count, s.end_count])
        .chain(s.counts.each().copied())
        .chain(s.bytes)
        .chain(s.operations)
        .chain(s.duration)
        .chain([s.busy_time])
        .chain(s.tag_types)
        .chain(s.service)
        .chain(read_and_written)
        .chain(times)
        .chain([s.wcnt, s.rcnt]);
    let columns: Vec<String> = columns.map(|column| column.to_string()).collect();
    columns.join(" ")
}
