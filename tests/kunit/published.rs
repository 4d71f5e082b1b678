// SPDX-License-Identifier: GPL-2.0

use kernel::sync::{
    atomic::{
        Atomic,
        Relaxed, //
    },
    Arc, //
};

/// A value that counts its drops.
struct Counted {
    value: u64,
    drops: Arc<Atomic<u64>>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
    }
}

#[kernel::macros::kunit_tests(iostat_published)]
mod tests {
    use super::{
        super::support::*,
        *, //
    };
    use crate::kernel_ext::published::{
        wait_for_drops,
        Node,
        Published, //
    };
    use kernel::{
        prelude::*,
        time::{
            delay::udelay,
            Delta, //
        }, //
    };

    fn counter() -> Result<Arc<Atomic<u64>>> {
        Ok(Arc::new(Atomic::new(0), GFP_KERNEL)?)
    }

    fn node(value: u64, drops: &Arc<Atomic<u64>>) -> Result<KBox<Node<Counted>>> {
        Node::new(Counted {
            value,
            drops: drops.clone(),
        })
    }

    /// Returns how often a probe was called, and what it found published.
    fn look(place: &Published<Counted>) -> Result<(u64, Option<u64>)> {
        let (calls, found) = (Atomic::new(0), Atomic::new(u64::MAX));
        with_probe(
            |probe| {
                calls.fetch_add(1u64, Relaxed);
                if let Some(counted) = place.get(*probe) {
                    found.store(counted.value, Relaxed);
                }
            },
            print,
        )?;
        let found = Some(found.load(Relaxed)).filter(|value| *value != u64::MAX);
        Ok((calls.load(Relaxed), found))
    }

    #[test]
    fn probes_find_the_latest() -> Result {
        let (place, drops) = (<Published<_>>::new(), counter()?);
        assert_eq!(look(&place)?, (1, None));
        place.replace(Some(node(7, &drops)?));
        assert_eq!(look(&place)?, (1, Some(7)));
        place.replace(Some(node(8, &drops)?));
        assert_eq!(look(&place)?, (1, Some(8)));
        place.replace(None);
        assert_eq!(look(&place)?, (1, None));
        Ok(())
    }

    #[test]
    fn each_replaced_value_is_dropped_once() -> Result {
        let (place, drops) = (<Published<_>>::new(), counter()?);
        for value in 0..100 {
            place.replace(Some(node(value, &drops)?));
        }
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 99);
        place.replace(None);
        place.replace(None);
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 100);
        Ok(())
    }

    #[test]
    fn the_last_one_goes_with_the_place() -> Result {
        let (place, drops) = (<Published<_>>::new(), counter()?);
        place.replace(Some(node(1, &drops)?));
        wait_for_drops();
        assert_eq!(drops.load(Relaxed), 0);
        drop(place);
        assert_eq!(drops.load(Relaxed), 1);
        Ok(())
    }

    /// If the value were freed at once, KASAN would report the second look.
    #[test]
    fn a_probe_keeps_what_it_has_found() -> Result {
        let (place, drops) = (<Published<_>>::new(), counter()?);
        place.replace(Some(node(5, &drops)?));
        let (found, dropped) = (Atomic::new(0), Atomic::new(0));
        with_probe(
            |probe| {
                let Some(counted) = place.get(*probe) else {
                    return;
                };
                place.replace(None);
                udelay(Delta::from_millis(2));
                found.store(counted.value, Relaxed);
                dropped.store(drops.load(Relaxed), Relaxed);
            },
            print,
        )?;
        wait_for_drops();
        assert_eq!(found.load(Relaxed), 5);
        assert_eq!(dropped.load(Relaxed), 0);
        assert_eq!(drops.load(Relaxed), 1);
        Ok(())
    }
}
