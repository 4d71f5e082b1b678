// SPDX-License-Identifier: GPL-2.0

//! The structures of `IOSTAT_IOC_HISTOGRAMS`.

use crate::acct::{
    class::Class,
    histogram::{
        Histogram,
        Phase,
        PHASES, //
    },
    size::SIZES,
};

/// `struct iostat_latency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceLatency {
    pub number: u32,
    pub class: u32,
    pub phase: u32,
    pub first_bucket: u32,
    pub buckets: u32,
    pub first_count: u32,
    pub min: u64,
    pub max: u64,
}

/// `IOSTAT_PHASE_OF_SIZES`.
pub const PHASE_OF_SIZES: u32 = PHASES as u32;

impl DeviceLatency {
    /// Describes the sizes of a class of the device `number`, whose counts, which are all of `counts`, begin at
    /// `first_count`.
    pub fn of_sizes(number: u32, class: Class, counts: &[u64; SIZES], first_count: u32) -> Self {
        DeviceLatency {
            number,
            class: class as u32,
            phase: PHASE_OF_SIZES,
            first_bucket: 0,
            // CAST: 23.
            buckets: counts.len() as u32,
            first_count,
            min: 0,
            max: 0,
        }
    }

    /// Describes a histogram of the device `number`, whose counts begin at `first_count`.
    pub fn new(
        number: u32,
        (class, phase): (Class, Phase),
        histogram: &Histogram<u64>,
        first_count: u32,
    ) -> Self {
        let used = histogram.used();
        DeviceLatency {
            number,
            class: class as u32,
            phase: phase as u32,
            // CAST: Up to a hundred.
            first_bucket: used.start as u32,
            // CAST: Up to a hundred.
            buckets: histogram.used_counts().len() as u32,
            first_count,
            min: histogram.min(),
            max: histogram.max(),
        }
    }
}

/// `struct iostat_histograms`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct GetHistograms {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub which: u32,
    pub snapshot_size: u32,
    pub snapshot_count: u32,
    pub latency_size: u32,
    pub latency_count: u32,
    pub count_count: u32,
    pub reserved: u32,
    pub generation: u64,
    pub snapshots: u64,
    pub latencies: u64,
    pub counts: u64,
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::macros::kunit_tests(iostat_binary_histograms)
)]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn structures_of_histograms_have_the_sizes_of_version_1() {
        assert_eq!(size_of::<DeviceLatency>(), 40);
        assert_eq!(size_of::<GetHistograms>(), 72);
    }

    #[test]
    fn a_histogram_of_sizes_has_all_buckets_and_no_extremes() {
        let expected = DeviceLatency {
            number: 9,
            class: 3,
            phase: 3,
            first_bucket: 0,
            buckets: SIZES as u32,
            first_count: 44,
            min: 0,
            max: 0,
        };
        let found = DeviceLatency::of_sizes(9, Class::Free, &[5; SIZES], 44);
        assert_eq!(found, expected);
    }
}
