// SPDX-License-Identifier: GPL-2.0

//! An open `/dev/iostat`.

use super::{
    messages,
    text::Text,
    ChardevContext, //
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};
use kernel::{
    prelude::*,
    sync::Mutex, //
};

/// An open `/dev/iostat`. Reads return the text of all devices; from the first message on, the reply to the
/// last message.
pub(crate) struct Reader {
    pub(super) text: Pin<KBox<Mutex<Text>>>,
    pub(super) is_opened_by_admin: bool,
    /// The generation of the list that was seen last.
    pub(super) seen: AtomicU64,
}

/// The longest message, bytes.
pub(super) const LONGEST_MESSAGE: usize = 65536;

impl Reader {
    /// Records that the reader has seen this generation: from now on, poll() waits for another one.
    pub(super) fn saw(&self, generation: u64) {
        self.seen.store(generation, Relaxed);
    }

    /// `EPERM` if this reader may not change anything.
    pub(super) fn may_change(&self) -> Result {
        messages::may_change(self.is_opened_by_admin)
    }

    /// Carries out a message, and copies the reply, or the line with the reason of a refusal, by `copy`, which returns
    /// how many bytes it has copied; at most `most` bytes. From now on, reads of the file return the reply. Returns how
    /// many bytes were copied, whether that is all, and whether the message was refused. May sleep.
    ///
    /// `EFAULT` if not all of the bytes could be copied.
    pub(super) fn message(
        &self,
        context: &ChardevContext,
        line: &[u8],
        most: usize,
        mut copy: impl FnMut(&[u8]) -> usize,
    ) -> Result<(usize, bool, Result)> {
        let mut text = self.text.lock();
        let result = self.run(&mut text, context, line);
        let mut is_fault = false;
        let copied = text.read(context, 0, most, |bytes| {
            let copied = copy(bytes);
            is_fault |= copied < bytes.len();
            copied
        })?;
        if is_fault {
            return Err(EFAULT);
        }
        let is_all = !text.has(context, copied as u64)?;
        Ok((copied, is_all, result))
    }

    pub(super) fn run(&self, text: &mut Text, context: &ChardevContext, line: &[u8]) -> Result {
        text.reply(context, |piece| {
            messages::run(context, self.is_opened_by_admin, line, piece)
        })
    }
}
