// SPDX-License-Identifier: GPL-2.0

#[kernel::macros::kunit_tests(iostat_events)]
mod tests {
    use crate::{
        acct::{
            busy::Root,
            disk_event::{
                DiskEvent,
                DISK_EVENTS, //
            },
            evcnt::EvcntType, //
        },
        evcnt::{
            AttachedGroup,
            CounterId,
            CounterOwner,
            EventCounter,
            EventDescription,
            Events,
            ListedCounter, //
        },
        glue::records::{
            Absent,
            Records, //
        },
        kernel_ext::{
            error::name_too_long,
            module::{
                ModuleListener, //
                Owner,
            }, //
        },
        kunit::support::owners, //
    };
    use kernel::{
        prelude::*,
        sync::Arc, //
    };

    fn event(name: &str) -> Result<EventDescription> {
        EventDescription::new(EvcntType::Misc, b"group", name.as_bytes())
    }

    fn attach(events: &Events, parent: Option<CounterId>, name: &str) -> Result<CounterId> {
        events.attach(event(name)?, parent, None, 0)
    }

    fn attach_for(
        events: &Events,
        parent: Option<CounterId>,
        owner: Owner,
        address: usize,
    ) -> Result<CounterId> {
        let client = Some(CounterOwner { owner, address });
        events.attach(event("client")?, parent, client, 0)
    }

    /// Returns whether these counters are listed, in this order, with these totals.
    fn lists(events: &Events, rollup: bool, expected: &[(&str, u64)]) -> Result<bool> {
        if rollup {
            let list = events.rolled_up()?;
            let found = list
                .iter()
                .map(|listed| (listed.found.name().1, listed.total));
            return Ok(found.eq(expected.iter().copied()));
        }
        let mut batch = [const { None }; 16];
        events.batch(CounterId::NONE, &mut batch);
        let found = batch.iter().flatten().map(|counter| {
            let total = events.count(counter).unwrap_or(0);
            (counter.name().1, total)
        });
        Ok(found.eq(expected.iter().copied()))
    }

    #[test]
    fn names_are_checked() -> Result {
        let long = [b'n'; 255];
        assert_eq!(event("").err(), Some(EINVAL));
        assert_eq!(event("two\nlines").err(), Some(EINVAL));
        assert_eq!(event(" blank").err(), Some(EINVAL));
        let long_name = EventDescription::new(EvcntType::Misc, b"group", &long);
        assert_eq!(long_name.err(), Some(name_too_long()));
        let event = EventDescription::new(
            EvcntType::Trap,
            b"a group",
            long.get(1..).unwrap_or_default(),
        )?;
        assert_eq!(event.kind(), EvcntType::Trap);
        assert_eq!(event.name().0, "a group");
        assert_eq!(event.name().1.len(), 254);
        Ok(())
    }

    #[test]
    fn a_counter_counts_while_it_is_attached() -> Result {
        let events = Events::new()?;
        let handle = events.attach(event("one")?, None, None, 40)?;
        events.add(handle, 2);
        assert_eq!(events.get(handle), Some(42));
        assert!(lists(&events, false, &[("one", 42)])?);
        assert_eq!(events.detach(handle), Ok(42));
        events.add(handle, 1);
        assert_eq!(events.get(handle), None);
        assert_eq!(events.total(handle), None);
        assert_eq!(events.detach(handle), Err(ENOENT));
        assert!(lists(&events, false, &[])?);
        Ok(())
    }

    #[test]
    fn an_address_has_one_counter() -> Result {
        let events = Events::new()?;
        let (owner, other) = owners();
        let handle = attach_for(&events, None, owner, 0x1000)?;
        assert_eq!(attach_for(&events, None, other, 0x1000), Err(EEXIST));
        assert_eq!(events.find(0x1000), Some(handle));
        assert_eq!(events.find(0x1008), None);
        attach_for(&events, None, owner, 0x1008)?;
        assert!(lists(&events, false, &[("client", 0), ("client", 0)])?);
        assert_eq!(events.detach(handle), Ok(0));
        assert_eq!(events.find(0x1000), None);
        let again = attach_for(&events, None, owner, 0x1000)?;
        assert!(again > handle);
        assert_eq!(events.find(0x1000), Some(again));
        Ok(())
    }

    #[test]
    fn parents_are_attached_first_and_detached_last() -> Result {
        let events = Events::new()?;
        let parent = attach(&events, None, "parent")?;
        let child = attach(&events, Some(parent), "child")?;
        assert_eq!(events.detach(parent), Err(EBUSY));
        assert_eq!(events.detach(child), Ok(0));
        assert_eq!(attach(&events, Some(child), "orphan"), Err(ENOENT));
        assert_eq!(
            attach(&events, Some(CounterId::NONE), "orphan"),
            Err(ENOENT)
        );
        assert_eq!(events.detach(parent), Ok(0));
        assert_eq!(attach(&events, Some(parent), "orphan"), Err(ENOENT));
        assert!(lists(&events, false, &[])?);
        Ok(())
    }

    /// An attachment that fails after its parent was found must not leave a child.
    #[test]
    fn a_failed_attachment_leaves_no_child() -> Result {
        let events = Events::new()?;
        let (owner, _) = owners();
        let parent = attach_for(&events, None, owner, 0x1000)?;
        assert_eq!(
            attach_for(&events, Some(parent), owner, 0x1000),
            Err(EEXIST)
        );
        assert_eq!(events.detach(parent), Ok(0));
        Ok(())
    }

    #[test]
    fn totals_include_all_descendants() -> Result {
        let events = Events::new()?;
        let root = attach(&events, None, "root")?;
        let other = attach(&events, None, "other")?;
        let child = attach(&events, Some(root), "child")?;
        let grandchild = attach(&events, Some(child), "grandchild")?;
        let second = attach(&events, Some(root), "second")?;
        for (handle, count) in [root, other, child, grandchild, second]
            .into_iter()
            .zip([1, 20, 300, 4000, 50000])
        {
            events.add(handle, count);
        }
        assert_eq!(events.total(root), Some(54301));
        assert_eq!(events.total(child), Some(4300));
        assert_eq!(events.total(other), Some(20));
        assert!(lists(
            &events,
            false,
            &[
                ("root", 1),
                ("other", 20),
                ("child", 300),
                ("grandchild", 4000),
                ("second", 50000)
            ]
        )?);
        assert!(lists(
            &events,
            true,
            &[
                ("root", 54301),
                ("other", 20),
                ("child", 4300),
                ("grandchild", 4000),
                ("second", 50000)
            ]
        )?);
        // A detached counter is not included in the total of its parent.
        assert_eq!(events.detach(grandchild), Ok(4000));
        assert_eq!(events.total(root), Some(50301));
        Ok(())
    }

    #[test]
    fn counters_are_listed_in_order_of_attachment() -> Result {
        let events = Events::new()?;
        let first = attach(&events, None, "first")?;
        attach(&events, None, "second")?;
        events.detach(first)?;
        attach(&events, None, "third")?;
        assert!(lists(&events, false, &[("second", 0), ("third", 0)])?);
        Ok(())
    }

    #[test]
    fn the_table_grows() -> Result {
        const MANY: usize = 1300;
        let events = Events::new()?;
        let root = attach(&events, None, "root")?;
        for count in 1..MANY as u64 {
            let handle = attach(&events, Some(root), "child")?;
            events.add(handle, count);
        }
        let list = events.rolled_up()?;
        let sum = (MANY * (MANY - 1) / 2) as u64;
        assert_eq!(list.len(), MANY);
        assert_eq!(list.first().map(|listed| listed.total), Some(sum));
        assert_eq!(events.total(root), Some(sum));
        assert!(list
            .iter()
            .skip(1)
            .map(|listed| listed.total)
            .eq(1..MANY as u64));
        Ok(())
    }

    #[test]
    fn forgotten_counters_are_detached_with_the_module() -> Result {
        let events = Events::new()?;
        let (owner, other) = owners();
        let parent = attach_for(&events, None, owner, 0x1000)?;
        let child = attach_for(&events, Some(parent), owner, 0x1008)?;
        let adopted = attach_for(&events, Some(child), other, 0x2000)?;
        let own = attach(&events, Some(parent), "own")?;
        events.add(adopted, 3);
        events.unloading(owner);
        assert!(lists(&events, true, &[("client", 3), ("own", 0)])?);
        for gone in [parent, child] {
            assert_eq!(events.get(gone), None);
            assert_eq!(events.detach(gone), Err(ENOENT));
        }
        assert_eq!(events.find(0x1000), None);
        assert_eq!(events.find(0x2000), Some(adopted));
        // Its parent was detached, so it has none.
        assert_eq!(events.detach(adopted), Ok(3));
        assert_eq!(events.detach(own), Ok(0));
        events.unloading(other);
        assert!(lists(&events, false, &[])?);
        Ok(())
    }

    #[test]
    fn dropping_an_own_counter_detaches_it() -> Result {
        let events = Events::new()?;
        let counter = EventCounter::new(&events, b"iostat", b"own")?;
        counter.add(5);
        assert_eq!(counter.get(), 5);
        assert!(lists(&events, true, &[("own", 5)])?);
        let (owner, _) = owners();
        events.unloading(owner);
        assert_eq!(counter.get(), 5);
        drop(counter);
        assert!(lists(&events, false, &[])?);
        Ok(())
    }

    /// Records of an account that has this root, with `counts` of each event.
    fn records(root: &Root, counts: u64) -> Result<Arc<Records>> {
        let records = Records::new(Absent::new()?, 0, None)?;
        for event in DiskEvent::ALL {
            records.add_event(*event, counts, root);
        }
        Ok(records)
    }

    #[test]
    fn counters_of_a_disk_are_attached_together() -> Result {
        let events = Events::new()?;
        let before = attach(&events, None, "before")?;
        let parents = AttachedGroup::new(&events, None, b"iostat", None)?;
        let between = attach(&events, None, "between")?;
        let root = Root::default();
        let (one, two) = (records(&root, 1)?, records(&root, 2)?);
        let first = AttachedGroup::new(&events, Some(&parents), b"sda", Some(one.clone()))?;
        let second = AttachedGroup::new(&events, Some(&parents), b"sdb", Some(two))?;
        attach(&events, None, "behind")?;

        let list = events.rolled_up()?;
        assert_eq!(list.len(), 3 * DISK_EVENTS + 3);
        assert!(list.is_sorted_by_key(|listed| listed.found.handle.after().bits()));
        let names = DiskEvent::ALL.iter().map(|event| event.name().to_str());
        let group = |name: &'static str| {
            let of_group = move |listed: &&ListedCounter| listed.found.name().0 == name;
            list.iter().filter(of_group)
        };
        let in_order = group("sdb").map(|listed| listed.found.name().1);
        assert!(in_order.map(Ok).eq(names));
        assert!(group("sda").all(|listed| listed.total == 1));
        assert!(group("sdb").all(|listed| listed.total == 2));
        assert!(group("iostat").all(|listed| listed.total == 3));
        assert!(group("iostat").all(|listed| events.count(&listed.found) == Some(0)));

        // A reader may continue at any of them.
        let mut next = CounterId::NONE;
        for listed in &list {
            let mut batch = [const { None }; 2];
            events.batch(next, &mut batch);
            let found = batch.iter().flatten().next();
            assert_eq!(found.map(|found| found.handle), Some(listed.found.handle));
            next = listed.found.handle.after();
        }

        // What is detached is in no sum, and cannot be counted.
        one.add_event(DiskEvent::Timeouts, 1, &root);
        let timeouts = |name| {
            let mut of_group = group(name);
            of_group.find(|listed| listed.found.name().1 == "timeouts")
        };
        let count = timeouts("sda").and_then(|listed| events.count(&listed.found));
        assert_eq!(count, Some(2));
        drop(first);
        let count = timeouts("sda").and_then(|listed| events.count(&listed.found));
        assert_eq!(count, None);
        let rolled_up = events.rolled_up()?;
        assert_eq!(rolled_up.len(), 2 * DISK_EVENTS + 3);
        let of_all = |listed: &&ListedCounter| listed.found.name().0 == "iostat";
        assert!(rolled_up
            .iter()
            .filter(of_all)
            .all(|listed| listed.total == 2));

        drop(second);
        drop(parents);
        events.detach(between)?;
        events.detach(before)?;
        assert!(lists(&events, false, &[("behind", 0)])?);
        Ok(())
    }
}
