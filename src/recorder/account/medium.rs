// SPDX-License-Identifier: GPL-2.0

//! The parts of the identity that can change: flags, and the block size of a removable medium.

use super::Account;
use crate::abi::identity::{
    support_flags,
    Identity, //
};
use core::sync::atomic::Ordering::Relaxed;
use kernel::prelude::*;

impl Account {
    /// The identity, with the current block size and flags.
    pub(crate) fn identity_now(&self) -> Identity {
        Identity {
            flags: self.flags.load(Relaxed),
            block_size: self.device().block_size,
            ..self.identity
        }
    }

    /// Sets the block size of the medium, in bytes; 0 if there is no medium. `EINVAL` if the
    /// entry was added with `DEVSTAT_NO_BLOCKSIZE`. In any context.
    pub(crate) fn set_block_size(&self, block_size: u32) -> Result {
        if self.identity.flags & support_flags::NO_BLOCKSIZE != 0 {
            return Err(EINVAL);
        }
        let flags = self.identity.flags & !support_flags::BS_UNAVAILABLE;
        let unavailable = match block_size {
            0 => support_flags::BS_UNAVAILABLE,
            _ => 0,
        };
        self.flags.store(flags | unavailable, Relaxed);
        self.records.head().set_block_size(block_size);
        Ok(())
    }
}
