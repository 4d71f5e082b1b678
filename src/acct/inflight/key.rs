// SPDX-License-Identifier: GPL-2.0

//! The key of an entry: which I/O owns it.

use crate::sync::{
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// The lowest bits of a key say what its I/O does. Addresses of requests and bios are multiples of 8,
/// so these bits are free.
///
/// The lowest of them is set while the I/O is in flight. The other two are set by the fast path
/// (`super::fast`), which has the whole state of its I/Os here; those of the general path have it in the
/// entry.
pub(super) const BUSY: u64 = 1;
const STATE: u64 = 7;

/// The state of an I/O in flight, as its key has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum KeyState {
    /// Its state is in the entry.
    General = BUSY,
    /// On the fast path, in the wait queue.
    Waits = BUSY | 2,
    /// On the fast path, in the run queue.
    Runs = BUSY | 4,
}

/// Which I/O owns an entry: the address of the I/O, and whether it is in flight.
///
/// The address stays when the I/O has ended. Requests are allocated once and for all with their
/// queue, and bios come from pools: the next I/O at an address most often finds its entry
/// where the last one left it, in its first look.
#[derive(Debug, Default)]
pub struct Key(AtomicU64);

impl Key {
    #[inline(always)]
    pub(super) fn load(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// The key, for a reader that does not own the entry and reads the entry next.
    pub(super) fn observe(&self) -> u64 {
        self.0.load(Acquire)
    }

    /// The address of the I/O in flight that a key names, and its state; [`None`] if it has ended.
    pub(super) fn split(key: u64) -> Option<(u64, KeyState)> {
        let state = match key & STATE {
            WAITS => KeyState::Waits,
            RUNS => KeyState::Runs,
            state if state & BUSY != 0 => KeyState::General,
            _ => return None,
        };
        Some((key & !STATE, state))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.load() & BUSY != 0
    }

    /// Whether the key is that of the I/O in flight at this address.
    #[inline(always)]
    pub(super) fn is_of(&self, address: u64) -> bool {
        self.load() & !(STATE ^ BUSY) == address | BUSY
    }

    /// Whether the key is that of the I/O at this address, in this state.
    #[inline(always)]
    pub(in crate::acct) fn is(&self, address: u64, state: KeyState) -> bool {
        self.load() == address.wrapping_add(state as u64)
    }

    /// The state of the I/O in flight.
    pub(in crate::acct) fn state(&self) -> KeyState {
        match self.load() & STATE {
            WAITS => KeyState::Waits,
            RUNS => KeyState::Runs,
            _ => KeyState::General,
        }
    }

    /// Changes the state of the I/O in flight at this address. Its owner only.
    #[inline(always)]
    pub(in crate::acct) fn set(&self, address: u64, state: KeyState) {
        self.0.store(address.wrapping_add(state as u64), Relaxed);
    }

    /// The I/O at this address has ended.
    #[inline(always)]
    pub(in crate::acct) fn release(&self, address: u64) {
        // Release: pairs with the acquire of the next owner, whose writes come after these.
        self.0.store(address, Release);
    }

    /// The address of the I/O in flight.
    #[inline(always)]
    pub(in crate::acct) fn in_flight(&self) -> u64 {
        self.load() & !STATE
    }

    /// The I/O in flight has ended.
    #[inline(always)]
    pub(in crate::acct) fn release_in_flight(&self) {
        self.release(self.in_flight());
    }

    /// Takes an entry that has the key `old`, not a busy one.
    #[inline(always)]
    pub(super) fn take(&self, old: u64, key: u64) -> bool {
        self.exchange(old, key | BUSY)
    }

    /// Takes an entry whose last I/O was at the same address, for one in this state.
    #[inline(always)]
    pub(in crate::acct) fn take_again(&self, address: u64, state: KeyState) -> bool {
        self.exchange(address, address.wrapping_add(state as u64))
    }

    #[inline(always)]
    fn exchange(&self, old: u64, new: u64) -> bool {
        // Acquire: pairs with the release of the entry's last owner.
        self.0.compare_exchange(old, new, Acquire, Relaxed).is_ok()
    }
}

const WAITS: u64 = KeyState::Waits as u64;
const RUNS: u64 = KeyState::Runs as u64;

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_an_io_while_that_is_in_flight() {
        for state in [KeyState::General, KeyState::Waits, KeyState::Runs] {
            let key = Key::default();
            key.set(0x1000, state);
            assert_eq!(Key::split(key.load()), Some((0x1000, state)));
        }
        // An I/O that has ended, on either path; and no state that is ever stored.
        for state in [0, 2, 4, 6] {
            assert_eq!(Key::split(0x1000 | state), None);
        }
    }
}
