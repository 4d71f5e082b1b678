// SPDX-License-Identifier: GPL-2.0

use super::support::with_disk;
use crate::{
    acct::{
        class::{
            Class,
            Kind,
            Tag, //
        },
        histogram::Phase,
        transition::{
            End,
            Transition, //
        }, //
    },
    glue::{
        clock::now_ns,
        records::Absent, //
    },
    kernel_ext::percpu::ThisCpu,
    recorder::account::{
        id::AccountId, //
        Account,
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A second account of an existing disk, which only the test uses.
fn account() -> Result<Arc<Account>> {
    let (handle, absent) = (AccountId::new(0, 77), Absent::new()?);
    with_disk(|disk| Account::new(disk, None, None, handle, absent))?
}

/// Records a step at `now`, as the probes do.
fn step(account: &Account, transition: Transition, now: u64, cpu: ThisCpu<'_>) {
    account.record(transition, 0, now, cpu);
}

/// Records a complete read of 512 bytes.
fn read(account: &Account, cpu: ThisCpu<'_>) {
    step(account, Transition::StartWaitqEnter, now_ns(), cpu);
    step(account, Transition::WaitqToRunq, now_ns(), cpu);
    step(account, ended(Class::Read, 0), now_ns(), cpu);
}

fn ended(class: Class, duration_ns: u64) -> Transition {
    Transition::RunqExitEnd(End {
        kind: Kind::new(class, Tag::Simple),
        bytes: 512,
        duration_ns,
        service_ns: duration_ns,
    })
}

#[kernel::macros::kunit_tests(iostat_account)]
mod tests {
    use super::{
        super::support::*,
        *, //
    };
    use crate::acct::record::Record;

    #[test]
    fn new_ones_are_empty_and_of_their_disk() -> Result {
        let before = now_ns();
        let account = account()?;
        let snapshot = account.snapshot();
        assert_eq!(snapshot.record, Record::default());
        assert_eq!(snapshot.busy_time, 0);
        assert!(snapshot.now >= before && snapshot.now <= now_ns());
        let identity = account.identity();
        assert_eq!(identity.number, 77);
        assert_eq!(identity.name.unit().0, b"loop");
        assert!(identity.crtime >= before && identity.crtime <= snapshot.now);
        Ok(())
    }

    #[test]
    fn what_a_partition_counts_its_disk_counts() -> Result {
        let disk = account()?;
        let of_disk = disk.clone();
        let absent = Absent::new()?;
        let partition = with_disk(|device| {
            Account::new(device, Some(of_disk), None, AccountId::new(1, 78), absent)
        })??;
        partition.join_disk()?;
        on_cpu(0, |cpu| read(&partition, cpu));
        on_cpu(0, |cpu| read(&disk, cpu));
        let (part, whole) = (partition.snapshot(), disk.snapshot());
        assert_eq!(part.record.devstat.operations(Class::Read), 1);
        assert_eq!(whole.record.devstat.operations(Class::Read), 2);
        assert_eq!(whole.record.runq.n_out, 2);
        assert_eq!(whole.in_flight(), 0);
        assert!(part.rlentime <= whole.rlentime);
        assert_eq!(partition.histogram(Class::Read, Phase::Total).count(), 1);
        assert_eq!(disk.histogram(Class::Read, Phase::Total).count(), 2);
        partition.absorb_into_disk()?;
        let absorbed = disk.snapshot();
        assert_eq!(absorbed.record, whole.record);
        assert_eq!(absorbed.busy_time, whole.busy_time);
        assert_eq!(disk.histogram(Class::Read, Phase::Total).count(), 2);
        // Another time the disk does not have it.
        on_cpu(0, |cpu| read(&partition, cpu));
        assert_eq!(disk.snapshot().record, whole.record);
        Ok(())
    }

    #[test]
    fn steps_on_several_cpus_are_one_transaction() -> Result {
        let account = account()?;
        let last = online_cpus().last().unwrap_or(0);
        assert!(last > 0);
        // In the past, so that a snapshot is later even with a coarse clock.
        let start = now_ns() - 9000;
        let issue = start + 2000;
        on_cpu(0, |cpu| {
            step(&account, Transition::StartWaitqEnter, start, cpu)
        });
        on_cpu(last, |cpu| {
            step(&account, Transition::WaitqToRunq, issue, cpu)
        });
        let open = account.snapshot();
        let end = open.now;
        let write = ended(Class::Write, end - start);
        on_cpu(0, |cpu| step(&account, write, end, cpu));
        let done = account.snapshot();

        assert_eq!(open.in_flight(), 1);
        assert_eq!(open.wtime, issue - start);
        assert_eq!(open.rtime, open.now - issue);
        assert_eq!(open.busy_time, open.now - start);
        assert_eq!(done.in_flight(), 0);
        assert_eq!((done.wtime, done.wlentime), (issue - start, issue - start));
        assert_eq!((done.rtime, done.rlentime), (end - issue, end - issue));
        assert_eq!(done.busy_time, end - start);
        assert_eq!(done.record.devstat.operations(Class::Write), 1);
        assert_eq!(done.record.devstat.end_count(), 1);
        assert_eq!(done.record.devstat.bytes, [0, 0, 512, 0]);
        assert_eq!(done.record.devstat.duration, [0, 0, end - start, 0]);
        Ok(())
    }

    #[test]
    fn all_cpus_add_up() -> Result {
        let account = account()?;
        let mut expected = 0;
        for cpu in online_cpus() {
            let times = u64::from(cpu) + 3;
            on_cpu(cpu, |here| (0..times).for_each(|_| read(&account, here)));
            expected += times;
        }
        let snapshot = account.snapshot();
        assert_eq!(snapshot.record.devstat.start_count, expected);
        assert_eq!(snapshot.record.devstat.end_count(), expected);
        assert_eq!(snapshot.record.devstat.operations(Class::Read), expected);
        assert_eq!(snapshot.in_flight(), 0);
        assert_eq!(snapshot.wlentime, snapshot.wtime);
        Ok(())
    }

    #[test]
    fn snapshots_never_go_back() -> Result {
        let account = account()?;
        here(|cpu| step(&account, Transition::StartRunqEnter, now_ns(), cpu));
        let mut last = account.snapshot();
        for _ in 0..100 {
            here(|cpu| read(&account, cpu));
            let next = account.snapshot();
            assert!(next.now >= last.now);
            assert!(next.busy_time >= last.busy_time);
            assert!(next.busy_time - last.busy_time <= next.now - last.now);
            assert!(next.rlentime >= last.rlentime);
            last = next;
        }
        assert_eq!(last.in_flight(), 1);
        Ok(())
    }
}
