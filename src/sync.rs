// SPDX-License-Identifier: GPL-2.0

//! The atomics of floor 0, from one place so that loom can stand in for them.
//!
//! `core`'s atomics and not `kernel::sync::atomic`: with a kernel built by gcc each load of the
//! latter is a call (`CONFIG_RUST_INLINE_HELPERS` needs clang), and the record path makes dozens.
//! The two memory models are not mixed: no word that is declared here is accessed both by Rust code
//! and by C code.

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{
    fence,
    AtomicPtr,
    AtomicU32,
    AtomicU64,
    Ordering, //
};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    fence,
    AtomicPtr,
    AtomicU32,
    AtomicU64,
    Ordering, //
};

#[cfg(not(loom))]
pub(crate) use core::hint::spin_loop;

#[cfg(loom)]
pub(crate) use loom::thread::yield_now as spin_loop;

#[cfg(not(loom))]
pub(crate) use crate::hint::read_by_owner;

#[cfg(loom)]
pub(crate) fn read_by_owner(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}
