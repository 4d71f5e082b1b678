// SPDX-License-Identifier: GPL-2.0

use crate::kernel_ext::{
    block::device::BlockDevice,
    class::Devices, //
};

struct NoListener;

impl Devices for NoListener {
    fn arrived(&self, _device: &BlockDevice<'_>) {}

    fn leaves(&self, _device: &BlockDevice<'_>) {}
}

#[kernel::macros::kunit_tests(iostat_disks)]
mod tests {
    use super::*;
    use crate::kernel_ext::class::ClassRegistration;
    use kernel::{
        prelude::*,
        sync::Arc, //
    };

    /// The recorder is loaded when tests run, so the class already has a listener.
    #[test]
    fn there_is_one_listener_at_a_time() -> Result {
        let listener = Arc::new(NoListener, GFP_KERNEL)?;
        let error = ClassRegistration::new(listener).map(drop).err();
        assert_eq!(error, Some(EBUSY));
        Ok(())
    }
}
