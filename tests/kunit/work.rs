// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_work)]
mod tests {
    use crate::kernel_ext::work::{
        DelayedWork,
        Work, //
    };
    use kernel::{
        prelude::*,
        sync::{
            atomic::{
                Atomic,
                Relaxed, //
            },
            Arc, //
        },
        time::msecs_to_jiffies, //
    };

    struct Count(Arc<Atomic<u64>>);

    impl Work for Count {
        fn run(&self) {
            self.0.fetch_add(1, Relaxed);
        }
    }

    fn sleep(ms: u32) {
        // SAFETY: Tests may sleep.
        unsafe { kernel::bindings::msleep(ms) };
    }

    #[test]
    fn work_is_done_once_each_time_it_is_queued() -> Result {
        let count = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let work = DelayedWork::new(Count(count.clone()))?;
        let mut is_done = true;
        for turn in 1..4 {
            work.queue_after(1);
            // A busy machine may take long.
            for _ in 0..1000 {
                sleep(10);
                if count.load(Relaxed) == turn {
                    break;
                }
            }
            is_done &= count.load(Relaxed) == turn;
        }
        drop(work);
        assert!(is_done);
        Ok(())
    }

    #[test]
    fn flush_waits_for_work_that_is_queued() -> Result {
        let count = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let work = DelayedWork::new(Count(count.clone()))?;
        work.flush();
        assert_eq!(count.load(Relaxed), 0);
        // Long after the test would have failed.
        work.queue_after(msecs_to_jiffies(60_000));
        work.flush();
        assert_eq!(count.load(Relaxed), 1);
        // The value is that of the work item.
        assert_eq!(work.0.load(Relaxed), 1);
        Ok(())
    }

    #[test]
    fn work_that_is_queued_is_cancelled_by_the_drop() -> Result {
        let count = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let work = DelayedWork::new(Count(count.clone()))?;
        work.queue_after(msecs_to_jiffies(100));
        drop(work);
        sleep(300);
        assert_eq!(count.load(Relaxed), 0);
        Ok(())
    }
}
