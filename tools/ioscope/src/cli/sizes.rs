// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope sizes`.

use super::{Class, Common, When};
use clap::Args;

#[derive(Args, Clone, Debug)]
pub struct Sizes {
    /// Only these classes: read, write, free
    #[arg(
        short,
        long = "class",
        value_enum,
        value_delimiter = ',',
        value_name = "CLASS"
    )]
    pub classes: Vec<Class>,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub when: When,
}
