// SPDX-License-Identifier: GPL-2.0

//! Readers of a disk whose CPUs have different clocks: whatever the times of events, counts are exact,
//! and no reader sees a time go back or grow faster than its own clock.

#![no_main]

use iostat::acct::snapshot::Snapshot;
use iostat_fuzz::{
    fuzz_target,
    input::Input,
    invariants::assert_counts_balanced,
    machine::Machine, //
};

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let mut machine = Machine::new(1, 4, 2, 1);
    let mut last = Snapshot::default();
    while !input.is_empty() {
        let what = input.byte();
        if what < 0xc0 {
            let (cpu, key) = (usize::from(what & 3), 8 + 8 * u64::from(what >> 2 & 7));
            machine.hear(0, cpu, key, input.event(), input.number());
            continue;
        }
        let now = match what & 7 {
            // The reader's clock may be another CPU's as well.
            0 => input.number(),
            _ => last.now.saturating_add(input.number()),
        };
        let snapshot = machine.disks[0].snapshot(now);
        assert_counts_balanced(&snapshot);
        let next = snapshot.after(&last);
        assert_eq!(next.record, snapshot.record);
        assert_goes_on(&next, &last);
        last = next;
    }
});

/// Checks what a reader sees; sums that may wrap are compared modulo 2^64.
fn assert_goes_on(next: &Snapshot, last: &Snapshot) {
    let elapsed = next.now.saturating_sub(last.now);
    let queues = [
        (next.wtime, last.wtime, next.wlentime, last.wlentime),
        (next.rtime, last.rtime, next.rlentime, last.rlentime),
    ];
    for (busy, last_busy, len, last_len) in queues {
        let area = len.wrapping_sub(last_len);
        assert!(area <= u64::MAX / 2, "{next:?} after {last:?}");
        assert!(busy >= last_busy && busy - last_busy <= elapsed.min(area));
    }
    assert!(next.busy_time >= last.busy_time && next.busy_time - last.busy_time <= elapsed);
}
