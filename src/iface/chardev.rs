// SPDX-License-Identifier: GPL-2.0

//! `/dev/iostat`: the whole system as text, and messages. See `Documentation/ABI/testing/dev-iostat`.

use super::{
    ioctls,
    messages,
    Global,
    Recording, //
};
use crate::{
    abi::{
        latency,
        region_text::Reply,
        text, //
    },
    acct::{
        class::Class,
        histogram::Phase, //
    },
    kernel_ext::{
        capability,
        ioctl::{
            Access,
            Argument, //
        },
        miscdevice::OpenFile,
        mmap::NewMapping,
        poll::{
            event,
            Poller, //
        }, //
    },
};
use core::{
    fmt,
    sync::atomic::{
        AtomicU64,
        Ordering::Relaxed, //
    }, //
};
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    iov::{
        IovIterDest,
        IovIterSource, //
    },
    new_mutex,
    prelude::*,
    sync::Mutex, //
};

/// An open `/dev/iostat`. A read from the start takes a new snapshot; reads further on continue
/// it, so that what a reader gets in pieces is one text. From its first message on, it reads as the
/// reply to the last.
pub(crate) struct Reader {
    text: Pin<KBox<Mutex<Text>>>,
    is_opened_by_admin: bool,
    /// The generation of the list that was seen last.
    seen: AtomicU64,
}

struct Text {
    bytes: KVVec<u8>,
    is_reply: bool,
}

/// The longest message, bytes.
pub(super) const LONGEST_MESSAGE: usize = 65536;

/// The mode of the file that was asked for: whoever may read and write. `EINVAL` for any other.
pub(crate) fn mode(asked: u32) -> Result<u16> {
    let mode = u16::try_from(asked).ok().filter(|mode| mode & !0o666 == 0);
    mode.ok_or_else(|| {
        // As a decimal and as an octal number: one of them is what was typed.
        pr_err!(
            "mode={asked} (octal 0{asked:o}) is invalid: give 4 to read and 2 to write, \
             in octal with a 0 in front (0000 to 0666)\n"
        );
        EINVAL
    })
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_bytes(text.as_bytes())
    }
}

impl Reply for Text {
    fn write_bytes(&mut self, bytes: &[u8]) -> fmt::Result {
        // Charged to the reader: anybody may open the device.
        self.bytes
            .extend_from_slice(bytes, GFP_KERNEL_ACCOUNT)
            .map_err(|_| fmt::Error)
    }
}

impl Text {
    /// The last reply is none to the next message, and its memory not this reader's for ever.
    fn expect_reply(&mut self) {
        self.bytes = KVVec::new();
        self.is_reply = true;
    }

    fn run(&mut self, context: &Global, is_opened_by_admin: bool, line: &[u8]) -> Result {
        let result = messages::run(context, is_opened_by_admin, line, self);
        if matches!(result, Err(error) if [ENOMEM, EINTR, EAGAIN].contains(&error)) {
            // Half a reply.
            self.bytes.clear();
        }
        result
    }

    /// The generation of what it is about.
    fn refresh(&mut self, state: &Recording) -> Result<u64> {
        self.bytes.clear();
        let list = state.list()?;
        text::header(self, list.generation, list.accounts.len()).map_err(|_| ENOMEM)?;
        for account in &list.accounts {
            let snapshot = account.snapshot();
            text::device(self, account.identity(), &snapshot).map_err(|_| ENOMEM)?;
        }
        latency::header(self).map_err(|_| ENOMEM)?;
        for account in &list.accounts {
            let classes = Class::ALL.into_iter();
            for class in classes.filter(|class| account.has_times(*class)) {
                for phase in Phase::ALL {
                    let times = account.histogram(class, phase);
                    latency::line(self, account.identity(), class, phase, &times)
                        .map_err(|_| ENOMEM)?;
                }
            }
        }
        Ok(list.generation)
    }
}

impl Reader {
    /// Who polls from now on waits for another generation.
    pub(super) fn saw(&self, generation: u64) {
        self.seen.store(generation, Relaxed);
    }

    /// `EPERM` if it is not for this reader to change anything.
    pub(super) fn may_change(&self) -> Result {
        messages::may_change(self.is_opened_by_admin)
    }

    /// Does what a message says. The file reads as the reply from now on; `then` is given that, and whether
    /// the message was refused. May sleep.
    pub(super) fn message(
        &self,
        context: &Global,
        line: &[u8],
        then: impl FnOnce(Result, &[u8]) -> Result,
    ) -> Result {
        let mut text = self.text.lock();
        text.expect_reply();
        let result = text.run(context, self.is_opened_by_admin, line);
        then(result, &text.bytes)
    }
}

impl OpenFile for Reader {
    type Context = Global;

    fn open(context: &Global) -> Result<KBox<Self>> {
        let bytes = KVVec::new();
        let is_reply = false;
        let text = KBox::pin_init(new_mutex!(Text { bytes, is_reply }), GFP_KERNEL_ACCOUNT)?;
        let is_opened_by_admin = capability::is_sys_admin();
        let reader = Reader {
            text,
            is_opened_by_admin,
            seen: AtomicU64::new(context.recording.generation()),
        };
        Ok(KBox::new(reader, GFP_KERNEL_ACCOUNT)?)
    }

    fn read(
        &self,
        context: &Global,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize> {
        let mut text = self.text.lock();
        if *position == 0 && !text.is_reply {
            self.saw(text.refresh(&context.recording)?);
        }
        to.simple_read_from_buffer(position, &text.bytes)
    }

    fn write(&self, context: &Global, position: &mut i64, from: &mut IovIterSource<'_>) -> Result {
        let mut text = self.text.lock();
        text.expect_reply();
        *position = 0;
        let len = from.len();
        if len > LONGEST_MESSAGE {
            return Err(E2BIG);
        }
        let mut line = KVVec::new();
        if from.copy_from_iter_vec(&mut line, GFP_KERNEL_ACCOUNT)? != len {
            return Err(EFAULT);
        }
        text.run(context, self.is_opened_by_admin, &line)
    }

    fn ioctl(&self, context: &Global, number: u32, argument: Argument, access: Access) -> Result {
        ioctls::run(self, context, number, argument, access)
    }

    fn mmap(&self, context: &Global, mapping: &NewMapping<'_>) -> Result {
        context.recording.map(mapping)
    }

    fn poll(&self, context: &Global, poller: &Poller<'_>) -> u32 {
        poller.wait(context.recording.changed());
        if context.recording.generation() == self.seen.load(Relaxed) {
            event::OUT
        } else {
            event::OUT | event::IN | event::PRI
        }
    }
}
