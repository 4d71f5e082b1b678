// SPDX-License-Identifier: GPL-2.0

//! Requests, as the fast path of floor 0 reads them.

use crate::{
    acct::{
        class::Class,
        fast::FastRequest, //
    },
    kernel_ext::block::request::Request,
};

impl FastRequest for Request<'_> {
    #[inline(always)]
    fn key(&self) -> u64 {
        Request::key(self)
    }

    #[inline(always)]
    fn queue(&self) -> u64 {
        Request::queue(self)
    }

    #[inline(always)]
    fn is_submitted_to(&self, block_device: u64) -> bool {
        Request::is_submitted_to(self, block_device)
    }

    #[inline(always)]
    fn class(&self) -> Class {
        // The class of a request with data.
        Class::of(self.op(), 1)
    }

    #[inline(always)]
    fn sector(&self) -> u64 {
        Request::sector(self)
    }

    #[inline(always)]
    fn bytes(&self) -> u32 {
        Request::bytes(self)
    }

    #[inline(always)]
    fn is_special(&self) -> bool {
        Request::is_special(self)
    }

    #[inline(always)]
    fn is_write(&self) -> bool {
        Request::is_write(self)
    }
}
