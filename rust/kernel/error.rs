// SPDX-License-Identifier: GPL-2.0

//! Errors that `kernel::error::code` does not have in every series.

use kernel::{
    bindings,
    error::Error, //
};

/// `ENAMETOOLONG`: since 7.3.
pub(crate) fn name_too_long() -> Error {
    Error::from_errno((bindings::ENAMETOOLONG as i32).wrapping_neg())
}

/// `EDEADLK`: likewise.
pub(crate) fn would_deadlock() -> Error {
    Error::from_errno((bindings::EDEADLK as i32).wrapping_neg())
}

/// `ESTALE`: likewise.
pub(crate) fn stale() -> Error {
    Error::from_errno((bindings::ESTALE as i32).wrapping_neg())
}
