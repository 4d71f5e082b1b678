// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_clock)]
mod tests {
    use super::super::support::*;
    use crate::glue::clock::{
        check,
        now_ns, //
    };
    use kernel::time::{
        delay::fsleep,
        Delta, //
    };

    fn raw() -> u64 {
        // SAFETY: May be called in any context but NMI.
        unsafe { kernel::bindings::ktime_get_raw() as u64 }
    }

    #[test]
    fn it_is_the_raw_monotonic_clock() {
        // Both are computed from one counter, with multipliers that are rounded differently: the
        // rates differ by less than 1 in 10^6.
        let (before, now, after) = (raw(), now_ns(), raw());
        let off = after / 1_000_000;
        assert!(before <= now + off && now <= after + off);
    }

    #[test]
    fn looking_for_the_best_way_changes_nothing() {
        let (mut last, mut backwards) = (now_ns(), 0);
        for _ in 0..1000 {
            check();
            let now = now_ns();
            backwards += usize::from(now < last);
            last = now;
        }
        assert_eq!(backwards, 0);
    }

    #[test]
    fn it_goes_on_and_never_back() {
        let start = now_ns();
        let (mut last, mut backwards) = (start, 0);
        for _ in 0..10_000 {
            let now = now_ns();
            backwards += usize::from(now < last);
            last = now;
        }
        assert_eq!(backwards, 0);
        fsleep(Delta::from_millis(30));
        // The clock may have only the resolution of the tick, which is 4 ms here.
        assert!(now_ns() - start > 20_000_000);
    }

    #[test]
    fn all_cpus_are_on_the_same() {
        let (mut last, mut backwards) = (now_ns(), 0);
        for _ in 0..100 {
            for cpu in online_cpus() {
                let now = on_cpu(cpu, |_| now_ns()).unwrap_or(0);
                backwards += usize::from(now < last);
                last = now;
            }
        }
        assert_eq!(backwards, 0);
    }
}
