// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_interrupt)]
mod tests {
    use super::super::support::*;
    use crate::kernel_ext::interrupt::InterruptsOff;

    #[test]
    fn off_for_as_long_as_it_lives() {
        let before = interrupts_on();
        let section = InterruptsOff::new();
        let inside = interrupts_on();
        drop(section);
        let after = interrupts_on();
        assert!(before);
        assert!(!inside);
        assert!(after);
    }

    #[test]
    fn only_the_outermost_turns_them_on_again() {
        let outer = InterruptsOff::new();
        let inner = InterruptsOff::new();
        let innermost = interrupts_on();
        drop(inner);
        let between = interrupts_on();
        drop(outer);
        let after = interrupts_on();
        assert!(!innermost);
        assert!(!between);
        assert!(after);
    }

    #[test]
    fn where_they_were_off_they_stay_off() {
        for cpu in online_cpus() {
            let states = on_cpu(cpu, || {
                let before = interrupts_on();
                drop(InterruptsOff::new());
                (before, interrupts_on())
            });
            assert_eq!(states, Some((false, false)));
        }
    }
}
