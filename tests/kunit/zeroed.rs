// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_zeroed)]
mod tests {
    use crate::{
        acct::{
            class::{
                Class,
                Tag, //
            },
            entry::{
                Entry,
                Start, //
            },
            inflight::{
                Part,
                BUCKET, //
            },
            record::CpuRecord, //
        },
        kernel_ext::zeroed::zeroed_vec,
    };
    use kernel::prelude::*;

    const START: Start = Start {
        account: u64::MAX,
        hctx: u16::MAX,
        class: Class::Free,
        tag: Tag::Ordered,
        sector: u64::MAX,
        pid: 0,
    };

    /// More than the page allocator returns as one block, so that it comes from vmalloc.
    const MANY: usize = 100_000;

    #[test]
    fn as_long_as_asked_for() -> Result {
        for len in [0, 1, 2, 1000] {
            assert_eq!(zeroed_vec::<CpuRecord>(len)?.len(), len);
        }
        assert_eq!(zeroed_vec::<Entry>(MANY)?.len(), MANY);
        Ok(())
    }

    #[test]
    fn zero_even_where_memory_was_used() -> Result {
        for _ in 0..3 {
            for len in [4, MANY] {
                let entries = zeroed_vec::<Entry>(len)?;
                let mut used = entries.iter().filter(|entry| entry.bytes() != 0);
                assert!(used.next().is_none());
                for entry in entries.iter() {
                    entry.start_running(&START, u32::MAX, 1);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn good_for_a_table_and_for_records() -> Result {
        let (entries, passed) = (zeroed_vec(64)?, zeroed_vec(64 / BUCKET)?);
        assert_eq!(Part::main(&entries, &passed).in_use(), 0);
        let records = zeroed_vec::<CpuRecord>(3)?;
        assert!(records.iter().all(|record| record.seq() == 0));
        Ok(())
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        assert_eq!(zeroed_vec::<Entry>(usize::MAX).err(), Some(ENOMEM));
        assert_eq!(zeroed_vec::<Entry>(usize::MAX / 64).err(), Some(ENOMEM));
    }
}
