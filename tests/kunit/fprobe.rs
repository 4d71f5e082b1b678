// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_fprobe)]
mod tests {
    use crate::kernel_ext::{
        fprobe::{
            Arguments,
            EntryHandler,
            Fprobe, //
        },
        task,
    };
    use kernel::{
        prelude::*,
        sync::{
            atomic::{
                Atomic,
                Relaxed, //
            },
            Arc, //
        }, //
    };

    /// Adds up the first arguments of the calls of one thread.
    struct Sum {
        thread: usize,
        sum: Arc<Atomic<usize>>,
    }

    impl EntryHandler for Sum {
        fn entry(&self, arguments: Arguments<'_>) {
            if task::current_id() == self.thread {
                self.sum.fetch_add(arguments.get(0), Relaxed);
            }
        }
    }

    fn sleep(ms: u32) {
        // SAFETY: Tests may sleep.
        unsafe { kernel::bindings::msleep_interruptible(ms) };
    }

    #[test]
    fn a_handler_gets_the_arguments_until_it_is_dropped() -> Result {
        let sum = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let handler = Sum {
            thread: task::current_id(),
            sum: sum.clone(),
        };
        let probe = Fprobe::new(c"msleep_interruptible", handler)?;
        sleep(1);
        sleep(6);
        drop(probe);
        sleep(10);
        assert_eq!(sum.load(Relaxed), 7);
        Ok(())
    }

    #[test]
    fn a_function_that_does_not_exist_is_refused() -> Result {
        let sum = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let handler = Sum { thread: 0, sum };
        let error = Fprobe::new(c"msleep_interruptibl", handler).err();
        assert_eq!(error, Some(ENOENT));
        Ok(())
    }
}
