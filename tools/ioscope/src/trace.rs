// SPDX-License-Identifier: GPL-2.0

//! Events of the io provider from a tracefs instance of our own: other tracers do not see it, and it not them.

pub mod event;
pub mod sums;

use crate::output::note;
use crate::printable::printable;
use crate::signals::Signals;
use anyhow::{anyhow, bail, Context, Error, Result};
use event::{parse, Event, Kind, Line};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;
use std::fs::{read_dir, read_to_string, write, DirBuilder, File, OpenOptions};
use std::io::{stdout, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the names of our instances begin with.
const PREFIX: &str = "ioscope-";

/// Events are read together that come in this time: short enough for people, and the buffer is not full by then.
const BATCH: Duration = Duration::from_millis(20);

/// How often it is asked whether the module is still there, while nothing happens.
const LOOK: Duration = Duration::from_secs(1);

/// How much is read before it is asked whether to end.
const AT_ONCE: usize = 1 << 20;

/// How events are written. A new instance has the options of the top one, which any user of it may have changed.
const OPTIONS: [(&str, &str); 14] = [
    ("context-info", "1"),
    ("irq-info", "1"),
    ("overwrite", "1"),
    ("annotate", "0"),
    ("bin", "0"),
    ("fields", "0"),
    ("hex", "0"),
    ("latency-format", "0"),
    ("pause-on-trace", "0"),
    ("raw", "0"),
    ("record-tgid", "0"),
    ("stacktrace", "0"),
    ("userstacktrace", "0"),
    ("verbose", "0"),
];

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There are events.
    Events,
    /// It is time.
    Time,
    /// By a signal, or because the pipe that is written to was closed.
    End,
}

pub struct Trace {
    /// Closed before the instance is removed, which fails while it is open: members are dropped in this order.
    pipe: File,
    instance: Instance,
    signals: Signals,
    events: Vec<Kind>,
    /// What was read and is not a whole line yet.
    rest: Vec<u8>,
    /// Whether there may be more to read.
    has_more: bool,
}

/// A directory in tracefs, which is removed with this.
struct Instance {
    path: PathBuf,
    /// Locked as long as the instance is in use: one that is not was left behind.
    _lock: File,
}

impl Instance {
    fn new(instances: &Path) -> Result<Self> {
        let all = File::open(instances).map_err(|error| not_made(&error))?;
        // Only one process creates an instance at a time, so that a new one is not removed as an old one before it is locked.
        flock(&all, FlockOperation::LockExclusive)
            .context("cannot lock the instances of tracefs")?;
        remove_old(instances);
        let path = instances.join(format!("{PREFIX}{}", std::process::id()));
        DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .map_err(|error| not_made(&error))?;
        let lock = File::open(&path).and_then(|lock| {
            flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
            Ok(lock)
        });
        match lock {
            Ok(_lock) => Ok(Instance { path, _lock }),
            Err(error) => {
                let _ = std::fs::remove_dir(&path);
                Err(not_made(&error))
            }
        }
    }

    fn set(&self, file: &str, value: &str) -> std::io::Result<()> {
        write(self.path.join(file), value)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Its events go off with it.
        if let Err(error) = std::fs::remove_dir(&self.path) {
            note(format_args!(
                "cannot remove {}: {error}",
                self.path.display()
            ));
        }
    }
}

/// Instances of processes that were killed.
fn remove_old(instances: &Path) {
    let Ok(entries) = read_dir(instances) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let Some(lock) = is_ours.then(|| File::open(entry.path()).ok()).flatten() else {
            continue;
        };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

fn not_made(error: &std::io::Error) -> Error {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            anyhow!("no permission to create a tracefs instance: run as root")
        }
        _ => anyhow!("a tracefs instance cannot be made: {error}"),
    }
}

/// Where tracefs is mounted.
fn tracefs() -> Result<PathBuf> {
    let mounts = read_to_string("/proc/self/mounts").context("cannot read /proc/self/mounts")?;
    let of_line = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (point, kind) = (words.next()?, words.next()?);
        (kind == "tracefs").then(|| PathBuf::from(point))
    };
    // Where it usually is first: below debugfs it may be seen with other rights.
    let mut points: Vec<_> = mounts.lines().filter_map(of_line).collect();
    points.sort_by_key(|point| point.as_os_str().len());
    let found = points.into_iter().next();
    found.ok_or_else(|| {
        anyhow!("tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing")
    })
}

impl Trace {
    /// Turns on `events` of those that `filter` says, in the kernel's words, with a buffer of so many KiB for each CPU.
    pub fn new(events: &[Kind], filter: Option<&str>, buffer_kib: u32) -> Result<Self> {
        let signals = Signals::new()?;
        let tracefs = tracefs()?;
        let instance = Instance::new(&tracefs.join("instances"))?;
        if !instance.path.join("events/io").exists() {
            bail!("the module is not loaded: modprobe iostat");
        }
        let set = |file: &str, value: &str| {
            instance
                .set(file, value)
                .with_context(|| format!("cannot write {value} to {file} of tracefs"))
        };
        for (option, value) in OPTIONS {
            match instance.set(&format!("options/{option}"), value) {
                // Each kernel has its own.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                result => result.with_context(|| format!("cannot set {option} of tracefs"))?,
            }
        }
        set("trace_clock", "mono")?;
        set("buffer_size_kb", &buffer_kib.to_string())?;
        let pipe = OpenOptions::new()
            .read(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32)
            .open(instance.path.join("trace_pipe"))
            .context("cannot open trace_pipe of tracefs")?;
        if let Some(filter) = filter {
            for event in events {
                set(&format!("events/io/{}/filter", event.name()), filter)?;
            }
        }
        for event in events {
            set(&format!("events/io/{}/enable", event.name()), "1")?;
        }
        Ok(Trace {
            pipe,
            instance,
            signals,
            events: events.to_vec(),
            rest: Vec::new(),
            has_more: false,
        })
    }

    /// Waits for events, up to a time if there is one.
    pub fn wait(&mut self, until: Option<Instant>) -> Result<Woken> {
        if self.has_more {
            return match self.poll(false, Some(Instant::now()))? {
                Woken::Time if until.is_some_and(|until| until <= Instant::now()) => {
                    Ok(Woken::Time)
                }
                Woken::End => Ok(Woken::End),
                _ => Ok(Woken::Events),
            };
        }
        loop {
            let look = Instant::now() + LOOK;
            match self.poll(true, Some(until.map_or(look, |until| until.min(look))))? {
                Woken::End => return Ok(Woken::End),
                Woken::Time if until.is_some_and(|until| until <= Instant::now()) => {
                    return Ok(Woken::Time)
                }
                Woken::Time => {
                    if !self.instance.path.join("events/io").exists() {
                        bail!("the module was unloaded");
                    }
                }
                Woken::Events => {
                    let batch = Instant::now() + BATCH;
                    let until = until.map_or(batch, |until| until.min(batch));
                    return match self.poll(false, Some(until))? {
                        Woken::End => Ok(Woken::End),
                        _ => Ok(Woken::Events),
                    };
                }
            }
        }
    }

    fn poll(&self, with_events: bool, until: Option<Instant>) -> Result<Woken> {
        let out = stdout();
        // Of the output only errors are of interest, which are always polled for: that its reader left.
        let mut fds = vec![
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&out, PollFlags::empty()),
        ];
        if with_events {
            fds.push(PollFd::new(&self.pipe, PollFlags::IN));
        }
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            // Rounded up: never a look too early.
            let ms = left.map_or(-1, |left| {
                left.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32
            });
            match poll(&mut fds, ms) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error).context("cannot wait for events"),
                Ok(0) => return Ok(Woken::Time),
                Ok(_) => {
                    let of_signals = !fds[0].revents().is_empty();
                    let of_output = fds[1]
                        .revents()
                        .intersects(PollFlags::ERR | PollFlags::NVAL);
                    return Ok(if of_signals || of_output {
                        Woken::End
                    } else {
                        Woken::Events
                    });
                }
            }
        }
    }

    /// Hands on the events that are there, in the order of their time. There may be more: [`Self::wait`] knows.
    pub fn read(&mut self, mut each: impl FnMut(&Event) -> Result<()>) -> Result<()> {
        let mut buffer = [0; 1 << 16];
        let mut taken = 0;
        self.has_more = false;
        loop {
            match self.pipe.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => {
                    self.rest.extend_from_slice(&buffer[..length]);
                    lines(&mut self.rest, &mut each)?;
                    taken += length;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).context("cannot read events"),
            }
            if taken >= AT_ONCE {
                self.has_more = true;
                return Ok(());
            }
        }
    }

    /// Turns the events off and hands on the last.
    pub fn finish(&mut self, mut each: impl FnMut(&Event) -> Result<()>) -> Result<()> {
        for event in &self.events {
            let file = format!("events/io/{}/enable", event.name());
            match self.instance.set(&file, "0") {
                // The module was unloaded.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                result => result.with_context(|| format!("cannot turn off {}", event.name()))?,
            }
        }
        loop {
            self.read(&mut each)?;
            if !self.has_more {
                return Ok(());
            }
        }
    }

    /// How many events were lost because the buffer of a CPU was full.
    pub fn lost(&self) -> Result<u64> {
        let mut sum = 0;
        let context = "cannot read how many events were lost";
        for cpu in read_dir(self.instance.path.join("per_cpu")).context(context)? {
            let stats = read_to_string(cpu.context(context)?.path().join("stats"));
            sum += lost(&stats.context(context)?);
        }
        Ok(sum)
    }
}

/// Of a CPU, by its `stats`.
fn lost(stats: &str) -> u64 {
    let of_line = |line: &str| {
        let (name, count) = line.split_once(": ")?;
        let is_loss = ["overrun", "commit overrun", "dropped events"].contains(&name);
        is_loss.then(|| count.trim().parse::<u64>().ok()).flatten()
    };
    stats.lines().filter_map(of_line).sum()
}

/// Takes whole lines from the front.
fn lines(rest: &mut Vec<u8>, each: &mut impl FnMut(&Event) -> Result<()>) -> Result<()> {
    let mut begin = 0;
    while let Some(length) = rest[begin..].iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&rest[begin..begin + length]);
        let line = printable(&line);
        match parse(&line) {
            Line::Event(event) => each(&event)?,
            Line::Invalid => {
                bail!("invalid trace event, perhaps of another version of the module: {line}")
            }
            Line::Other => {}
        }
        begin += length + 1;
    }
    rest.drain(..begin);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_losses_are_counted() {
        let stats =
            "entries: 5\noverrun: 7\ncommit overrun: 20\nbytes: 3000\noldest event ts:     1.5\n\
                     now ts:     2.5\ndropped events: 100\nread events: 4\n";
        assert_eq!(lost(stats), 127);
    }

    #[test]
    fn names_have_no_control_characters() -> Result<()> {
        let text = "d\x1b[2Jd-1 [000] ..... 1.000001: start: id=7 dev=a 8:0 flags=B_READ|B_PHYS blkno=1 bcount=512 \
                    pid=1 tgid=1 uid=0 comm=d\u{9b}d offset=-1 fs=ext4 mount=/\u{85} path=/\u{e9}\u{9b}2J\n";
        let mut rest = text.as_bytes().to_vec();
        let mut count = 0;
        lines(&mut rest, &mut |event| {
            assert_eq!((event.comm, event.mount), ("d\\302\\233d", "/\\302\\205"));
            assert_eq!(event.path, "/\u{e9}\\302\\2332J");
            count += 1;
            Ok(())
        })?;
        assert_eq!(count, 1);
        // Nor has the error that shows a line.
        let mut rest = text.replace(" pid=1", " pid=x").into_bytes();
        let error = lines(&mut rest, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains("d\\033[2Jd-1"), "{error}");
        assert!(!error.contains(char::is_control), "{error}");
        Ok(())
    }

    #[test]
    fn a_line_that_comes_in_parts_is_one() -> Result<()> {
        let text = b"dd-1 [000] ..... 1.000001: start: id=7 dev=a 8:0 flags=B_READ|B_PHYS blkno=1 bcount=512 pid=1 \
                     tgid=1 uid=0 comm=dd offset=-1 fs=ext4 mount=/ path=/a\n";
        let (mut rest, mut count) = (Vec::new(), 0);
        for _ in 0..3 {
            for byte in text {
                rest.push(*byte);
                lines(&mut rest, &mut |event| {
                    assert_eq!((event.id, event.path), (7, "/a"));
                    count += 1;
                    Ok(())
                })?;
            }
        }
        assert_eq!((count, rest.len()), (3, 0));
        Ok(())
    }
}
