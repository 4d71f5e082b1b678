// SPDX-License-Identifier: GPL-2.0

//! Errors that `kernel::error::code` does not define in every supported series.

use kernel::{
    bindings,
    error::Error, //
};

/// `ENAMETOOLONG`, which the crate defines since 7.3.
pub(crate) fn name_too_long() -> Error {
    Error::from_errno((bindings::ENAMETOOLONG as i32).wrapping_neg())
}

/// `EDEADLK`, which the crate defines since 7.3.
pub(crate) fn would_deadlock() -> Error {
    Error::from_errno((bindings::EDEADLK as i32).wrapping_neg())
}

/// `ESTALE`, which the crate defines since 7.3.
pub(crate) fn stale() -> Error {
    Error::from_errno((bindings::ESTALE as i32).wrapping_neg())
}
