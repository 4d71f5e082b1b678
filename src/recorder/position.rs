// SPDX-License-Identifier: GPL-2.0

//! Positions in the list of disks and partitions.

use crate::abi::identity::Identity;

/// A position in the list, which is sorted by priority, high to low, and then by number. The position of an account
/// that was removed is never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position(u64);

impl Position {
    /// The position before the first.
    pub(crate) const FIRST: Position = Position(0);

    pub(crate) fn of(identity: &Identity) -> Self {
        let (priority, number) = (identity.priority, identity.number);
        Position(u64::from(!priority) << 32 | u64::from(number))
    }

    /// The next position.
    pub(crate) fn next(self) -> Self {
        Position(self.0.saturating_add(1))
    }
}
