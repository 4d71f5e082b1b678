// SPDX-License-Identifier: GPL-2.0

/// The example of the documentation.
mod example {
    use crate::kernel_ext::tracepoint::{
        synchronize,
        Probe,
        Tracepoint, //
    };
    use core::{
        ptr::NonNull,
        sync::atomic::{
            AtomicU64,
            Ordering::Relaxed, //
        },
    };
    use kernel::{
        ffi::{
            c_char,
            c_void, //
        },
        prelude::*,
    };

    include!("../../rust/kernel/examples/tracepoint.rs");

    pub(super) fn messages_while(work: impl FnOnce()) -> Result<u64> {
        messages(work)
    }
}

#[kernel::macros::kunit_tests(iostat_tracepoint)]
mod tests {
    use super::{
        super::support::*,
        example, //
    };
    use crate::kernel_ext::tracepoint::Tracepoint;
    use kernel::{
        prelude::*,
        sync::atomic::{
            Atomic,
            Relaxed, //
        }, //
    };

    #[test]
    fn found_by_their_whole_name_only() {
        assert!(Tracepoint::find(c"console").is_some());
        assert!(Tracepoint::find(c"block_io_start").is_some());
        assert!(Tracepoint::find(c"block_rq_complete").is_some());
        assert!(Tracepoint::find(c"block_rq_complet").is_none());
        assert!(Tracepoint::find(c"block_rq_completed").is_none());
        assert!(Tracepoint::find(c"").is_none());
    }

    #[test]
    fn ours_are_not_the_kernels() {
        // The module's own tracepoints are removed with it, so `Tracepoint` must never be one of them.
        assert!(Tracepoint::find(c"start").is_none());
        assert!(Tracepoint::find(c"done").is_none());
    }

    #[test]
    fn a_probe_is_called_until_it_is_dropped() -> Result {
        let calls = Atomic::new(0);
        with_probe(
            |_| {
                calls.fetch_add(1u64, Relaxed);
            },
            || (0..3).for_each(|_| print()),
        )?;
        assert_eq!(calls.load(Relaxed), 3);
        print();
        assert_eq!(calls.load(Relaxed), 3);
        Ok(())
    }

    #[test]
    fn several_probes_are_each_called() -> Result {
        let (outer, inner) = (Atomic::new(0), Atomic::new(0));
        let mut result = Ok(());
        with_probe(
            |_| {
                outer.fetch_add(1u64, Relaxed);
            },
            || {
                result = with_probe(
                    |_| {
                        inner.fetch_add(1u64, Relaxed);
                    },
                    print,
                );
                print();
            },
        )?;
        result?;
        assert_eq!(outer.load(Relaxed), 2);
        assert_eq!(inner.load(Relaxed), 1);
        Ok(())
    }
    #[test]
    fn the_example_counts_messages() -> Result {
        // Other CPUs may print as well.
        let messages = example::messages_while(|| (0..3).for_each(|_| print()))?;
        assert!(messages >= 3);
        Ok(())
    }
}
