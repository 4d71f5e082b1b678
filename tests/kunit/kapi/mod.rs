// SPDX-License-Identifier: GPL-2.0

//! Tests of the kernel API. They use tables of their own, which clients do not use, and are a part of
//! [`crate::kapi`] in order to use its private items.

mod devstat;
mod kstat;
