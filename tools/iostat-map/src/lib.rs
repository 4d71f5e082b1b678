// SPDX-License-Identifier: GPL-2.0 OR MIT

//! Reads the statistics of disks without a system call, unless partitions come or go: the memory of `/dev/iostat`, mapped.
//! And by its calls.
//!
//! ```no_run
//! let file = iostat_map::File::open("/dev/iostat")?;
//! for device in file.devices()? {
//!     let mut disk = file.map(device.map_offset)?;
//!     println!("{} {:?}", device.written_name(), disk.snapshot()?.operations);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What each member means, and why the way of reading is right: `Documentation/abi.rst`.

#![deny(unsafe_op_in_unsafe_fn)]

mod arguments;
mod calls;
mod clock;
/// The module counts by the same table.
#[path = "../../../src/acct/counts.rs"]
pub mod counts;
mod file;
mod histograms;
pub mod layout;
mod reader;
mod sum;

pub use arguments::{Cgroup, KstatHeader, KstatValue, Latency};
pub use calls::{Chain, Devices, Kstat};
pub use file::{Disk, File};
pub use histograms::{least_bytes, which, which_sizes, Histograms, ALL_HISTOGRAMS, ALL_TIMES};
pub use layout::{Device, Histogram, Snapshot, NO_DEVICE, SIZES};
pub use reader::Block;
