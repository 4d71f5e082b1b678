// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_percpu)]
mod tests {
    use super::super::support::*;
    use crate::{
        acct::record::{
            CpuRecord,
            Record, //
        },
        kernel_ext::percpu::PerCpu,
    };
    use kernel::{
        cpu::nr_cpu_ids,
        prelude::*, //
    };

    fn address(record: &CpuRecord) -> usize {
        core::ptr::from_ref(record) as usize
    }

    #[test]
    fn zeroed_even_where_memory_was_used() -> Result {
        for _ in 0..20 {
            let values = PerCpu::<CpuRecord>::new()?;
            for value in values.iter() {
                assert_eq!(value.try_read(), Some((0, Record::default())));
                assert_eq!(address(value) % align_of::<CpuRecord>(), 0);
                value.write().devstat.start_transaction();
            }
        }
        Ok(())
    }

    #[test]
    fn iter_is_over_all_cpus() -> Result {
        let values = PerCpu::<CpuRecord>::new()?;
        let count = values.iter().count();
        assert!(count >= online_cpus().count());
        assert!(count <= nr_cpu_ids() as usize);
        for (index, value) in values.iter().enumerate() {
            assert!(values
                .iter()
                .skip(index + 1)
                .all(|other| address(other) != address(value)));
        }
        Ok(())
    }

    #[test]
    fn each_cpu_finds_its_own() -> Result {
        let values = PerCpu::<CpuRecord>::new()?;
        // With one CPU the test would show nothing.
        assert!(online_cpus().count() >= 2);
        for cpu in online_cpus() {
            let found = on_cpu(cpu, |here| address(values.this_cpu(here)));
            // On the machines this runs on, all CPUs with smaller numbers are possible as well.
            let own = values.iter().nth(cpu as usize).map(address);
            assert!(found.is_some());
            assert_eq!(found, own);
        }
        Ok(())
    }

    #[test]
    fn what_one_cpu_writes_is_read_from_another() -> Result {
        let values = PerCpu::<CpuRecord>::new()?;
        for cpu in online_cpus() {
            on_cpu(cpu, |here| {
                let record = values.this_cpu(here).write();
                record.devstat.start_count.add(u64::from(cpu) + 10);
            });
        }
        for (cpu, value) in online_cpus().zip(values.iter()) {
            let count = value
                .try_read()
                .map(|(_, record)| record.devstat.start_count);
            assert_eq!(count, Some(u64::from(cpu) + 10));
        }
        Ok(())
    }

    #[test]
    fn dropped_memory_is_given_out_again() -> Result {
        const TIMES: usize = 64;
        let mut addresses = [0; TIMES];
        for slot in &mut addresses {
            *slot = PerCpu::<CpuRecord>::new()?.iter().next().map_or(0, address);
        }
        // With a leak no two addresses could be the same.
        addresses.sort_unstable();
        assert!(addresses.windows(2).any(|pair| pair.first() == pair.last()));
        Ok(())
    }
}
