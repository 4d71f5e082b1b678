// SPDX-License-Identifier: GPL-2.0

//! Writes samples to a file.

use super::frame::{Frame, State};
use super::reader::Reader;
use super::MAGIC;
use crate::quantile::Bounds;
use crate::sample::Sample;
use anyhow::{bail, Context, Result};
use rustix::fs::{flock, FlockOperation};
use rustix::io::Errno;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub struct Writer<W: Write> {
    out: W,
    state: State,
    bytes: u64,
}

impl Writer<File> {
    /// A new file; it is an error if there is one.
    pub fn create(path: &Path, bounds: &Bounds) -> Result<Self> {
        let mut options = File::options();
        // It has what the module shows to root only, if root records.
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(path);
        let context = || format!("cannot create {}", path.display());
        let file = file.with_context(context)?;
        lock(&file, path)?;
        Writer::new(file, bounds)
    }

    /// Goes on with a file, behind the last frame that is whole. Of what follows it cuts off no more than the part of a frame
    /// that a crash has left.
    pub fn append(path: &Path, bounds: &Bounds) -> Result<Self> {
        let context = || format!("cannot write to {}", path.display());
        let file = File::options().read(true).write(true).open(path);
        let mut file = file.with_context(context)?;
        lock(&file, path)?;
        // So a crash leaves a file that was created shortly before.
        if file.metadata().with_context(context)?.len() == 0 {
            return Writer::new(file, bounds);
        }
        let reader = Reader::new(BufReader::new(&file));
        let mut reader = reader.with_context(|| format!("cannot read {}", path.display()))?;
        while reader.frame()?.is_some() {}
        if !reader.is_torn()? {
            let (path, damage) = (path.display(), reader.damage().unwrap_or_default());
            bail!("{path}: {damage}: to go on there would remove what follows: give another file");
        }
        let end = reader.position();
        file.set_len(end).with_context(context)?;
        file.seek(SeekFrom::Start(end)).with_context(context)?;
        let mut writer = Writer {
            out: file,
            state: State::default(),
            bytes: end,
        };
        writer.frame(&Frame::Begin(bounds.to_vec()))?;
        Ok(writer)
    }
}

/// Locks a file for as long as it is open: two programs that write to it would overwrite each other's frames.
fn lock(file: &File, path: &Path) -> Result<()> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => bail!("{}: another process records to it", path.display()),
        result => result.with_context(|| format!("cannot lock {}", path.display())),
    }
}

impl<W: Write> Writer<W> {
    pub fn new(mut out: W, bounds: &Bounds) -> Result<Self> {
        out.write_all(MAGIC).context("cannot write the recording")?;
        let mut writer = Writer {
            out,
            state: State::default(),
            bytes: MAGIC.len() as u64,
        };
        writer.frame(&Frame::Begin(bounds.to_vec()))?;
        Ok(writer)
    }

    pub fn sample(&mut self, sample: &Sample) -> Result<()> {
        for frame in self.state.encode(sample) {
            self.frame(&frame)?;
        }
        Ok(())
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// In one write, so that a reader sees whole frames.
    fn frame(&mut self, frame: &Frame) -> Result<()> {
        let content = postcard::to_allocvec(frame).context("cannot write the recording")?;
        let mut bytes = Vec::with_capacity(content.len() + 8);
        bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&content).to_le_bytes());
        bytes.extend_from_slice(&content);
        self.bytes += bytes.len() as u64;
        self.out
            .write_all(&bytes)
            .context("cannot write the recording")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantile::tests::bounds;
    use std::path::PathBuf;

    /// A file that is removed at the end of a test.
    struct Recording(PathBuf);

    impl Recording {
        /// With one sample. Its bytes too.
        fn new(name: &str) -> Result<(Self, Vec<u8>)> {
            let name = format!("ioscope-{name}-{}", std::process::id());
            let recording = Recording(std::env::temp_dir().join(name));
            Writer::create(&recording.0, &bounds())?.sample(&Sample::default())?;
            let bytes = std::fs::read(&recording.0)?;
            Ok((recording, bytes))
        }

        /// How many samples there are if recording goes on behind `bytes`.
        fn after(&self, bytes: &[u8]) -> Result<usize> {
            std::fs::write(&self.0, bytes)?;
            Writer::append(&self.0, &bounds())?.sample(&Sample::default())?;
            let (mut reader, mut count) = (Reader::open(&self.0)?, 0);
            while reader.sample()?.is_some() {
                count += 1;
            }
            assert_eq!(reader.damage(), None);
            Ok(count)
        }

        /// Why recording does not go on behind `bytes`, which are left as they are.
        fn refusal(&self, bytes: &[u8]) -> Result<String> {
            let refusal = self.after(bytes).unwrap_err().to_string();
            assert_eq!(std::fs::read(&self.0)?, bytes);
            Ok(refusal)
        }
    }

    impl Drop for Recording {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    /// A frame that is whole.
    fn frame(content: &[u8]) -> Vec<u8> {
        let len = (content.len() as u32).to_le_bytes();
        let sum = crc32fast::hash(content).to_le_bytes();
        [&len, &sum, content].concat()
    }

    #[test]
    fn it_goes_on_behind_what_a_crash_has_left() -> Result<()> {
        let (recording, bytes) = Recording::new("torn")?;
        assert_eq!(recording.after(&bytes)?, 2);
        assert_eq!(recording.after(&[])?, 1);
        let next = frame(&[1; 100]);
        for len in 1..next.len() {
            let torn = [&bytes, &next[..len]].concat();
            assert_eq!(recording.after(&torn)?, 2, "{len}");
            let zeros = [&torn[..], &[0; 5000]].concat();
            assert_eq!(recording.after(&zeros)?, 2, "{len} and zeros");
        }
        assert_eq!(recording.after(&[&bytes[..], &[0; 5000]].concat())?, 2);
        Ok(())
    }

    #[test]
    fn it_does_not_cut_off_what_is_whole() -> Result<()> {
        let (recording, bytes) = Recording::new("whole")?;
        let unknown = [&bytes, &frame(&[99; 100])[..]].concat();
        let refusal = recording.refusal(&unknown)?;
        assert!(
            refusal.contains("a frame cannot be understood"),
            "{refusal}"
        );
        let other = postcard::to_allocvec(&Frame::Begin(vec![1, 2, 3]))?;
        let refusal = recording.refusal(&[&bytes, &frame(&other)[..]].concat())?;
        assert!(refusal.contains("its histograms are others"), "{refusal}");
        let mut altered = [&bytes[..], &bytes[MAGIC.len()..]].concat();
        altered[MAGIC.len() + 8] ^= 1;
        let refusal = recording.refusal(&altered)?;
        assert!(
            refusal.contains("a frame was altered, behind byte 8"),
            "{refusal}"
        );
        Ok(())
    }

    #[test]
    fn one_process_records_to_a_file() -> Result<()> {
        let (recording, bytes) = Recording::new("locked")?;
        let writer = Writer::append(&recording.0, &bounds())?;
        let refusal = recording.refusal(&bytes)?;
        assert!(
            refusal.ends_with("another process records to it"),
            "{refusal}"
        );
        drop(writer);
        assert_eq!(recording.after(&bytes)?, 2);
        Ok(())
    }
}
