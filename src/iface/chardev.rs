// SPDX-License-Identifier: GPL-2.0

//! `/dev/iostat`: the whole system as text. See `Documentation/ABI/testing/dev-iostat`.

use super::Recording;
use crate::{
    abi::{
        latency,
        text, //
    },
    acct::{
        class::Class,
        histogram::Phase, //
    },
    kernel_ext::miscdevice::OpenFile, //
};
use core::fmt;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    iov::IovIterDest,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// An open `/dev/iostat`. A read from the start takes a new snapshot; reads further on continue
/// it, so that what a reader gets in pieces is one text.
pub(crate) struct Reader {
    text: Pin<KBox<Mutex<Text>>>,
}

struct Text {
    bytes: KVVec<u8>,
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Charged to the reader: anybody may open the device.
        self.bytes
            .extend_from_slice(text.as_bytes(), GFP_KERNEL_ACCOUNT)
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
    type Context = Arc<Recording>;

    fn open(_context: &Arc<Recording>) -> Result<KBox<Self>> {
        let bytes = KVVec::new();
        let text = KBox::pin_init(new_mutex!(Text { bytes }), GFP_KERNEL_ACCOUNT)?;
        Ok(KBox::new(Reader { text }, GFP_KERNEL_ACCOUNT)?)
    }

    fn read(
        &self,
        context: &Arc<Recording>,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize> {
        let mut text = self.text.lock();
        if *position == 0 {
            text.refresh(context)?;
        }
        to.simple_read_from_buffer(position, &text.bytes)
    }
}
