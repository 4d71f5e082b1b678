// SPDX-License-Identifier: GPL-2.0

//! Writes samples to a file.

use super::frame::{Frame, State};
use super::reader::Reader;
use super::MAGIC;
use crate::quantile::Bounds;
use crate::sample::Sample;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
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
        Writer::new(file.with_context(context)?, bounds)
    }

    /// Goes on with a file, behind the last frame that is whole.
    pub fn append(path: &Path, bounds: &Bounds) -> Result<Self> {
        let mut reader = Reader::open(path)?;
        while reader.frame()?.is_some() {}
        let end = reader.position();
        let context = || format!("cannot write to {}", path.display());
        let mut file = File::options()
            .write(true)
            .open(path)
            .with_context(context)?;
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
