// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_global)]
mod tests {
    use crate::kernel_ext::global::Global;
    use kernel::{
        prelude::*,
        sync::{
            rcu,
            Arc, //
        }, //
    };

    static NUMBER: Global<u32> = Global::new();

    fn borrowed() -> Option<Arc<u32>> {
        NUMBER.borrow(&rcu::read_lock()).map(Arc::from)
    }

    #[test]
    fn a_value_is_there_while_its_guard_is() -> Result {
        let is_empty = borrowed().is_none();
        let guard = NUMBER.publish(Arc::new(7, GFP_KERNEL)?)?;
        let other = NUMBER.publish(Arc::new(8, GFP_KERNEL)?).err();
        let value = borrowed();
        drop(guard);
        assert!(is_empty);
        assert_eq!(other, Some(EBUSY));
        // A reference of its own outlives the guard.
        assert_eq!(value.as_deref(), Some(&7));
        assert!(borrowed().is_none());
        Ok(())
    }
}
