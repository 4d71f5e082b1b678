// SPDX-License-Identifier: GPL-2.0

//! The age of the oldest of some I/Os in flight.

/// When the oldest I/O in flight of those that were seen was accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oldest {
    /// Inverted, so that the earliest is the largest; 0 if none was seen.
    start_inverted: u64,
}

impl Oldest {
    /// Includes an I/O that was accepted at `start_ns`.
    #[inline(always)]
    pub fn see(&mut self, start_ns: u64) {
        self.start_inverted = self.start_inverted.max(!start_ns);
    }

    /// The age of the oldest at `now`, ns, at least 1; 0 if none was seen. (Clocks of CPUs may differ by some
    /// ns.)
    pub fn age_ns(self, now: u64) -> u64 {
        match self.start_inverted {
            0 => 0,
            inverted => now.saturating_sub(!inverted).max(1),
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_oldest))]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_all_is_the_oldest() {
        let mut oldest = Oldest::default();
        assert_eq!(oldest.age_ns(1000), 0);
        for (start_ns, age_ns) in [(900, 100), (950, 100), (300, 700), (301, 700)] {
            oldest.see(start_ns);
            assert_eq!(oldest.age_ns(1000), age_ns);
        }
        // One that has just started, by the clock of a CPU that is ahead.
        assert_eq!((oldest.age_ns(300), oldest.age_ns(299)), (1, 1));
        oldest.see(0);
        assert_eq!(oldest.age_ns(1000), 1000);
    }
}
