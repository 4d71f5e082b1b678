// SPDX-License-Identifier: GPL-2.0

//! Errors in the options, which have an exit status of their own, as those that clap finds.

use anyhow::Error;
use std::fmt::{self, Display, Formatter};

/// What is wrong with the value of an option.
#[derive(Debug)]
struct Usage(String);

impl Display for Usage {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// The error that says so.
pub fn usage(message: impl Display) -> Error {
    Error::new(Usage(message.to_string()))
}

/// The exit status of an error.
pub fn status(error: &Error) -> u8 {
    match error.is::<Usage>() {
        true => 2,
        false => 1,
    }
}
