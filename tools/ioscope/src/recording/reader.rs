// SPDX-License-Identifier: GPL-2.0

//! Reads frames and samples of a file, as far as it is whole.

use super::frame::{Frame, State};
use super::{MAGIC, MOST_BYTES};
use crate::quantile::Bounds;
use crate::sample::Sample;
use anyhow::{bail, Context, Result};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

pub struct Reader<R: Read> {
    input: R,
    state: State,
    /// Of the frames that were read.
    position: u64,
    /// What is wrong behind them: not of a file that just ends.
    damage: Option<String>,
    /// The frame behind them has its checksum: it is whole, but none that this ioscope knows.
    is_unknown: bool,
    bounds: Option<Bounds>,
}

impl Reader<BufReader<File>> {
    pub fn open(path: &Path) -> Result<Self> {
        let context = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(context)?;
        Reader::new(BufReader::new(file)).with_context(context)
    }
}

impl<R: Read> Reader<R> {
    pub fn new(mut input: R) -> Result<Self> {
        let mut magic = [0; MAGIC.len()];
        match input.read_exact(&mut magic) {
            Ok(()) if &magic == MAGIC => {}
            Ok(()) => bail!("it is not a recording of ioscope, or has another version"),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                bail!("it is empty or not a recording of ioscope")
            }
            Err(error) => return Err(error.into()),
        }
        Ok(Reader {
            input,
            state: State::default(),
            position: MAGIC.len() as u64,
            damage: None,
            is_unknown: false,
            bounds: None,
        })
    }

    /// Bytes up to the end of the last whole frame.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// What ended the file before its end.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Whether nothing is behind the frames that were read but what a crash leaves of the last one: a part of it, and zeros
    /// where nothing was written.
    pub fn is_torn(&mut self) -> Result<bool> {
        if self.is_unknown {
            return Ok(false);
        }
        let mut rest = [0; 4096];
        loop {
            match self.input.read(&mut rest) {
                Ok(0) => return Ok(true),
                Ok(len) if rest[..len].iter().any(|byte| *byte != 0) => return Ok(false),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error).context("cannot read the recording"),
            }
        }
    }

    /// The bounds of histograms, of what was read last.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.bounds.as_ref()
    }

    /// The next frame; `None` at the end, be it of the file or of what is whole of it.
    pub fn frame(&mut self) -> Result<Option<Frame>> {
        if self.damage.is_some() {
            return Ok(None);
        }
        let Some(content) = self.content()? else {
            return Ok(None);
        };
        let mut frame: Frame = match postcard::from_bytes(&content) {
            Ok(frame) => frame,
            Err(_) => return self.unknown("a frame cannot be understood"),
        };
        frame.make_printable();
        if let Frame::Begin(bounds) = &frame {
            let Ok(bounds) = bounds.as_slice().try_into() else {
                return self.unknown("its histograms are others than those of this ioscope");
            };
            self.bounds = Some(bounds);
        } else if self.bounds.is_none() {
            return self.unknown("it does not begin with its bounds");
        }
        self.position += content.len() as u64 + 8;
        Ok(Some(frame))
    }

    /// The next sample; `None` as of [`Self::frame`].
    pub fn sample(&mut self) -> Result<Option<Sample>> {
        while let Some(frame) = self.frame()? {
            match self.state.decode(frame) {
                Ok(None) => {}
                Ok(sample) => return Ok(sample),
                Err(error) => return self.damaged(&error.to_string()),
            }
        }
        Ok(None)
    }

    /// The bytes of the next frame, if they are there and whole.
    fn content(&mut self) -> Result<Option<Vec<u8>>> {
        let mut head = [0; 8];
        if !self.fill(&mut head)? {
            return Ok(None);
        }
        let [l0, l1, l2, l3, c0, c1, c2, c3] = head;
        let len = u32::from_le_bytes([l0, l1, l2, l3]);
        // Zeros are a length and its checksum, too.
        if len == 0 {
            return self.damaged("a frame is empty");
        }
        if len > MOST_BYTES {
            return self.damaged("a frame is too long");
        }
        // As much as there is: a length that is wrong takes no memory.
        let mut content = Vec::new();
        let read = (&mut self.input).take(len.into()).read_to_end(&mut content);
        read.context("cannot read the recording")?;
        if content.len() < len as usize {
            return Ok(None);
        }
        if crc32fast::hash(&content) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return self.damaged("a frame was altered");
        }
        Ok(Some(content))
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<bool> {
        match self.input.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error).context("cannot read the recording"),
        }
    }

    fn unknown<T>(&mut self, why: &str) -> Result<Option<T>> {
        self.is_unknown = true;
        self.damaged(why)
    }

    fn damaged<T>(&mut self, why: &str) -> Result<Option<T>> {
        self.damage = Some(format!("{why}, behind byte {}", self.position));
        Ok(None)
    }
}
