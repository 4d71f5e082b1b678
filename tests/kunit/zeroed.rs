// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_zeroed)]
mod tests {
    use crate::{
        acct::{
            inflight::{
                Entries,
                Keys,
                Table, //
            },
            record::CpuRecord, //
        },
        kernel_ext::zeroed::zeroed_vec,
    };
    use kernel::prelude::*;

    /// More than the page allocator gives in one piece, so that it comes from vmalloc.
    const MANY: usize = 10_000;

    #[test]
    fn as_long_as_asked_for() -> Result {
        for len in [0, 1, 2, 1000] {
            assert_eq!(zeroed_vec::<Keys>(len)?.len(), len);
        }
        assert_eq!(zeroed_vec::<Entries>(MANY)?.len(), MANY);
        Ok(())
    }

    #[test]
    fn zero_even_where_memory_was_used() -> Result {
        for _ in 0..3 {
            for len in [4, MANY] {
                let entries = zeroed_vec::<Entries>(len)?;
                let mut used = entries.iter().flatten().filter(|entry| entry.id() != 0);
                assert!(used.next().is_none());
                for entry in entries.iter().flatten() {
                    entry.set_id(u64::MAX);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn good_for_a_table_and_for_records() -> Result {
        let (keys, entries) = (zeroed_vec(64)?, zeroed_vec(64)?);
        let in_use = Table::new(&keys, &entries).in_use();
        assert_eq!(in_use, 0);
        let records = zeroed_vec::<CpuRecord>(3)?;
        assert!(records.iter().all(|record| record.seq() == 0));
        Ok(())
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        assert_eq!(zeroed_vec::<Entries>(usize::MAX).err(), Some(ENOMEM));
        assert_eq!(zeroed_vec::<Entries>(usize::MAX / 512).err(), Some(ENOMEM));
    }
}
