// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_cells)]
mod tests {
    use crate::{
        evcnt::cells::{
            Cells,
            CounterId, //
            Free,
            Growth,
        },
        kunit::support::*, //
    };
    use kernel::prelude::*;

    /// Returns a table with one bank of free cells.
    fn cells() -> Result<(Cells, Free)> {
        let (cells, mut free) = (Cells::new()?, Free::new());
        cells.grow(&mut free, Growth::new()?);
        Ok((cells, free))
    }

    fn take_all(cells: &Cells, free: &mut Free) -> Result<KVec<CounterId>> {
        let mut all = KVec::new();
        while let Some(handle) = cells.take(free, 0) {
            all.push(handle, GFP_KERNEL)?;
        }
        Ok(all)
    }

    /// Returns the number of the cell.
    fn cell(handle: CounterId) -> u64 {
        handle.bits() & ((1 << 20) - 1)
    }

    #[test]
    fn a_new_table_is_empty() -> Result {
        let (cells, mut free) = (Cells::new()?, Free::new());
        assert!(free.is_empty());
        assert!(Cells::can_grow(&free));
        assert_eq!(cells.take(&mut free, 0), None);
        Ok(())
    }

    #[test]
    fn a_handle_counts_until_it_is_released() -> Result {
        let (cells, mut free) = cells()?;
        let handle = cells.take(&mut free, 40).ok_or(ENOENT)?;
        assert_eq!(cells.get(handle), Some(40));
        cells.add(handle, 2);
        assert_eq!(cells.get(handle), Some(42));
        assert_eq!(cells.release(&mut free, handle), Some(42));
        cells.add(handle, 1);
        assert_eq!(cells.get(handle), None);
        assert_eq!(cells.release(&mut free, handle), None);
        Ok(())
    }

    #[test]
    fn a_count_is_set_and_goes_on_from_there() -> Result {
        let (cells, mut free) = cells()?;
        let handle = cells.take(&mut free, 40).ok_or(ENOENT)?;
        cells.add(handle, 2);
        assert!(cells.set(handle, 7));
        cells.add(handle, 1);
        assert_eq!(cells.get(handle), Some(8));
        assert!(cells.set(handle, 0));
        assert_eq!(cells.release(&mut free, handle), Some(0));
        assert!(!cells.set(handle, 9));
        let next = take_all(&cells, &mut free)?;
        let next = next.iter().find(|next| cell(**next) == cell(handle));
        assert!(!cells.set(handle, 9));
        assert_eq!(cells.get(*next.ok_or(ENOENT)?), Some(0));
        Ok(())
    }

    #[test]
    fn all_cpus_add_up() -> Result {
        let (cells, mut free) = cells()?;
        let handle = cells.take(&mut free, 0).ok_or(ENOENT)?;
        let mut expected = 0;
        for cpu in online_cpus() {
            on_cpu(cpu, |_| cells.add(handle, u64::from(cpu) + 3));
            expected += u64::from(cpu) + 3;
        }
        assert_eq!(cells.get(handle), Some(expected));
        cells.add(handle, u64::MAX);
        assert_eq!(cells.get(handle), Some(expected - 1));
        Ok(())
    }

    #[test]
    fn stale_handles_count_nothing() -> Result {
        let (cells, mut free) = cells()?;
        let stale = cells.take(&mut free, 0).ok_or(ENOENT)?;
        cells.add(stale, 7);
        cells.release(&mut free, stale);
        let all = take_all(&cells, &mut free)?;
        let now = all.iter().find(|handle| cell(**handle) == cell(stale));
        let now = *now.ok_or(ENOENT)?;
        assert!(now > stale);
        assert_eq!(cells.get(now), Some(0));
        cells.add(stale, 100);
        cells.add(now, 1);
        assert_eq!(cells.get(stale), None);
        assert_eq!(cells.get(now), Some(1));
        assert_eq!(cells.release(&mut free, stale), None);
        assert_eq!(cells.get(now), Some(1));
        Ok(())
    }

    #[test]
    fn invalid_handles_count_nothing() -> Result {
        let (cells, mut free) = cells()?;
        let handle = cells.take(&mut free, 0).ok_or(ENOENT)?;
        let last = cells.take(&mut free, 0).ok_or(ENOENT)?;
        cells.release(&mut free, last);
        let bits = handle.bits();
        // No handle, another cell with the same number, a cell of a bank that does not exist, the end of the
        // list; free cells, and a handle without a number.
        let odd = [0, bits + 1, bits + 4096, u64::MAX, (1 << 20) - 1];
        let free_ones = [last.bits(), cell(last), cell(handle)];
        for bits in Iterator::chain(odd.into_iter(), free_ones) {
            let none = CounterId::from_bits(bits);
            cells.add(none, 1);
            assert_eq!(cells.get(none), None);
            assert_eq!(cells.release(&mut free, none), None);
        }
        assert_eq!(cells.get(CounterId::NONE), None);
        assert_eq!(cells.get(handle), Some(0));
        Ok(())
    }

    #[test]
    fn the_oldest_free_cell_is_taken_first() -> Result {
        let (cells, mut free) = cells()?;
        let all = take_all(&cells, &mut free)?;
        let order = [5, 3, 200, 9];
        for index in order {
            let handle = *all.get(index).ok_or(ENOENT)?;
            assert_eq!(cells.release(&mut free, handle), Some(0));
        }
        for index in order {
            let again = cells.take(&mut free, 0).ok_or(ENOENT)?;
            assert_eq!(Some(cell(again)), all.get(index).copied().map(cell));
        }
        assert!(free.is_empty());
        Ok(())
    }

    #[test]
    fn growth_keeps_the_counts() -> Result {
        let (cells, mut free) = cells()?;
        let before = take_all(&cells, &mut free)?;
        for (handle, count) in before.iter().zip(1..) {
            cells.add(*handle, count);
        }
        cells.grow(&mut free, Growth::new()?);
        let after = take_all(&cells, &mut free)?;
        assert_eq!(after.len(), before.len());
        for (handle, count) in before.iter().zip(1..) {
            assert_eq!(cells.get(*handle), Some(count));
        }
        for (index, handle) in after.iter().enumerate() {
            assert_eq!(cells.get(*handle), Some(0));
            assert_eq!(cell(*handle), (before.len() + index) as u64);
        }
        Ok(())
    }

    #[test]
    fn growth_ends() -> Result {
        let (cells, mut free) = (Cells::new()?, Free::new());
        let mut banks = 0;
        while Cells::can_grow(&free) {
            cells.grow(&mut free, Growth::new()?);
            banks += 1;
        }
        assert_eq!(banks, 256);
        // A further bank is refused, and has no effect.
        cells.grow(&mut free, Growth::new()?);
        let handle = cells.take(&mut free, 0).ok_or(ENOENT)?;
        assert_eq!(cell(handle), 0);
        Ok(())
    }
}
