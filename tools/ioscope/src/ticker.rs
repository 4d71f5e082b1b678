// SPDX-License-Identifier: GPL-2.0

//! Waits for the next interval, or for the user to end it.

use crate::signals::Signals;
use anyhow::{Context, Result};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// Intervals of one length, counted from one beginning: they do not drift.
pub struct Ticker {
    signals: Signals,
    interval: Duration,
    next: Instant,
}

impl Ticker {
    /// SIGINT, SIGTERM and SIGHUP end the waiting from now on, and not the process: what it has made can be removed.
    pub fn new() -> Result<Self> {
        Ok(Ticker {
            signals: Signals::new()?,
            interval: Duration::ZERO,
            next: Instant::now(),
        })
    }

    /// Begins to count intervals.
    pub fn start(&mut self, interval: Duration) {
        self.interval = interval;
        self.next = Instant::now() + interval;
    }

    /// Waits for the end of the interval; false if a signal came before.
    pub fn wait(&mut self) -> Result<bool> {
        loop {
            let left = self.next.saturating_duration_since(Instant::now());
            // Rounded up: never a look too early.
            let ms = left.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32;
            let mut fds = [PollFd::new(&self.signals, PollFlags::IN)];
            match poll(&mut fds, ms) {
                Ok(0) if Instant::now() >= self.next => break,
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(false),
                Err(error) => return Err(error).context("cannot wait"),
            }
        }
        // One that took longer than its interval is not made up for.
        while self.next <= Instant::now() {
            self.next += self.interval.max(Duration::from_millis(1));
        }
        Ok(true)
    }
}
