// SPDX-License-Identifier: GPL-2.0

//! The module's histograms as those of Prometheus, classic and native. No count is converted.
//!
//! A native histogram of schema 2 has the bounds 2^(k/4) s, as the module's have, which are rounded to whole ns. So a
//! time, which is a whole number of ns, is on the same side of both bounds; but for a time of exactly a bound that was
//! rounded up, by less than half a ns.
//!
//! Histograms of sizes have no native ones. A bucket of the module begins with a power of two, one of schema 0 ends with it:
//! most I/Os are exactly that large, and would be in the wrong bucket.

use super::family::{Sizes, Times};
use crate::cli::export::Buckets;
use crate::quantile::Bounds;
use crate::size::most_bytes;
use anyhow::{bail, Result};
use iostat_map::layout::{BUCKETS, SIZES};

/// Of native histograms: four buckets for an octave.
pub const SCHEMA: i32 = 2;
/// The index, in a native histogram, of the bucket below the module's first bound: 2^(-88/4) s.
const FIRST: i32 = -88;
/// Times up to this are in the zero bucket, s: the module's first bound.
pub const ZERO_THRESHOLD: f64 = 1.0 / (1u64 << 22) as f64;
/// The index of the bucket above all numbers, 2^(4096/4): the module's last bucket has no upper bound either.
const BEYOND: i32 = 4097;

/// An error if the module's bounds are not those of [`SCHEMA`].
pub fn check(bounds: &Bounds) -> Result<()> {
    for (index, bound) in bounds.iter().enumerate() {
        let exact_ns = exact(index) * 1e9;
        if (*bound as f64 - exact_ns).abs() > 0.5001 {
            bail!("the module's histograms have other bounds than ioscope knows");
        }
    }
    Ok(())
}

/// The bound that `index` of the module's was rounded from, s.
fn exact(index: usize) -> f64 {
    f64::from(FIRST + index as i32).mul_add(0.25, 0.0).exp2()
}

/// The buckets of classic histograms: indices of the module's bounds.
#[derive(Clone, Debug, Default)]
pub struct Classic {
    pub of_times: Vec<usize>,
    pub of_sizes: Vec<usize>,
}

pub fn classic(buckets: Buckets) -> Classic {
    const LAST: usize = BUCKETS - 2;
    const LAST_SIZE: usize = SIZES - 2;
    match buckets {
        Buckets::Coarse => Classic {
            of_times: (8..LAST).step_by(8).chain([LAST]).collect(),
            of_sizes: (0..LAST_SIZE).step_by(2).chain([LAST_SIZE]).collect(),
        },
        Buckets::All => Classic {
            of_times: (0..=LAST).collect(),
            of_sizes: (0..=LAST_SIZE).collect(),
        },
        Buckets::None => Classic::default(),
    }
}

/// How many times were not above each of these bounds, ns, in ascending order.
pub fn cumulative<'a>(
    times: &Times<'a>,
    classic: &'a Classic,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let bounds = times.bounds;
    let sums = sums(&times.histogram.counts, &classic.of_times);
    sums.map(|(index, sum)| (bounds[index], sum))
}

/// How many sizes were not above each of these bounds, bytes, in ascending order.
pub fn cumulative_sizes<'a>(
    sizes: &Sizes<'a>,
    classic: &'a Classic,
) -> impl Iterator<Item = (u64, u64)> + 'a {
    let sums = sums(sizes.counts, &classic.of_sizes);
    sums.filter_map(|(index, sum)| Some((most_bytes(index)?, sum)))
}

/// The sum of all counts up to each of these buckets, with its index.
fn sums<'a>(counts: &'a [u64], classic: &'a [usize]) -> impl Iterator<Item = (usize, u64)> + 'a {
    let (mut next, mut sum) = (0, 0u64);
    classic.iter().map(move |index| {
        for count in &counts[next..=*index] {
            sum = sum.saturating_add(*count);
        }
        next = index + 1;
        (*index, sum)
    })
}

/// A native histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Native {
    pub zero_count: u64,
    /// Runs of buckets that are not empty: how many buckets were left out before, and how many there are. The first
    /// run says its index.
    pub spans: Vec<(i32, u32)>,
    /// Of each bucket, how much more it has than the one before.
    pub deltas: Vec<i64>,
}

pub fn native(counts: &[u64; BUCKETS]) -> Native {
    let mut native = Native {
        zero_count: counts[0],
        ..Native::default()
    };
    // Of the next bucket of the run, and what the last one has.
    let (mut next, mut before) = (0i32, 0i64);
    for (number, count) in counts.iter().enumerate().skip(1) {
        if *count == 0 {
            continue;
        }
        let index = match number {
            last if last == BUCKETS - 1 => BEYOND,
            number => FIRST + number as i32,
        };
        match native.spans.last_mut() {
            Some((_, len)) if index == next => *len += 1,
            _ => native.spans.push((index - next, 1)),
        }
        next = index + 1;
        let count = i64::try_from(*count).unwrap_or(i64::MAX);
        native.deltas.push(count.saturating_sub(before));
        before = count;
    }
    native
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantile::tests::bounds;
    use iostat_map::least_bytes;
    use proptest::prelude::*;

    /// The indices and counts that Prometheus has of a native histogram.
    fn expand(native: &Native) -> Vec<(i32, i64)> {
        let (mut index, mut count) = (0, 0);
        let mut deltas = native.deltas.iter();
        let mut all = Vec::new();
        for (offset, len) in &native.spans {
            index += offset;
            for _ in 0..*len {
                count += deltas.next().copied().unwrap_or_default();
                all.push((index, count));
                index += 1;
            }
        }
        assert_eq!(deltas.next(), None);
        all
    }

    /// The bucket that Prometheus' libraries count a time in.
    fn prometheus_index(ns: u64) -> i32 {
        ((ns as f64 / 1e9).log2() * 4.0).ceil() as i32
    }

    fn bucket(ns: u64) -> usize {
        bounds().partition_point(|bound| *bound < ns)
    }

    #[test]
    fn bounds_are_those_of_schema_2() {
        assert!(check(&bounds()).is_ok());
        let mut other = bounds();
        other[50] += 2;
        assert!(check(&other).is_err());
        assert_eq!(ZERO_THRESHOLD, exact(0));
        for (index, bound) in bounds().iter().enumerate() {
            // One ns to each side.
            assert_eq!(bucket(bound - 1), index, "{bound}");
            assert_eq!(bucket(bound + 1), index + 1, "{bound}");
            assert_eq!(prometheus_index(bound - 1), FIRST + index as i32, "{bound}");
            assert_eq!(
                prometheus_index(bound + 1),
                FIRST + index as i32 + 1,
                "{bound}"
            );
        }
    }

    #[test]
    fn classic_buckets_are_some_of_the_modules() {
        let ns = |set| {
            classic(set)
                .of_times
                .iter()
                .map(|i| bounds()[*i])
                .collect::<Vec<_>>()
        };
        let coarse = ns(Buckets::Coarse);
        assert_eq!(
            (coarse.len(), coarse[0], coarse[12]),
            (14, 954, 16_000_000_000)
        );
        assert_eq!(coarse[13], 32_000_000_000);
        assert_eq!(ns(Buckets::All), bounds());
        assert_eq!(ns(Buckets::None), [0u64; 0]);
    }

    #[test]
    fn classic_buckets_of_sizes_are_some_of_the_modules() {
        let bytes = |set| {
            classic(set)
                .of_sizes
                .iter()
                .filter_map(|i| most_bytes(*i))
                .collect::<Vec<_>>()
        };
        let coarse = bytes(Buckets::Coarse);
        assert_eq!((coarse.len(), &coarse[..3]), (12, &[1023, 4095, 16383][..]));
        assert_eq!(coarse[10..], [(1 << 30) - 1, (1 << 31) - 1]);
        let all = bytes(Buckets::All);
        assert_eq!(
            (all.len(), &all[..3], all[21]),
            (22, &[1023, 2047, 4095][..], (1 << 31) - 1)
        );
        assert_eq!(bytes(Buckets::None), [0u64; 0]);
    }

    proptest! {
        /// Each time is in the native bucket that Prometheus' own rule says.
        #[test]
        fn times_are_in_the_bucket_of_their_index(ns in 239u64..32_000_000_000) {
            let (number, index) = (bucket(ns), prometheus_index(ns));
            let is_bound = bounds().contains(&ns);
            prop_assert!(is_bound || index == FIRST + number as i32, "{} {} {}", ns, number, index);
        }

        /// No count is lost or moved.
        #[test]
        fn native_histograms_have_all_counts(
            filled in prop::collection::vec((0..BUCKETS, 1u64..1 << 53), 0..60)
        ) {
            let mut counts = [0u64; BUCKETS];
            for (bucket, count) in filled {
                counts[bucket] = count;
            }
            let native = native(&counts);
            prop_assert_eq!(native.zero_count, counts[0]);
            let mut back = [0u64; BUCKETS];
            back[0] = native.zero_count;
            for (index, count) in expand(&native) {
                let number = match index {
                    BEYOND => BUCKETS - 1,
                    index => (index - FIRST) as usize,
                };
                back[number] = count as u64;
            }
            prop_assert_eq!(back, counts);
        }

        /// The last bucket of all has what is not above the last bound.
        #[test]
        fn classic_buckets_have_all_counts(counts in prop::collection::vec(0u64..1 << 40, BUCKETS)) {
            let mut histogram = iostat_map::Histogram {
                counts: [0; BUCKETS],
                longest: 1,
                shortest_inverted: !1,
            };
            histogram.counts.copy_from_slice(&counts);
            let bounds = bounds();
            let times = Times { histogram: &histogram, bounds: &bounds, sum_ns: None };
            for classic in [Buckets::Coarse, Buckets::All].map(classic) {
                for (bound, sum) in cumulative(&times, &classic) {
                    let below = counts.iter().zip(&bounds).filter(|(_, b)| **b <= bound);
                    prop_assert_eq!(sum, below.map(|(count, _)| count).sum::<u64>());
                }
            }
        }

        /// Each size is in the buckets of the bounds that it is not above, and in no other.
        #[test]
        fn classic_buckets_of_sizes_have_all_sizes(sizes in prop::collection::vec(0u64..1 << 33, 1..50)) {
            let mut counts = [0u64; SIZES];
            for size in &sizes {
                let bucket = (1..SIZES).rfind(|bucket| least_bytes(*bucket) <= *size);
                counts[bucket.unwrap_or(0)] += 1;
            }
            let sum = sizes.iter().sum();
            for classic in [Buckets::Coarse, Buckets::All].map(classic) {
                for (bound, count) in cumulative_sizes(&Sizes { counts: &counts, sum }, &classic) {
                    let below = sizes.iter().filter(|size| **size <= bound);
                    prop_assert_eq!(count, below.count() as u64);
                }
            }
        }
    }
}
