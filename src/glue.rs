// SPDX-License-Identifier: GPL-2.0

//! Floor 1: binds [`crate::kernel_ext`] to this module.
//!
//! It implements traits of `kernel_ext` for types of floor 0, wraps the C files in `src/hooks` and `src/io`, and checks
//! at compile time that floor 0 has the numbers and layouts of the headers.

/// Checks that functions which C calls have the types that the headers declare.
macro_rules! same_types {
    ($($function:ident),*) => {
        $(const _: () = {
            let _ = if true { $crate::glue::bindings::$function } else { $function };
        };)*
    };
}

pub(crate) mod bindings;
pub(crate) mod cgroups;
pub(crate) mod chain;
pub(crate) mod clock;
#[cfg(target_arch = "x86_64")]
pub(crate) mod fast;
mod file_texts;
pub(crate) mod general;
pub(crate) mod io_events;
pub(crate) mod kstat;
pub(crate) mod lookup;
mod mounts;
pub(crate) mod nfs;
mod numbers;
pub(crate) mod peek;
pub(crate) mod print;
pub(crate) mod records;
pub(crate) mod region_areas;
mod request;
mod string;
pub(crate) mod submitter;
mod sysfs;
pub(crate) mod tag_waits;
mod uapi;
pub(crate) mod upkeep;
pub(crate) mod waits;
mod zeroed;
