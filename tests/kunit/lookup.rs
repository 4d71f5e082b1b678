// SPDX-License-Identifier: GPL-2.0

use kernel::{
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        Arc, //
    },
};

/// The target of a value.
struct Target {
    number: u64,
    drops: Arc<Atomic<u64>>,
}

impl Drop for Target {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
    }
}

#[kernel::macros::kunit_tests(iostat_kernel_lookup)]
mod tests {
    use super::{
        super::support::*,
        *, //
    };
    use crate::{
        glue::lookup::Lookup,
        kernel_ext::published::wait_for_drops, //
    };

    type Targets = Lookup<Arc<Target>>;

    /// Returns an empty table, and a counter of dropped targets.
    fn targets() -> Result<(Pin<KBox<Targets>>, Arc<Atomic<u64>>)> {
        let targets = KBox::pin_init(Targets::new(), GFP_KERNEL)?;
        targets.open();
        Ok((targets, Arc::new(Atomic::new(0), GFP_KERNEL)?))
    }

    fn address(number: u64) -> u64 {
        (number + 1) * 4096
    }

    fn insert(targets: &Targets, number: u64, drops: &Arc<Atomic<u64>>) -> Result<usize> {
        let drops = drops.clone();
        let target = Arc::new(Target { number, drops }, GFP_KERNEL)?;
        let reservation = targets.reserve()?;
        let place = reservation.place() as usize;
        reservation.insert(address(number), target);
        Ok(place)
    }

    /// Returns what a probe finds by address and by place.
    fn look(targets: &Targets, number: u64, place: usize) -> Result<[Option<u64>; 2]> {
        let found = [const { Atomic::new(u64::MAX) }; 2];
        with_probe(
            |probe| {
                let ways = [
                    targets.find(*probe, address(number)),
                    targets.at(*probe, place),
                ];
                for (found, target) in found.iter().zip(ways) {
                    found.store(target.map_or(u64::MAX, |target| target.number), Relaxed);
                }
            },
            print,
        )?;
        Ok(found
            .each_ref()
            .map(|found| Some(found.load(Relaxed)).filter(|found| *found != u64::MAX)))
    }

    #[test]
    fn what_is_there_is_found_while_the_tables_grow() -> Result {
        let (targets, drops) = targets()?;
        let mut places = KVec::new();
        for number in 0..1000 {
            places.push(insert(&targets, number, &drops)?, GFP_KERNEL)?;
            let peeked = targets.peek(address(number), |target| target.number);
            assert_eq!(peeked, Some(number));
        }
        for (number, place) in (0..1000).zip(&places).step_by(37) {
            assert_eq!(look(&targets, number, *place)?, [Some(number); 2]);
        }
        assert_eq!(look(&targets, 1000, 5000)?, [None; 2]);
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 0);
        for place in places.iter().step_by(2) {
            targets.remove(*place);
            targets.remove(*place);
        }
        for (number, place) in (0..1000).zip(&places).step_by(37) {
            let left = Some(number).filter(|number| number % 2 == 1);
            assert_eq!(look(&targets, number, *place)?, [left; 2]);
        }
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 500);
        drop(targets);
        assert_eq!(drops.load(Relaxed), 1000);
        Ok(())
    }

    /// Many more targets are added in all than exist at a time: removed ones leave no trace.
    #[test]
    fn places_and_cells_are_used_again() -> Result {
        let (targets, drops) = targets()?;
        let stays = insert(&targets, 0, &drops)?;
        let mut highest = 0;
        for number in 1..1000 {
            let place = insert(&targets, number, &drops)?;
            highest = highest.max(place);
            assert_eq!(
                targets.peek(address(number), |target| target.number),
                Some(number)
            );
            targets.remove(place);
            assert!(targets.peek(address(number), |_| ()).is_none());
        }
        assert_eq!(highest, 1);
        assert_eq!(look(&targets, 0, stays)?, [Some(0); 2]);
        // The same address is added and removed repeatedly.
        for _ in 0..100 {
            let place = insert(&targets, 7, &drops)?;
            assert_eq!(look(&targets, 7, place)?, [Some(7); 2]);
            targets.remove(place);
        }
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 1099);
        Ok(())
    }

    #[test]
    fn a_reservation_that_is_not_used_is_given_back() -> Result {
        let (targets, drops) = targets()?;
        for _ in 0..1000 {
            let reservation = targets.reserve()?;
            assert_eq!(reservation.place(), 0);
        }
        let first = targets.reserve()?;
        let second = targets.reserve()?;
        assert_eq!((first.place(), second.place()), (0, 1));
        drop(first);
        let target = Target {
            number: 3,
            drops: drops.clone(),
        };
        second.insert(address(3), Arc::new(target, GFP_KERNEL)?);
        assert_eq!(insert(&targets, 4, &drops)?, 0);
        assert_eq!(look(&targets, 3, 1)?, [Some(3); 2]);
        assert_eq!(look(&targets, 4, 0)?, [Some(4); 2]);
        Ok(())
    }

    #[test]
    fn nothing_is_found_before_and_after() -> Result {
        let targets = KBox::pin_init(Targets::new(), GFP_KERNEL)?;
        let drops = Arc::new(Atomic::new(0), GFP_KERNEL)?;
        let place = insert(&targets, 1, &drops)?;
        assert_eq!(look(&targets, 1, place)?, [None; 2]);
        targets.open();
        assert_eq!(look(&targets, 1, place)?, [Some(1); 2]);
        targets.close();
        assert_eq!(look(&targets, 1, place)?, [None; 2]);
        // Targets that are inserted while the table is closed are dropped with the table.
        for number in 2..100 {
            insert(&targets, number, &drops)?;
        }
        assert_eq!(look(&targets, 1, place)?, [None; 2]);
        targets.remove(place);
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 1);
        drop(targets);
        assert_eq!(drops.load(Relaxed), 99);
        Ok(())
    }
}
