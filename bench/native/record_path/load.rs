// SPDX-License-Identifier: GPL-2.0

//! Threads that do nothing but I/Os that take no time.

use iostat::acct::entry::Entry;
use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicUsize,
        Ordering::SeqCst, //
    },
    thread,
    time::{
        Duration,
        Instant, //
    },
};

/// Bytes of each I/O.
pub const BYTES: u32 = 4096;

/// A way to keep the statistics of one disk.
pub trait Account: Sync {
    fn start(&self, cpu: usize, request: &mut Request);
    fn issue(&self, cpu: usize, request: &mut Request);
    fn complete(&self, cpu: usize, request: &mut Request);
}

/// The request of a driver, with the members that some of the compared accounts store in it.
#[derive(Default)]
pub struct Request {
    /// Its address, for accounts that look it up.
    pub key: u64,
    /// When it started, for accounts that store that in the request.
    pub started: u64,
    /// All of its state, for accounts that store that in the request.
    pub entry: Entry,
}

/// The mean over all threads of what so many `ios` take each of them, while the others do theirs.
pub fn time(account: &impl Account, threads: usize, in_flight: usize, ios: u64) -> Duration {
    let (ready, busy) = (AtomicUsize::new(0), AtomicUsize::new(threads));
    let work = |cpu: usize| {
        pin(cpu);
        let mut queue = Queue::new(account, cpu, in_flight);
        ready.fetch_add(1, SeqCst);
        while ready.load(SeqCst) < threads {
            spin_loop();
        }
        let start = Instant::now();
        queue.run(ios);
        let spent = start.elapsed();
        // A thread that is done goes on, so that the last I/Os of the others are no cheaper than those before.
        busy.fetch_sub(1, SeqCst);
        while busy.load(SeqCst) > 0 {
            queue.run(64);
        }
        spent
    };
    let total: Duration = thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..threads)
            .map(|cpu| scope.spawn(move || work(cpu)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    total / threads as u32
}

/// One thread's I/Os: always the same number in flight, the oldest completed first.
struct Queue<'a, A: Account> {
    account: &'a A,
    cpu: usize,
    requests: Vec<Request>,
    oldest: usize,
}

impl<'a, A: Account> Queue<'a, A> {
    fn new(account: &'a A, cpu: usize, in_flight: usize) -> Self {
        // A tag set's requests are one after the other.
        let key = |index: usize| 0xffff_8880_0123_4500 + (cpu * in_flight + index) as u64 * 384;
        let request = |index| Request {
            key: key(index),
            ..Request::default()
        };
        let mut queue = Queue {
            account,
            cpu,
            requests: (0..in_flight).map(request).collect(),
            oldest: 0,
        };
        for request in &mut queue.requests {
            account.start(cpu, request);
            account.issue(cpu, request);
        }
        queue
    }

    fn run(&mut self, ios: u64) {
        for _ in 0..ios {
            let request = &mut self.requests[self.oldest];
            self.account.complete(self.cpu, request);
            self.account.start(self.cpu, request);
            self.account.issue(self.cpu, request);
            self.oldest += 1;
            if self.oldest == self.requests.len() {
                self.oldest = 0;
            }
        }
    }
}

impl<A: Account> Drop for Queue<'_, A> {
    fn drop(&mut self) {
        for request in &mut self.requests {
            self.account.complete(self.cpu, request);
        }
    }
}

/// Keeps this thread on one CPU.
fn pin(cpu: usize) {
    // SAFETY: All zeroes is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: It is a set, and there are fewer CPUs than it holds.
    unsafe { libc::CPU_SET(cpu, &mut set) };
    // SAFETY: The set is as large as is said. 0 is this thread.
    let status = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
    assert_eq!(status, 0, "cannot run on CPU {cpu}");
}
