// SPDX-License-Identifier: GPL-2.0

//! `/dev/iostat`: the whole system as text, and messages. See `Documentation/ABI/testing/dev-iostat`.

use super::{
    ioctls,
    reader::{
        Reader,
        LONGEST_MESSAGE, //
    },
    text::Text,
    ChardevContext, //
};
use crate::kernel_ext::{
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
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
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
    prelude::*, //
};

/// Checks the mode of the file, the parameter `mode`. `EINVAL` unless it has permissions to read and write only.
pub(crate) fn mode(asked: u32) -> Result<u16> {
    let mode = u16::try_from(asked).ok().filter(|mode| mode & !0o666 == 0);
    mode.ok_or_else(|| {
        // Printed as a decimal and as an octal number, as the parameter may have been given as
        // either.
        pr_err!(
            "mode={asked} (octal 0{asked:o}) is invalid: only permissions to read (4) and write (2) are supported, \
             in octal with a leading 0 (0000 to 0666)\n"
        );
        EINVAL
    })
}

impl OpenFile for Reader {
    type Context = ChardevContext;

    fn open(context: &ChardevContext) -> Result<KBox<Self>> {
        let text = KBox::pin_init(new_mutex!(Text::new()), GFP_KERNEL_ACCOUNT)?;
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
        context: &ChardevContext,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize> {
        let mut text = self.text.lock();
        let copied = text.read(context, *position, to.len(), |bytes| to.copy_to_iter(bytes))?;
        if *position == 0 {
            if let Some(generation) = text.generation() {
                self.saw(generation);
            }
        }
        *position = position.saturating_add_unsigned(copied as u64);
        Ok(copied)
    }

    fn write(
        &self,
        context: &ChardevContext,
        position: &mut i64,
        from: &mut IovIterSource<'_>,
    ) -> Result {
        let mut text = self.text.lock();
        *position = 0;
        let len = from.len();
        let mut line = KVVec::new();
        let taken = match len {
            0..=LONGEST_MESSAGE => from.copy_from_iter_vec(&mut line, GFP_KERNEL_ACCOUNT),
            _ => Err(E2BIG),
        };
        let taken = taken.and_then(|taken| if taken == len { Ok(()) } else { Err(EFAULT) });
        if let Err(error) = taken {
            text.empty(context);
            return Err(error);
        }
        self.run(&mut text, context, &line)
    }

    fn release(&self, context: &ChardevContext) {
        self.text.lock().abandon(context);
    }

    fn ioctl(
        &self,
        context: &ChardevContext,
        number: u32,
        argument: Argument,
        access: Access,
    ) -> Result {
        ioctls::run(self, context, number, argument, access)
    }

    fn mmap(&self, context: &ChardevContext, mapping: &NewMapping<'_>) -> Result {
        context.recording.map(mapping)
    }

    fn poll(&self, context: &ChardevContext, poller: &Poller<'_>) -> u32 {
        poller.wait(context.recording.changed());
        if context.recording.generation() == self.seen.load(Relaxed) {
            event::OUT
        } else {
            event::OUT | event::IN | event::PRI
        }
    }
}
