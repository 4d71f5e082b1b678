// SPDX-License-Identifier: GPL-2.0

//! Turns of the writers of the record that the CPUs of an account share.

use crate::sync::{
    spin_loop,
    AtomicU32,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// Callers take turns, each with interrupts off: in any context but NMI.
#[derive(Debug, Default)]
pub struct Turns(AtomicU32);

/// A turn, until dropped.
#[derive(Debug)]
pub struct Turn<'a>(&'a Turns);

impl Turns {
    /// Takes a turn as soon as no other caller has one. Spins.
    pub fn take(&self) -> Turn<'_> {
        while self.0.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            spin_loop();
        }
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0 .0.store(0, Release);
    }
}
