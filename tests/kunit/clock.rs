// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_clock)]
mod tests {
    use super::super::support::*;
    use crate::kernel_ext::clock::now_ns;
    use kernel::time::{
        delay::fsleep,
        ClockSource,
        Delta,
        Monotonic, //
    };

    #[test]
    fn it_is_the_monotonic_clock() {
        let before = Monotonic::ktime_get();
        let now = now_ns();
        let after = Monotonic::ktime_get();
        assert!(before as u64 <= now && now <= after as u64);
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
        // With no better clock than the tick, which is 4 ms here.
        assert!(now_ns() - start > 20_000_000);
    }

    #[test]
    fn all_cpus_are_on_the_same() {
        let (mut last, mut backwards) = (now_ns(), 0);
        for _ in 0..100 {
            for cpu in online_cpus() {
                let now = on_cpu(cpu, now_ns).unwrap_or(0);
                backwards += usize::from(now < last);
                last = now;
            }
        }
        assert_eq!(backwards, 0);
    }
}
