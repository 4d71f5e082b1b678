// SPDX-License-Identifier: GPL-2.0

/// The example of the documentation.
mod example {
    use crate::kernel_ext::{
        block::device::BlockDevice,
        class::{
            ClassRegistration,
            Devices, //
        },
    };
    use core::sync::atomic::{
        AtomicUsize,
        Ordering::Relaxed, //
    };
    use kernel::{
        prelude::*,
        sync::Arc, //
    };

    include!("../../rust/kernel/examples/class.rs");

    pub(super) fn counts() -> Result<(usize, usize)> {
        count()
    }
}

#[kernel::macros::kunit_tests(iostat_disks)]
mod tests {
    use super::example;
    use crate::kernel_ext::{
        block::device::BlockDevice,
        class::{
            ClassRegistration,
            Devices, //
        },
    };
    use kernel::{
        alloc::KVec,
        new_mutex,
        prelude::*,
        sync::{
            Arc,
            Mutex, //
        }, //
    };

    /// The addresses of the devices that have arrived, and of those that have left.
    #[pin_data]
    struct Log {
        #[pin]
        devices: Mutex<(KVec<u64>, KVec<u64>)>,
    }

    impl Log {
        fn new() -> Result<Arc<Self>> {
            let devices = (KVec::new(), KVec::new());
            Arc::pin_init(
                pin_init!(Log {
                    devices <- new_mutex!(devices),
                }),
                GFP_KERNEL,
            )
        }

        fn lens(&self) -> (usize, usize) {
            let devices = self.devices.lock();
            (devices.0.len(), devices.1.len())
        }
    }

    impl Devices for Log {
        fn arrived(&self, device: &BlockDevice<'_>) {
            let _ = self.devices.lock().0.push(device.key(), GFP_KERNEL);
        }

        fn leaves(&self, device: &BlockDevice<'_>) {
            let _ = self.devices.lock().1.push(device.key(), GFP_KERNEL);
        }
    }

    #[test]
    fn each_device_arrives_once_and_leaves_once() -> Result {
        let log = Log::new()?;
        drop(ClassRegistration::new(log.clone())?);
        let mut devices = log.devices.lock();
        let (arrived, left) = &mut *devices;
        arrived.sort_unstable();
        left.sort_unstable();
        assert!(!arrived.is_empty());
        assert!(arrived.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(arrived[..] == left[..]);
        Ok(())
    }

    #[test]
    fn listeners_do_not_see_the_calls_of_others() -> Result {
        let (one, other) = (Log::new()?, Log::new()?);
        let registration = ClassRegistration::new(one.clone())?;
        let (arrived, _) = one.lens();
        drop(ClassRegistration::new(other.clone())?);
        let before = one.lens();
        drop(registration);
        assert_eq!(before, (arrived, 0));
        assert_eq!(one.lens(), (arrived, arrived));
        assert_eq!(other.lens(), (arrived, arrived));
        Ok(())
    }

    /// The recorder is loaded when tests run, and has a registration.
    #[test]
    fn there_are_four_registrations_at_most() -> Result {
        let log = Log::new()?;
        let mut all = [const { None }; 4];
        let mut error = None;
        for registration in &mut all {
            match ClassRegistration::new(log.clone()) {
                Ok(new) => *registration = Some(new),
                Err(new) => error = Some(new),
            }
        }
        let registered = all.iter().flatten().count();
        drop(all);
        let again = ClassRegistration::new(log).map(drop);
        assert_eq!(error, Some(EBUSY));
        assert_eq!(registered, 3);
        assert_eq!(again, Ok(()));
        Ok(())
    }

    #[test]
    fn the_example_counts_what_there_is() -> Result {
        let (present, left) = example::counts()?;
        assert!(present > 0);
        assert_eq!(left, 0);
        Ok(())
    }
}
