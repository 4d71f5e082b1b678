// SPDX-License-Identifier: GPL-2.0

//! The signals that end a command, as a descriptor to poll.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ffi::c_int;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Readable once one of the signals came.
pub struct Signals {
    receiver: UnixStream,
    sender: UnixStream,
}

impl Signals {
    /// SIGINT and SIGTERM do not end the process from now on, and SIGHUP not either. If SIGHUP is ignored, as nohup(1) has
    /// it, it stays so.
    pub fn new() -> Result<Self> {
        let (receiver, sender) = UnixStream::pair().context("cannot wait for signals")?;
        let signals = Signals { receiver, sender };
        signals.add(SIGINT)?;
        signals.add(SIGTERM)?;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        if !is_ignored(SIGHUP, &status) {
            signals.add(SIGHUP)?;
        }
        Ok(signals)
    }

    fn add(&self, signal: c_int) -> Result<()> {
        let sender = self.sender.try_clone().context("cannot wait for signals")?;
        signal_hook::low_level::pipe::register(signal, sender)
            .context("cannot wait for signals")?;
        Ok(())
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.receiver.as_fd()
    }
}

/// By what the kernel says in `/proc/PID/status`.
fn is_ignored(signal: c_int, status: &str) -> bool {
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| (mask >> (signal - 1)) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_ignored_is_known() {
        let status = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert!(is_ignored(SIGHUP, status));
        assert!(!is_ignored(SIGINT, status));
        assert!(!is_ignored(SIGHUP, ""));
    }
}
