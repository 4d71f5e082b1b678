// SPDX-License-Identifier: GPL-2.0

//! How the times of transactions are distributed.
//!
//! Bounds are 2^(k/4) seconds for whole k, rounded to ns: four to an octave, so that a bucket is
//! 19 % wide. They are those of Prometheus' native histograms of schema 2, which these can be
//! turned into without error. A time equal to a bound is below it.

use core::ops::Range;

use super::{
    base::Base,
    class::Class,
    counter::{
        Counter,
        Low, //
    },
    size::SizeBases,
};
use crate::{
    below::{
        Below,
        Bit,
        Eighth,
        EIGHTHS, //
    },
    hint::{
        keep_apart,
        opaque, //
    },
};

/// The first bound is 2^(-88/4) s, 238 ns; the last 2^(20/4) s, 32 s. One is enough for loom, which
/// has to track each bucket as a word.
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

/// For each eighth of an octave: the first bucket that a time in it can be in, and the bound above that. An
/// eighth is at most an eighth of its time wide and a bucket more, so a time is in this bucket or in the
/// next. A time above all bounds is behind a bound of 0.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const FIRST: ([Below<BOUNDS>; EIGHTHS], [u64; EIGHTHS]) = {
    let mut first = ([LAST; EIGHTHS], [0; EIGHTHS]);
    let mut eighth = Eighth::LEAST;
    while eighth <= Eighth::MOST {
        let lowest = Eighth::first(eighth);
        let mut bucket = 0;
        while bucket < BOUNDS && BOUNDS_NS[bucket] < lowest {
            bucket += 1;
        }
        if let Some(number) = Below::new(bucket) {
            first.0[eighth] = number;
            first.1[eighth] = BOUNDS_NS[bucket];
        }
        eighth += 1;
    }
    first
};

const LAST: Below<BOUNDS> = match Below::new(BOUNDS - 1) {
    Some(last) => last,
    None => panic!("there is a bound"),
};

// Two arrays, since then an index is a part of an instruction.
static FIRST_BUCKET: [Below<BOUNDS>; EIGHTHS] = FIRST.0;
static FIRST_BOUND: [u64; EIGHTHS] = FIRST.1;

/// The element for a time's bucket.
#[inline(always)]
pub(super) fn of_bucket<T>(time_ns: u64, buckets: &[T; BUCKETS]) -> &T {
    let eighth = Eighth::of(time_ns);
    let is_above = time_ns > *eighth.element(&FIRST_BOUND);
    eighth
        .element(&FIRST_BUCKET)
        .this_or_next(is_above, buckets)
}

/// The number of a time's bucket.
fn bucket(time_ns: u64) -> usize {
    let eighth = Eighth::of(time_ns);
    let is_above = time_ns > *eighth.element(&FIRST_BOUND);
    let first = eighth.element(&FIRST_BUCKET).number();
    first.wrapping_add(usize::from(is_above))
}

/// The buckets from that of the shortest time to that of the longest.
pub fn buckets_of((shortest, longest): (u64, u64)) -> Range<usize> {
    bucket(shortest)..bucket(longest).wrapping_add(1)
}

/// What a bucket is: [`Low`] on one CPU, `u64` added up.
pub trait Bucket: Default {
    /// The type of a time beside such buckets.
    type Time: Default;
}

impl Bucket for Low {
    type Time = Counter;
}

impl Bucket for u64 {
    type Time = u64;
}

/// Times of one kind, as seen by one CPU (`B` = [`Low`]) or added up (`B` = `u64`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Histogram<B: Bucket = Low> {
    /// How many there were, by bucket.
    pub counts: [B; BUCKETS],
    /// The shortest, ns, negated.
    shortest_negated: B::Time,
    /// How many whole ns there are from the shortest to the longest, both included: 0, as in new memory, if there was no
    /// time. So one comparison tests a time against both.
    span: B::Time,
}

impl<B: Bucket> Default for Histogram<B> {
    fn default() -> Self {
        Histogram {
            counts: core::array::from_fn(|_| B::default()),
            shortest_negated: B::Time::default(),
            span: B::Time::default(),
        }
    }
}

impl Histogram<Low> {
    /// Whether there was no time yet.
    pub fn is_empty(&self) -> bool {
        self.span.get() == 0
    }

    /// Records one time.
    #[inline(always)]
    pub fn record(&self, time_ns: u64) {
        of_bucket(time_ns, &self.counts).add_one();
        self.include(time_ns);
    }

    /// Includes this time in the shortest and the longest.
    #[inline(always)]
    fn include(&self, time_ns: u64) {
        let above_shortest = opaque(time_ns.wrapping_add(self.shortest_negated.own()));
        if above_shortest >= self.span.own() {
            // So that no register of the fast path is used for what follows.
            keep_apart();
            self.widen(above_shortest);
        }
    }

    /// Includes a time that is not from the shortest to the longest. (With times of 0 and of 2^64 - 1 ns, 584 years, the
    /// span would look like none.)
    #[inline(always)]
    fn widen(&self, above_shortest: u64) {
        if self.span.own() == 0 {
            self.shortest_negated.add(above_shortest.wrapping_neg());
            return self.span.set(1);
        }
        // For a time below the shortest, the difference wraps: it is 2^64 less their distance, and at least the shortest
        // negated.
        if above_shortest > self.shortest_negated.own().wrapping_sub(1) {
            // Reads both again, for want of registers.
            keep_apart();
            self.shortest_negated.add(above_shortest.wrapping_neg());
            return self.span.add(above_shortest.wrapping_neg());
        }
        self.span.set(above_shortest.wrapping_add(1));
    }
}

impl Histogram<Low> {
    /// Moves times from another histogram to this one: up to [`Base::STEP`] of each bucket. Returns whether some
    /// remain. Owner only.
    pub(super) fn absorb(&self, from: &mut Histogram<u64>) -> bool {
        let used = from.used();
        let counts = self.counts.get(used.clone()).unwrap_or(&[]);
        let mut remains = false;
        for (count, more) in counts
            .iter()
            .zip(from.counts.get_mut(used).unwrap_or(&mut []))
        {
            let step = (*more).min(u64::from(Base::STEP));
            // CAST: Not above it.
            count.add(step as u32);
            *more = more.wrapping_sub(step);
            remains |= *more != 0;
        }
        if let Some((shortest, longest)) = from.extremes() {
            self.include(shortest);
            self.include(longest);
        }
        remains
    }

    /// Replaces `copy` by a copy of this histogram. The caller does not use a copy that was made
    /// while the owner wrote.
    pub(super) fn copy_to(&self, bases: Option<&BasesOfOne>, copy: &mut Histogram<u64>) {
        copy.clear();
        copy.shortest_negated = self.shortest_negated.get();
        copy.span = self.span.get();
        if copy.span == 0 {
            return;
        }
        let used = copy.used();
        let counts = self.counts.get(used.clone()).unwrap_or(&[]);
        let copies = copy.counts.get_mut(used.clone()).unwrap_or(&mut []);
        match bases.and_then(|bases| bases.get(used)) {
            None => {
                for (copy, count) in copies.iter_mut().zip(counts) {
                    *copy = count.above(0);
                }
            }
            Some(bases) => {
                for ((copy, count), base) in copies.iter_mut().zip(counts).zip(bases) {
                    *copy = count.above(base.get());
                }
            }
        }
    }
}

type BasesOfOne = [Base; BUCKETS];

/// The bases of all histograms of a [`Latency`], and of the sizes of transactions of the same classes.
///
/// A bucket has the low 32 bits of its count. As long as the count is less than 2^31 away from its base, the two
/// are the whole count, whichever of them was read first. Without bases, all of them are 0.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Bases {
    times: [[OneBases; PHASES]; PAIR],
    sizes: SizeBases<PAIR>,
}

#[derive(Debug)]
#[repr(transparent)]
struct OneBases(BasesOfOne);

impl Default for OneBases {
    fn default() -> Self {
        OneBases(core::array::from_fn(|_| Base::default()))
    }
}

impl Bases {
    /// Brings each base to its count. To be called before a count has grown by [`Base::STEP`] since the last time, and by
    /// one caller at a time.
    pub fn follow(&self, latency: &Latency) {
        let bases = self.times.iter().flatten();
        for (bases, histogram) in bases.zip(latency.0.iter().flatten()) {
            for (base, count) in bases.0.iter().zip(&histogram.counts) {
                base.follow(count);
            }
        }
    }

    /// The bases of the sizes, by the number of the class in the [`Latency`].
    pub(super) fn sizes(&self) -> &SizeBases<PAIR> {
        &self.sizes
    }
}

impl Histogram<u64> {
    /// The buckets from that of the shortest time to that of the longest: all others are 0.
    pub fn used(&self) -> Range<usize> {
        self.extremes().map_or(0..0, buckets_of)
    }

    /// The counts of the used buckets.
    pub fn used_counts(&self) -> &[u64] {
        self.counts.get(self.used()).unwrap_or(&[])
    }

    /// Makes the histogram empty.
    pub fn clear(&mut self) {
        if self.span == 0 {
            return;
        }
        let used = self.used();
        self.counts.get_mut(used).unwrap_or(&mut []).fill(0);
        self.shortest_negated = 0;
        self.span = 0;
    }

    /// The shortest and the longest, ns, if there was a time.
    pub fn extremes(&self) -> Option<(u64, u64)> {
        let shortest = self.shortest_negated.wrapping_neg();
        let longest = shortest.wrapping_add(self.span).wrapping_sub(1);
        (self.span != 0).then_some((shortest, longest))
    }

    fn set_extremes(&mut self, (shortest, longest): (u64, u64)) {
        self.shortest_negated = shortest.wrapping_neg();
        self.span = longest.wrapping_sub(shortest).wrapping_add(1);
    }

    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        let Some((shortest, longest)) = other.extremes() else {
            return;
        };
        let used = buckets_of((shortest, longest));
        let counts = self.counts.get_mut(used.clone()).unwrap_or(&mut []);
        let more = other.counts.get(used).unwrap_or(&[]);
        for (count, more) in counts.iter_mut().zip(more) {
            *count = count.wrapping_add(*more);
        }
        let both = self.extremes().map_or((shortest, longest), |own| {
            (own.0.min(shortest), own.1.max(longest))
        });
        self.set_extremes(both);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        let add = |sum: u64, count: &u64| sum.wrapping_add(*count);
        self.used_counts().iter().fold(0, add)
    }

    /// The longest, ns; 0 if there was none.
    pub fn max(&self) -> u64 {
        self.extremes().map_or(0, |(_, longest)| longest)
    }

    /// The shortest, ns; 0 if there was none.
    pub fn min(&self) -> u64 {
        self.extremes().map_or(0, |(shortest, _)| shortest)
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

/// Classes whose histograms are in one [`Latency`].
pub const PAIR: usize = 2;

/// The times of completed transactions of two classes, by class and phase: of [`Class::Read`] and [`Class::Write`], or
/// of [`Class::NoData`] and [`Class::Free`].
#[derive(Debug, Default)]
#[repr(C)]
pub struct Latency([[Histogram; PHASES]; PAIR]);

/// Which of the two classes of a [`Latency`] a class is, and whether its histograms are rare ones.
const fn place_of(class: usize) -> (usize, bool) {
    match class {
        1 => (0, false),
        2 => (1, false),
        0 => (0, true),
        _ => (1, true),
    }
}

/// Whether the class is neither [`Class::Read`] nor [`Class::Write`].
pub const fn is_rare(class: usize) -> bool {
    place_of(class).1
}

impl Latency {
    /// Records the times of a transaction. The class is one of the two of this [`Latency`].
    #[inline(always)]
    pub fn record(&self, class: usize, total_ns: u64, service_ns: u64) {
        if let Some([wait, service, total]) = self.0.get(place_of(class).0) {
            wait.record(total_ns.wrapping_sub(service_ns));
            service.record(service_ns);
            total.record(total_ns);
        }
    }

    /// Records the times of a read or write. `self` is a part of `whole`, which the caller has in a register.
    #[inline(always)]
    pub(super) fn record_data<W>(&self, whole: &W, is_write: Bit, total_ns: u64, service_ns: u64) {
        let [wait, service, total] = is_write.half_within(whole, &self.0);
        // In this order, each time is in one register until it is recorded, and no more are needed.
        total.record(total_ns);
        wait.record(total_ns.wrapping_sub(service_ns));
        service.record(service_ns);
    }

    /// The times of one phase and one class, which is one of the two of this [`Latency`].
    pub fn of(&self, class: Class, phase: Phase) -> &Histogram {
        let [first, second] = &self.0;
        let phases = if place_of(class as usize).0 == 0 {
            first
        } else {
            second
        };
        let [wait, service, total] = phases;
        match phase {
            Phase::Wait => wait,
            Phase::Service => service,
            Phase::Total => total,
        }
    }
}

impl Bases {
    /// The bases of one class and phase.
    pub(super) fn of(&self, class: Class, phase: Phase) -> Option<&BasesOfOne> {
        let phases = self.times.get(place_of(class as usize).0)?;
        Some(&phases.get(phase as usize)?.0)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_histogram))]
mod tests {
    use super::*;

    #[test]
    fn phases_have_the_names_that_files_have() {
        assert_eq!(Phase::ALL.map(Phase::name), ["wait", "service", "total"]);
    }

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
        let buckets: [usize; BUCKETS] = core::array::from_fn(|bucket| bucket);
        let bucket = |time_ns| *of_bucket(time_ns, &buckets);
        assert_eq!(bucket(0), 0);
        for bit in 36..64 {
            assert_eq!(bucket(1 << bit), BOUNDS);
            assert_eq!(bucket(u64::MAX >> (63 - bit)), BOUNDS);
        }
        for (index, bound) in BOUNDS_NS.into_iter().enumerate() {
            assert_eq!(bucket(bound - 1), index);
            assert_eq!(bucket(bound), index);
            assert_eq!(bucket(bound + 1), index + 1);
        }
    }

    fn loaded(histogram: &Histogram<Low>) -> Histogram<u64> {
        let mut copy = Histogram::default();
        histogram.copy_to(None, &mut copy);
        copy
    }

    #[test]
    fn buckets_and_bases_are_the_whole_count() {
        let (latency, bases) = (Latency::default(), Bases::default());
        let read = |bases: Option<&Bases>| {
            let mut copy = Histogram::default();
            let of_class = bases.and_then(|bases| bases.of(Class::Write, Phase::Service));
            let histogram = latency.of(Class::Write, Phase::Service);
            histogram.copy_to(of_class, &mut copy);
            copy.count()
        };
        latency.record(Class::Write as usize, 3000, 1000);
        let [_, [_, service, _]] = &latency.0;
        let bucket = &service.counts[bucket(1000)];
        let mut count = 1u64;
        for _ in 0..40 {
            let without = (count < 1 << 31).then(|| read(None));
            assert!(without.is_none_or(|without| without == count));
            assert_eq!(read(Some(&bases)), count);
            bases.follow(&latency);
            assert_eq!(read(Some(&bases)), count);
            let step = (1 << 30) - 7;
            bucket.add(step);
            count += u64::from(step);
        }
        assert!(count > 1 << 35);
    }

    #[test]
    fn a_copy_replaces_what_was_there() {
        let (one, two) = (Histogram::<Low>::default(), Histogram::default());
        one.record(500);
        one.record(10_000);
        two.record(u64::MAX - 1);
        let mut copy = loaded(&one);
        assert_eq!(
            (copy.count(), copy.used().len()),
            (2, bucket(10_000) - bucket(500) + 1)
        );
        two.copy_to(None, &mut copy);
        assert_eq!((copy.count(), copy.used()), (1, BOUNDS..BUCKETS));
        assert_eq!(copy, loaded(&two));
        assert_eq!(copy.counts.iter().sum::<u64>(), 1);
    }

    #[test]
    fn the_shortest_and_the_longest_of_any_times() {
        let longest = u64::MAX - 1;
        let times = [0, 1, 238, 239, longest - 1, longest];
        // Each of these in each place of three: as the first, as a new extreme, and in between.
        for first in times {
            for second in times {
                for third in times {
                    let histogram = Histogram::<Low>::default();
                    assert!(histogram.is_empty());
                    let mut seen = [first; 3];
                    for (index, time) in [first, second, third].into_iter().enumerate() {
                        seen[index..].fill(time);
                        histogram.record(time);
                        let copy = loaded(&histogram);
                        let extremes = (seen.into_iter().min(), seen.into_iter().max());
                        assert_eq!((Some(copy.min()), Some(copy.max())), extremes);
                        assert!(!histogram.is_empty());
                    }
                }
            }
        }
    }

    #[test]
    fn counts_and_extremes_of_two_cpus() {
        let (one, two) = (Histogram::<Low>::default(), Histogram::default());
        let mut sum = loaded(&one);
        assert_eq!((sum.count(), sum.min(), sum.max()), (0, 0, 0));
        one.record(500);
        one.record(10_000);
        two.record(0);
        sum.fold(&loaded(&one));
        assert_eq!((sum.count(), sum.min(), sum.max()), (2, 500, 10_000));
        sum.fold(&loaded(&two));
        assert_eq!((sum.count(), sum.min(), sum.max()), (3, 0, 10_000));
    }

    #[test]
    fn what_a_bucket_does_not_take_at_a_time_remains() {
        let histogram = Histogram::<Low>::default();
        let mut more = Histogram::<u64>::default();
        more.set_extremes((500, 10_000));
        // The first has more than the last.
        more.counts[bucket(500)] = 2 * u64::from(Base::STEP) + 1;
        more.counts[bucket(10_000)] = 1;
        assert!(histogram.absorb(&mut more));
        assert_eq!(more.counts[bucket(10_000)], 0);
        assert!(histogram.absorb(&mut more));
        assert!(!histogram.absorb(&mut more));
        assert_eq!(more.counts.iter().sum::<u64>(), 0);
    }

    #[test]
    fn a_histogram_is_empty_until_a_time_is_recorded() {
        for time_ns in [0, 1, u64::MAX - 1] {
            let histogram = Histogram::<Low>::default();
            assert!(histogram.is_empty());
            histogram.record(time_ns);
            assert!(!histogram.is_empty());
        }
    }

    #[test]
    fn the_longest_time_is_longer_than_any() {
        let histogram = Histogram::<Low>::default();
        for time_ns in [5, u64::MAX, 4] {
            histogram.record(time_ns);
        }
        let mut copy = Histogram::default();
        histogram.copy_to(None, &mut copy);
        assert_eq!(copy.extremes(), Some((4, u64::MAX)));
    }
}
