// SPDX-License-Identifier: GPL-2.0

//! How the times of transactions are distributed.
//!
//! Bounds are 2^(k/4) seconds for whole k, rounded to ns: four to an octave, so that a bucket is
//! 19 % wide. They are those of Prometheus' native histograms of schema 2, which these can be
//! turned into without error. A time equal to a bound is below it.

use super::{
    class::{
        Class,
        CLASSES, //
    },
    counter::{
        fold,
        Counter,
        Load, //
    },
};

/// The first bound is 2^(-88/4) s, 238 ns; the last 2^(20/4) s, 32 s. One is enough for loom, to
/// which each bucket is a word to follow.
const FIRST_QUARTER: i32 = -88;
const LAST_QUARTER: i32 = if cfg!(loom) { FIRST_QUARTER } else { 20 };

/// Bounds between the buckets.
pub const BOUNDS: usize = (LAST_QUARTER - FIRST_QUARTER + 1) as usize;

/// Buckets: one below each bound, and one for all that is longer.
pub const BUCKETS: usize = BOUNDS + 1;

/// 10^30 times 2^(0/4), 2^(1/4), 2^(2/4), 2^(3/4).
const ROOTS: [u128; 4] = [
    1_000_000_000_000_000_000_000_000_000_000,
    1_189_207_115_002_721_066_717_499_970_560,
    1_414_213_562_373_095_048_801_688_724_210,
    1_681_792_830_507_429_086_062_250_952_466,
];

/// 2^(quarter/4) s in ns.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "evaluated by the compiler"
)]
const fn bound(quarter: i32) -> u64 {
    let root = ROOTS[quarter.rem_euclid(4) as usize];
    let octave = quarter.div_euclid(4);
    let divisor = 1_000_000_000_000_000_000_000;
    let (root, divisor) = if octave < 0 {
        (root, divisor << -octave)
    } else {
        (root << octave, divisor)
    };
    ((root + divisor / 2) / divisor) as u64
}

/// The bounds, ns: bucket `i` holds times above bound `i - 1` and up to bound `i`.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub static BOUNDS_NS: [u64; BOUNDS] = {
    let mut bounds = [0; BOUNDS];
    let mut index = 0;
    while index < BOUNDS {
        bounds[index] = bound(FIRST_QUARTER + index as i32);
        index += 1;
    }
    bounds
};

/// Cells into which [`bucket`] cuts all times: eight to a power of two, by the number of leading
/// zeros and the three bits behind the first one. From 8 ns on, for there is no bound below; the
/// last ones are for no time at all, and spare a comparison.
const CELLS: usize = 64 * 8;

/// The first bucket a time of each cell can be in, and the bound above that. A cell is at most an
/// eighth wide and a bucket more, so a time is in this bucket or in the next.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static FIRST_OF_CELL: [(u64, u8); CELLS] = {
    let mut first = [(u64::MAX, BOUNDS as u8); CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let lowest = ((8 + cell as u64 % 8) << 60) >> (cell / 8);
        let mut bucket = 0;
        while bucket < BOUNDS && BOUNDS_NS[bucket] < lowest {
            bucket += 1;
        }
        if bucket < BOUNDS {
            first[cell] = (BOUNDS_NS[bucket], bucket as u8);
        }
        cell += 1;
    }
    first
};

/// The bucket of a time.
#[inline(always)]
fn bucket(time_ns: u64) -> usize {
    // With a bit set there is a highest one.
    let at_least_8 = time_ns | 8;
    let zeros = at_least_8.leading_zeros();
    // CAST: Four bits, of which the first is set.
    let eighth = (at_least_8.wrapping_shl(zeros) >> 60) as usize;
    let cell = (zeros as usize).wrapping_mul(8) | eighth & 7;
    match FIRST_OF_CELL.get(cell & (CELLS - 1)) {
        Some((bound, first)) => usize::from(*first).wrapping_add(usize::from(time_ns > *bound)),
        None => BOUNDS,
    }
}

/// Times of one kind, as seen by one CPU (`W` = [`Counter`]) or added up (`W` = `u64`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Histogram<W = Counter> {
    /// How many there were, by bucket.
    pub counts: [W; BUCKETS],
    /// The longest, ns.
    longest: W,
    /// The shortest, ns, with all bits inverted: zero is none, as memory begins.
    shortest_inverted: W,
}

impl<W: Default> Default for Histogram<W> {
    fn default() -> Self {
        Histogram {
            counts: core::array::from_fn(|_| W::default()),
            longest: W::default(),
            shortest_inverted: W::default(),
        }
    }
}

impl Histogram<Counter> {
    /// Whether there was no time yet. (The longest of all would look like none; it is 584 years.)
    pub fn is_empty(&self) -> bool {
        self.shortest_inverted.get() == 0
    }

    /// One more time.
    #[inline(always)]
    pub fn record(&self, time_ns: u64) {
        if let Some(count) = self.counts.get(bucket(time_ns)) {
            count.add(1);
        }
        if time_ns > self.longest.get() {
            self.longest.set(time_ns);
        }
        if !time_ns > self.shortest_inverted.get() {
            self.shortest_inverted.set(!time_ns);
        }
    }
}

impl Load for Histogram<Counter> {
    type Plain = Histogram<u64>;

    fn load(&self) -> Histogram<u64> {
        Histogram {
            counts: self.counts.load(),
            longest: self.longest.get(),
            shortest_inverted: self.shortest_inverted.get(),
        }
    }
}

impl Histogram<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        fold(&mut self.counts, &other.counts);
        self.longest = self.longest.max(other.longest);
        self.shortest_inverted = self.shortest_inverted.max(other.shortest_inverted);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// The longest, ns; 0 if there was none.
    pub fn max(&self) -> u64 {
        self.longest
    }

    /// The shortest, ns; 0 if there was none.
    pub fn min(&self) -> u64 {
        if self.shortest_inverted == 0 {
            0
        } else {
            !self.shortest_inverted
        }
    }
}

/// A part of a transaction's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// In the wait queue.
    Wait = 0,
    /// In the run queue.
    Service = 1,
    /// From start to end.
    Total = 2,
}

/// Phases there are.
pub const PHASES: usize = 3;

impl Phase {
    /// All phases in the order of their numbers.
    pub const ALL: [Phase; PHASES] = [Phase::Wait, Phase::Service, Phase::Total];

    /// The word used in file names and text.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Wait => "wait",
            Phase::Service => "service",
            Phase::Total => "total",
        }
    }
}

/// The times of all completed transactions of one disk, by class and phase.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Latency([[Histogram; PHASES]; CLASSES]);

impl Latency {
    /// One more transaction.
    #[inline(always)]
    pub fn record(&self, class: usize, total_ns: u64, service_ns: u64) {
        if let Some([wait, service, total]) = self.0.get(class) {
            wait.record(total_ns.wrapping_sub(service_ns));
            service.record(service_ns);
            total.record(total_ns);
        }
    }

    /// The times of one class and phase.
    pub fn of(&self, class: Class, phase: Phase) -> &Histogram {
        let [class_none, ..] = &self.0;
        let phases = self.0.get(class as usize).unwrap_or(class_none);
        let [wait, service, total] = phases;
        match phase {
            Phase::Wait => wait,
            Phase::Service => service,
            Phase::Total => total,
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_histogram))]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_powers_of_two_in_quarters() {
        assert_eq!((BOUNDS_NS[0], BOUNDS_NS[BOUNDS - 1]), (238, 32_000_000_000));
        // 2^-20 s, 2^-0.75 s, 1 s, 2^0.25 s.
        assert_eq!(BOUNDS_NS[8], 954);
        assert_eq!(BOUNDS_NS[85], 594_603_558);
        assert_eq!(BOUNDS_NS[88], 1_000_000_000);
        assert_eq!(BOUNDS_NS[89], 1_189_207_115);
        for octave in BOUNDS_NS.windows(5) {
            assert!(octave[4].abs_diff(octave[0] * 2) <= 1);
        }
    }

    #[test]
    fn a_time_is_above_the_bound_below_and_not_above_its_own() {
        assert_eq!(bucket(0), 0);
        assert_eq!(bucket(u64::MAX), BOUNDS);
        for (index, bound) in BOUNDS_NS.into_iter().enumerate() {
            assert_eq!(bucket(bound - 1), index);
            assert_eq!(bucket(bound), index);
            assert_eq!(bucket(bound + 1), index + 1);
        }
    }

    #[test]
    fn counts_and_extremes_of_two_cpus() {
        let (one, two) = (Histogram::<Counter>::default(), Histogram::default());
        let mut sum = one.load();
        assert_eq!((sum.count(), sum.min(), sum.max()), (0, 0, 0));
        one.record(500);
        one.record(10_000);
        two.record(0);
        sum.fold(&one.load());
        assert_eq!((sum.count(), sum.min(), sum.max()), (2, 500, 10_000));
        sum.fold(&two.load());
        assert_eq!((sum.count(), sum.min(), sum.max()), (3, 0, 10_000));
    }
}
