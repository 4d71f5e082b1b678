// SPDX-License-Identifier: GPL-2.0

//! kstat_queue(9F) against a model that counts each nanosecond; and messages.

use super::config;
use iostat::{
    abi::{
        message::kstat::Kstat,
        sort::sort_by, //
    },
    acct::kstat::KstatQueue,
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};

/// One of the six functions.
#[derive(Clone, Copy, Debug)]
enum Call {
    WaitqEnter,
    WaitqExit,
    RunqEnter,
    RunqExit,
    WaitqToRunq,
    RunqBackToWaitq,
}

const CALLS: [Call; 6] = [
    Call::WaitqEnter,
    Call::WaitqExit,
    Call::RunqEnter,
    Call::RunqExit,
    Call::WaitqToRunq,
    Call::RunqBackToWaitq,
];

/// The length of a queue in each nanosecond.
#[derive(Default)]
struct Model {
    lengths: Vec<u64>,
    len: u64,
}

impl Model {
    fn pass(&mut self, ns: usize) {
        self.lengths.extend(std::iter::repeat(self.len).take(ns));
    }

    fn assert_is(&self, queue: &KstatQueue) {
        assert_eq!(u64::from(queue.cnt), self.len);
        assert_eq!(queue.lentime, self.lengths.iter().sum::<u64>());
        let busy = self.lengths.iter().filter(|len| **len != 0).count();
        assert_eq!(queue.time, busy as u64);
    }
}

/// Moves one between two queues of the model; returns whether there was one.
fn moves(from: Option<&mut Model>, to: Option<&mut Model>) -> bool {
    if let Some(from) = from {
        if from.len == 0 {
            return false;
        }
        from.len -= 1;
    }
    if let Some(to) = to {
        to.len += 1;
    }
    true
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn queues_are_what_the_model_says(
        start in any::<u64>(),
        calls in vec((0usize..50, select(&CALLS[..])), 0..60),
    ) {
        let mut now = start;
        let new = || KstatQueue { lastupdate: start, ..KstatQueue::default() };
        let (mut waitq, mut runq) = (new(), new());
        let (mut waiting, mut running) = (Model::default(), Model::default());
        for (ns, call) in calls {
            now = now.wrapping_add(ns as u64);
            waiting.pass(ns);
            running.pass(ns);
            let before = (waitq, runq);
            let (w, r) = (&mut waiting, &mut running);
            let (result, expected) = match call {
                Call::WaitqEnter => ({ waitq.enter(now); Ok(()) }, moves(None, Some(w))),
                Call::WaitqExit => (waitq.exit(now), moves(Some(w), None)),
                Call::RunqEnter => ({ runq.enter(now); Ok(()) }, moves(None, Some(r))),
                Call::RunqExit => (runq.exit(now), moves(Some(r), None)),
                Call::WaitqToRunq => (waitq.move_to(&mut runq, now), moves(Some(w), Some(r))),
                Call::RunqBackToWaitq => (runq.move_to(&mut waitq, now), moves(Some(r), Some(w))),
            };
            prop_assert_eq!(result.is_ok(), expected);
            if !expected {
                prop_assert_eq!(before, (waitq, runq));
            }
            // A reader at any time.
            waiting.assert_is(&waitq.snapshot(now));
            running.assert_is(&runq.snapshot(now));
        }
    }

    #[test]
    fn sorting_is_that_of_the_library(list in vec(any::<u8>(), 0..100)) {
        let (mut ours, mut theirs) = (list.clone(), list);
        sort_by(&mut ours, u8::cmp);
        theirs.sort();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn a_name_selects_itself_and_stars_select_all(
        name in "[a-z0-9,.]{1,30}",
        statistic in "[a-zA-Z0-9 _]{1,30}",
        instance in any::<i32>(),
        cut in 0usize..30,
    ) {
        let cut = cut.min(name.len());
        let quoted = statistic.replace(' ', "\\ ");
        let id = (&b"sd"[..], instance, name.as_bytes());
        let asks = |selector: String| {
            let line = format!("@kstat {selector}");
            match Kstat::parse(line.as_bytes()) {
                Some(Ok(Kstat::Print(selectors))) => Some(selectors.has(id, statistic.bytes())),
                _ => None,
            }
        };
        prop_assert_eq!(asks(format!("sd:{instance}:{name}:{quoted}")), Some(true));
        prop_assert_eq!(asks(format!("s*:*:{}*:*", &name[..cut])), Some(true));
        prop_assert_eq!(asks(format!(":{instance}:*{}", &name[cut..])), Some(true));
        prop_assert_eq!(asks(format!("sd:{instance}:{name}x")), Some(false));
        prop_assert_eq!(asks(format!("sd::{name}:{quoted}?")), Some(false));
    }

    #[test]
    fn any_line_is_survived(line in vec(any::<u8>(), 0..200), text in "[a-z]{0,30}") {
        let mut asked = b"@kstat ".to_vec();
        asked.extend(line);
        if let Some(Ok(Kstat::Print(selectors))) = Kstat::parse(&asked) {
            let _ = selectors.has((text.as_bytes(), 0, text.as_bytes()), text.bytes());
        }
    }
}
