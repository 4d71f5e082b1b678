// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_device)]
mod tests {
    use super::super::support::*;
    use crate::abi::name::Name;
    use kernel::prelude::*;

    #[test]
    fn it_is_who_the_kernel_says() -> Result {
        let (name, driver) = with_disk(|disk| (Name::new(disk.name()), Name::new(disk.driver())))?;
        assert_eq!(name.unit().0, b"loop");
        assert_eq!(driver.bytes(), b"loop");
        let dev = with_disk(|disk| disk.dev())?;
        assert_eq!(
            dev >> kernel::bindings::MINORBITS,
            kernel::bindings::LOOP_MAJOR
        );
        assert!(!with_disk(|disk| disk.is_partition())?);
        Ok(())
    }

    #[test]
    fn its_facts_make_sense_and_stay() -> Result {
        let facts = || with_disk(|disk| (disk.key(), disk.diskseq(), disk.logical_block_size()));
        let (key, diskseq, block_size) = facts()?;
        assert!(key != 0);
        assert!(diskseq != 0);
        assert_eq!(block_size, 512);
        assert_eq!(facts()?, (key, diskseq, block_size));
        Ok(())
    }
}
