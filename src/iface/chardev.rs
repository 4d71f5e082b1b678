// SPDX-License-Identifier: GPL-2.0

//! `/dev/iostat`: the whole system as text, and messages. See `Documentation/ABI/testing/dev-iostat`.

use super::{
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
        miscdevice::OpenFile, //
    },
};
use core::fmt;
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
}

struct Text {
    bytes: KVVec<u8>,
    is_reply: bool,
}

/// The longest message, bytes.
const LONGEST_MESSAGE: usize = 65536;

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
    fn refresh(&mut self, state: &Recording) -> Result {
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
        Ok(())
    }
}

impl OpenFile for Reader {
    type Context = Global;

    fn open(_context: &Global) -> Result<KBox<Self>> {
        let bytes = KVVec::new();
        let is_reply = false;
        let text = KBox::pin_init(new_mutex!(Text { bytes, is_reply }), GFP_KERNEL_ACCOUNT)?;
        let is_opened_by_admin = capability::is_sys_admin();
        let reader = Reader {
            text,
            is_opened_by_admin,
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
            text.refresh(&context.recording)?;
        }
        to.simple_read_from_buffer(position, &text.bytes)
    }

    fn write(&self, context: &Global, position: &mut i64, from: &mut IovIterSource<'_>) -> Result {
        let mut text = self.text.lock();
        // The last reply is none to this message, and its memory not this reader's for ever.
        text.bytes = KVVec::new();
        text.is_reply = true;
        *position = 0;
        let len = from.len();
        if len > LONGEST_MESSAGE {
            return Err(E2BIG);
        }
        let mut line = KVVec::new();
        if from.copy_from_iter_vec(&mut line, GFP_KERNEL_ACCOUNT)? != len {
            return Err(EFAULT);
        }
        let result = messages::run(context, self.is_opened_by_admin, &line, &mut *text);
        if matches!(result, Err(error) if [ENOMEM, EINTR, EAGAIN].contains(&error)) {
            // Half a reply.
            text.bytes.clear();
        }
        result
    }
}
