// SPDX-License-Identifier: GPL-2.0

//! Lines made from any name and any numbers: no name adds a column or a line, every column has its value,
//! and no line is longer than its page.

#![no_main]

use iostat::{
    abi::{
        identity::Identity,
        name::Name,
        out::Out,
        text::{
            device,
            header,
            stat,
            stat_header,
            DEVSTAT,
            KSTAT,
            SERVICE,
            SNAPTIME, //
        },
    },
    acct::{
        queue::Queue,
        snapshot::Snapshot, //
    },
};
use iostat_fuzz::{
    fuzz_target,
    input::Input, //
};
use std::fmt::{
    Error,
    Result,
    Write, //
};

/// The size of the buffer for a sysfs file.
const PAGE: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let room = input.number() as usize % PAGE;
    let length = input.choice(64);
    let name = Name::new(input.bytes(length));
    let disk = identity(name, &mut input);
    let snapshot = snapshot(&mut input);

    let (mut names, mut values) = (String::new(), String::new());
    stat_header(&mut names).unwrap();
    stat(&mut values, &snapshot).unwrap();
    let expected = [&SNAPTIME]
        .into_iter()
        .chain(&DEVSTAT)
        .chain(&SERVICE)
        .chain(&KSTAT);
    let expected: Vec<u64> = expected.map(|column| (column.value)(&snapshot)).collect();
    assert_eq!(numbers(&values), expected);
    assert_eq!(names.split(' ').count(), expected.len());

    // A disk of the kernel always has a name.
    if !name.bytes().is_empty() {
        let (mut head, mut line) = (String::new(), String::new());
        header(&mut head, input.number(), input.number() as usize).unwrap();
        device(&mut line, &disk, &snapshot).unwrap();
        assert_device(&line, &disk, &head, &values);
    }

    let mut page = Page {
        text: String::new(),
        room,
    };
    let whole = device(&mut page, &disk, &snapshot).is_ok();
    let mut line = String::new();
    device(&mut line, &disk, &snapshot).unwrap();
    assert!(line.len() <= PAGE && line.starts_with(&page.text));
    assert_eq!(whole, line.len() <= room);
});

/// Checks a line: seven words about the disk, then its `stat` line.
fn assert_device(line: &str, disk: &Identity, head: &str, values: &str) {
    assert!(line.is_ascii() && line.matches('\n').count() == 1);
    let line = line.strip_suffix('\n').unwrap();
    let names = head.lines().nth(1).unwrap();
    assert_eq!(head.lines().count(), 2);
    assert_eq!(line.split(' ').count(), names.split(' ').count());
    let (who, what) = line.split_at(line.len() - values.len());
    assert_eq!(what, values);
    let [name, number, dev, rest @ .., class] = &who.trim_end().split(' ').collect::<Vec<_>>()[..]
    else {
        panic!("{line}");
    };
    assert_eq!(*name, disk.name.to_string());
    assert_eq!(*number, disk.number.to_string());
    assert_eq!(*class == "partition", disk.is_partition);
    assert_eq!(*dev, format!("{}:{}", disk.dev >> 20, disk.dev & 0xf_ffff));
    let rest = numbers(&rest.join(" "));
    assert_eq!(rest, [disk.diskseq, disk.priority.into(), disk.crtime]);
}

/// Parses numbers with one blank between them.
fn numbers(line: &str) -> Vec<u64> {
    line.split(' ').map(|word| word.parse().unwrap()).collect()
}

/// A buffer of limited size.
struct Page {
    text: String,
    room: usize,
}

impl Out for Page {}

impl Write for Page {
    fn write_str(&mut self, text: &str) -> Result {
        if self.text.len() + text.len() > self.room {
            return Err(Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

fn identity(name: Name, input: &mut Input<'_>) -> Identity {
    Identity {
        name,
        device_name: name,
        driver: name,
        number: input.number() as u32,
        dev: input.number() as u32,
        is_partition: input.number() & 1 != 0,
        diskseq: input.number(),
        crtime: input.number(),
        priority: input.number() as u32,
        block_size: 512,
        ..Identity::default()
    }
}

/// A snapshot of unrelated numbers.
fn snapshot(input: &mut Input<'_>) -> Snapshot {
    let mut snapshot = Snapshot {
        now: input.number(),
        wtime: input.number(),
        wlentime: input.number(),
        rtime: input.number(),
        rlentime: input.number(),
        busy_time: input.number(),
        ..Snapshot::default()
    };
    let devstat = &mut snapshot.record.devstat;
    devstat.start_count = input.number();
    devstat
        .counts
        .each_mut()
        .for_each(|count| *count = input.number());
    devstat.bytes.fill_with(|| input.number());
    devstat.duration.fill_with(|| input.number());
    devstat.service.fill_with(|| input.number());
    devstat.completed.fill_with(|| input.number());
    let mut queue = || Queue {
        n_in: input.number(),
        t_in: input.number(),
        n_out: input.number(),
        t_out: input.number(),
        last: input.number(),
    };
    snapshot.record.waitq = queue();
    snapshot.record.runq = queue();
    snapshot
}
