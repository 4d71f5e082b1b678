// SPDX-License-Identifier: GPL-2.0

//! Times of an interval: the difference of two histograms, and its quantiles.

use iostat_map::layout::BUCKETS;
use iostat_map::Histogram;

/// The upper bounds of the buckets, ns. What is in the last bucket is longer than all of them.
pub type Bounds = [u64; BUCKETS - 1];

/// How many times were in each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    pub buckets: [u64; BUCKETS],
    /// The longest of all, if that is known: not of an interval.
    pub max: Option<u64>,
}

impl Default for Counts {
    fn default() -> Self {
        Counts {
            buckets: [0; BUCKETS],
            max: None,
        }
    }
}

/// A time that is known up to its bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpTo {
    /// No longer than so many ns.
    Ns(u64),
    /// Longer than all bounds.
    Beyond,
}

impl Counts {
    /// What came to `from` until `to`. Without `from`, all.
    pub fn between(from: Option<&Histogram>, to: &Histogram) -> Self {
        let Some(from) = from else {
            return Counts {
                buckets: to.counts,
                max: Some(to.max()),
            };
        };
        let pairs = to.counts.iter().zip(&from.counts);
        let mut counts = Counts::default();
        for (count, (to, from)) in counts.buckets.iter_mut().zip(pairs) {
            *count = to.saturating_sub(*from);
        }
        counts
    }

    pub fn add(&mut self, other: &Counts) {
        for (sum, own) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum = sum.saturating_add(*own);
        }
        self.max = self.max.max(other.max);
    }

    pub fn total(&self) -> u64 {
        self.buckets.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }

    /// The index of the bucket in which `percent` of all times are reached. `None` if there are no times.
    pub fn bucket(&self, percent: f64) -> Option<usize> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        // The rank from 1 on; of 0 % the first, of 100 % the last.
        let rank = ((percent / 100.0 * total as f64).ceil() as u64).clamp(1, total);
        let mut seen = 0u64;
        self.buckets.iter().position(|count| {
            seen = seen.saturating_add(*count);
            seen >= rank
        })
    }

    /// The quantile: the upper bound of the bucket in which `percent` of all times are reached. `None` if there are no
    /// times.
    pub fn quantile(&self, percent: f64, bounds: &Bounds) -> Option<UpTo> {
        Some(self.up_to(self.bucket(percent)?, bounds))
    }

    /// The upper bound of the last bucket that is not empty.
    pub fn longest(&self, bounds: &Bounds) -> Option<UpTo> {
        let last = self.buckets.iter().rposition(|count| *count != 0)?;
        Some(self.up_to(last, bounds))
    }

    fn up_to(&self, bucket: usize, bounds: &Bounds) -> UpTo {
        match (bounds.get(bucket), self.max) {
            (Some(bound), Some(max)) => UpTo::Ns(max.min(*bound)),
            (Some(bound), None) => UpTo::Ns(*bound),
            (None, Some(max)) => UpTo::Ns(max),
            (None, None) => UpTo::Beyond,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Those of the module: 2^(k/4) s from 238 ns on.
    pub fn bounds() -> Bounds {
        std::array::from_fn(|i| (2f64.powf((i as f64 - 88.0) / 4.0) * 1e9).round() as u64)
    }

    fn histogram(times: &[u64]) -> Histogram {
        let bounds = bounds();
        let mut counts = [0; BUCKETS];
        for time in times {
            counts[bounds.partition_point(|bound| bound < time)] += 1;
        }
        Histogram {
            counts,
            longest: times.iter().copied().max().unwrap_or(0),
            shortest_inverted: times.iter().min().map_or(0, |min| !min),
        }
    }

    #[test]
    fn nothing_has_no_quantile() {
        let counts = Counts::between(None, &histogram(&[]));
        assert_eq!(counts.quantile(50.0, &bounds()), None);
        assert_eq!(counts.longest(&bounds()), None);
    }

    #[test]
    fn beyond_all_bounds_only_the_maximum_is_known() {
        let (first, both) = (histogram(&[]), histogram(&[40_000_000_000]));
        let all = Counts::between(None, &both);
        assert_eq!(
            all.quantile(99.0, &bounds()),
            Some(UpTo::Ns(40_000_000_000))
        );
        let later = Counts::between(Some(&first), &both);
        assert_eq!(later.quantile(99.0, &bounds()), Some(UpTo::Beyond));
    }

    proptest! {
        /// The quantile of the interval's own times lies in the bucket whose bound is said.
        #[test]
        fn quantiles_are_of_the_interval(
            before in prop::collection::vec(1u64..60_000_000_000, 0..200),
            after in prop::collection::vec(1u64..60_000_000_000, 1..200),
            percent in 0f64..=100.0,
        ) {
            let bounds = bounds();
            let all: Vec<u64> = before.iter().chain(&after).copied().collect();
            let counts = Counts::between(Some(&histogram(&before)), &histogram(&all));
            prop_assert_eq!(counts.total(), after.len() as u64);
            let mut sorted = after.clone();
            sorted.sort_unstable();
            let rank = ((percent / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
            let exact = sorted[rank - 1];
            let bucket = bounds.partition_point(|bound| *bound < exact);
            let expected = bounds.get(bucket).map_or(UpTo::Beyond, |bound| UpTo::Ns(*bound));
            prop_assert_eq!(counts.quantile(percent, &bounds), Some(expected));
        }
    }
}
