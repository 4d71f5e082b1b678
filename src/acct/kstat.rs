// SPDX-License-Identifier: GPL-2.0

//! kstat(9S): types and flags, names, and the arithmetic of queues and timers.

/// Bytes of a module, name, class or statistic with its NUL.
pub const KSTAT_STRLEN: usize = 31;

/// `KSTAT_TYPE_*`: what the data of a kstat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KstatType {
    /// Bytes.
    Raw = 0,
    /// Names and values.
    Named = 1,
    /// Interrupts.
    Intr = 2,
    /// I/O.
    Io = 3,
    /// Timers of events.
    Timer = 4,
}

impl KstatType {
    /// All types in the order of their numbers.
    pub const ALL: [KstatType; 5] = [
        KstatType::Raw,
        KstatType::Named,
        KstatType::Intr,
        KstatType::Io,
        KstatType::Timer,
    ];

    /// The type that has this number.
    pub fn from_number(number: u8) -> Option<KstatType> {
        KstatType::ALL
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }

    /// Its name in `unix:0:kstat_types`.
    pub const fn name(self) -> &'static str {
        match self {
            KstatType::Raw => "raw",
            KstatType::Named => "name=value",
            KstatType::Intr => "interrupt",
            KstatType::Io => "i/o",
            KstatType::Timer => "event_timer",
        }
    }

    /// Whether `ndata` is valid for a kstat of this type.
    pub const fn takes(self, ndata: u32) -> bool {
        match self {
            KstatType::Intr | KstatType::Io => ndata == 1,
            KstatType::Raw | KstatType::Named | KstatType::Timer => {
                ndata <= i32::MAX.unsigned_abs()
            }
        }
    }
}

/// `KSTAT_FLAG_*`.
pub mod flags {
    /// The data is the client's memory.
    pub const VIRTUAL: u8 = 0x01;
    /// The size of the data changes.
    pub const VAR_SIZE: u8 = 0x02;
    /// The data may be written.
    pub const WRITABLE: u8 = 0x04;
    /// The kstat is kept when it is deleted.
    pub const PERSISTENT: u8 = 0x08;
    /// The kstat was deleted and kept.
    pub const DORMANT: u8 = 0x10;
    /// The kstat is not installed yet.
    pub const INVALID: u8 = 0x20;
    /// Some of the data are strings.
    pub const LONGSTRINGS: u8 = 0x40;

    /// Whether a client may set these flags.
    pub const fn may_be_asked(flags: u8) -> bool {
        let own = flags & !(VIRTUAL | VAR_SIZE | WRITABLE | PERSISTENT) == 0;
        let is_virtual = flags & VIRTUAL != 0;
        let needs_virtual = flags & VAR_SIZE != 0;
        let needs_own_data = flags & PERSISTENT != 0;
        own && (is_virtual || !needs_virtual) && !(is_virtual && needs_own_data)
    }
}

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadName {
    /// It is empty, or holds what would break a line or a selector.
    Unprintable,
    /// It has [`KSTAT_STRLEN`] bytes or more without its NUL. Not cut: two could become one.
    TooLong,
}

/// Checks the name of a statistic, without its NUL: printable ASCII with no blank at the ends.
pub fn check_label(text: &[u8]) -> Result<(), BadName> {
    if text.len() >= KSTAT_STRLEN {
        return Err(BadName::TooLong);
    }
    let is_printable = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let ends = [text.first(), text.last()];
    if is_printable && ends.iter().all(|end| end.is_some_and(|end| *end != b' ')) {
        Ok(())
    } else {
        Err(BadName::Unprintable)
    }
}

/// Checks the name of a module, kstat or class: as a label, and without colon and blank.
pub fn check_name(text: &[u8]) -> Result<(), BadName> {
    check_label(text)?;
    match text.iter().any(|byte| matches!(byte, b':' | b' ')) {
        true => Err(BadName::Unprintable),
        false => Ok(()),
    }
}

/// The error of an exit from an empty queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Empty;

/// One queue of a `kstat_io`. Times are ns; all sums wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KstatQueue {
    /// Length of the queue: `wcnt`, `rcnt`.
    pub cnt: u32,
    /// Time for which it was not empty: `wtime`, `rtime`.
    pub time: u64,
    /// Sum of length times time: `wlentime`, `rlentime`.
    pub lentime: u64,
    /// Time of the last change: `wlastupdate`, `rlastupdate`.
    pub lastupdate: u64,
}

impl KstatQueue {
    fn advance(&mut self, now: u64) {
        let elapsed = now.wrapping_sub(self.lastupdate);
        self.lastupdate = now;
        if self.cnt != 0 {
            let sum = elapsed.wrapping_mul(u64::from(self.cnt));
            self.lentime = self.lentime.wrapping_add(sum);
            self.time = self.time.wrapping_add(elapsed);
        }
    }

    /// `kstat_waitq_enter()`, `kstat_runq_enter()`.
    pub fn enter(&mut self, now: u64) {
        self.advance(now);
        self.cnt = self.cnt.saturating_add(1);
    }

    /// `kstat_waitq_exit()`, `kstat_runq_exit()`. If it is empty, it stays as it was.
    pub fn exit(&mut self, now: u64) -> Result<(), Empty> {
        let cnt = self.cnt.checked_sub(1).ok_or(Empty)?;
        self.advance(now);
        self.cnt = cnt;
        Ok(())
    }

    /// Moves one transaction from this queue to `other` at `now`: `kstat_waitq_to_runq()`, `kstat_runq_back_to_waitq()`.
    /// If this queue is empty, returns [`Empty`] and changes neither.
    pub fn move_to(&mut self, other: &mut KstatQueue, now: u64) -> Result<(), Empty> {
        self.exit(now)?;
        other.enter(now);
        Ok(())
    }

    /// The queue as a snapshot has it: with the time since the last change, unless the queue is
    /// empty.
    pub fn snapshot(mut self, now: u64) -> KstatQueue {
        if self.cnt != 0 {
            self.advance(now);
        }
        self
    }
}

/// A `kstat_timer`. Times are ns; all sums wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// Events that ended.
    pub num_events: u64,
    /// All their times together.
    pub elapsed_time: u64,
    /// The shortest.
    pub min_time: u64,
    /// The longest.
    pub max_time: u64,
    /// When the last event began.
    pub start_time: u64,
    /// When the last event ended.
    pub stop_time: u64,
}

impl Timer {
    /// `kstat_timer_start()`.
    pub fn start(&mut self, now: u64) {
        self.start_time = now;
    }

    /// `kstat_timer_stop()`.
    pub fn stop(&mut self, now: u64) {
        let elapsed = now.wrapping_sub(self.start_time);
        self.stop_time = now;
        if self.num_events == 0 || elapsed < self.min_time {
            self.min_time = elapsed;
        }
        self.max_time = self.max_time.max(elapsed);
        self.elapsed_time = self.elapsed_time.wrapping_add(elapsed);
        self.num_events = self.num_events.wrapping_add(1);
    }
}

/// A value of one of the types that users see: those of `kstat_named_t` but `long`, which is one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in C")]
pub enum Value<'a> {
    /// Text in place of a number.
    Char(&'a [u8]),
    Int32(i32),
    Uint32(u32),
    Int64(i64),
    Uint64(u64),
    /// The bits of a `float`, as the kernel has no floating point.
    Float(u32),
    /// The bits of a `double`.
    Double(u64),
    /// Text of any length.
    String(&'a [u8]),
}

/// The names of what a `kstat_intr` counts, as kstat(8) has them.
pub const INTR: [&str; 5] = ["hard", "soft", "watchdog", "spurious", "multiple_service"];

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_kstat))]
mod tests {
    use super::*;

    #[test]
    fn types_have_illumos_numbers_and_limits() {
        let table = [
            (0, "raw", [true, true, true, false]),
            (1, "name=value", [true, true, true, false]),
            (2, "interrupt", [false, true, false, false]),
            (3, "i/o", [false, true, false, false]),
            (4, "event_timer", [true, true, true, false]),
        ];
        for (number, name, takes) in table {
            let kind = KstatType::from_number(number);
            assert_eq!(kind.map(KstatType::name), Some(name));
            for (ndata, expected) in [0, 1, 0x7fff_ffff, 0x8000_0000].into_iter().zip(takes) {
                assert_eq!(kind.map(|kind| kind.takes(ndata)), Some(expected));
            }
        }
        assert_eq!(KstatType::from_number(5), None);
    }

    #[test]
    fn flags_that_exclude_each_other_are_refused() {
        let asked = |flags| flags::may_be_asked(flags);
        assert!(asked(0) && asked(1) && asked(1 | 2 | 4) && asked(4 | 8));
        assert!(!asked(2) && !asked(1 | 8) && !asked(0x10) && !asked(0x20) && !asked(0x40));
        assert!(!asked(0x80));
    }

    #[test]
    fn names_are_checked_and_not_cut() {
        let long = [b'a'; KSTAT_STRLEN];
        let table: [(&[u8], _); 9] = [
            (b"sd", Ok(())),
            (b"sd0,a", Ok(())),
            (b"", Err(BadName::Unprintable)),
            (b"a b", Err(BadName::Unprintable)),
            (b"a ", Err(BadName::Unprintable)),
            (b"a\n", Err(BadName::Unprintable)),
            (b"a:b", Err(BadName::Unprintable)),
            (&long[1..], Ok(())),
            (&long, Err(BadName::TooLong)),
        ];
        for (text, expected) in table {
            assert_eq!(check_name(text), expected);
        }
        assert_eq!(check_label(b"Soft Errors: a"), Ok(()));
        assert_eq!(check_label(b" a"), Err(BadName::Unprintable));
    }

    #[test]
    fn an_exit_without_an_enter_changes_nothing() {
        let mut queue = KstatQueue {
            lastupdate: 5,
            ..KstatQueue::default()
        };
        let before = queue;
        let mut other = KstatQueue::default();
        assert_eq!(queue.exit(9), Err(Empty));
        assert_eq!(queue.move_to(&mut other, 9), Err(Empty));
        assert_eq!((queue, other), (before, KstatQueue::default()));
    }

    #[test]
    fn timers_know_the_shortest_and_the_longest() {
        let mut timer = Timer::default();
        for (start, stop) in [(10, 15), (20, 22), (30, 39)] {
            timer.start(start);
            timer.stop(stop);
        }
        let expected = Timer {
            num_events: 3,
            elapsed_time: 16,
            min_time: 2,
            max_time: 9,
            start_time: 30,
            stop_time: 39,
        };
        assert_eq!(timer, expected);
    }
}
