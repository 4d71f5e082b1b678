// SPDX-License-Identifier: GPL-2.0

//! Functions for the data of kstats: see `include/iostat/kstat.h`.

use super::string;
use crate::{
    acct::kstat::{
        check_label,
        BadName,
        Empty,
        KstatQueue,
        Timer,
        KSTAT_STRLEN, //
    },
    glue::{
        bindings as own,
        clock,
        print::may_warn, //
    },
    kernel_ext::error::name_too_long, //
};
use kernel::{
    error::code::*,
    ffi::{
        c_char,
        c_int, //
    },
    prelude::*, //
};

super::declared!(iostat_kstat_named_init iostat_kstat_named_setstr);
super::declared!(iostat_kstat_timer_init iostat_kstat_timer_start iostat_kstat_timer_stop);
super::declared!(iostat_kstat_waitq_enter iostat_kstat_waitq_exit iostat_kstat_runq_enter);
super::declared!(iostat_kstat_runq_exit iostat_kstat_waitq_to_runq iostat_kstat_runq_back_to_waitq);

/// Returns the name of a statistic, or an empty name and an error if it is invalid.
///
/// # Safety
///
/// As for [`string`].
unsafe fn label(name: *const c_char) -> ([c_char; KSTAT_STRLEN], Result) {
    // SAFETY: By the requirement of this function `name` is null or NUL-terminated.
    let name = unsafe { string(name) };
    let mut array = [0; KSTAT_STRLEN];
    let result = check_label(name).map_err(|bad| match bad {
        BadName::Unprintable => EINVAL,
        BadName::TooLong => name_too_long(),
    });
    if result.is_ok() {
        for (into, from) in array.iter_mut().zip(name) {
            // CAST: `c_char` has 8 bits.
            *into = *from as c_char;
        }
    } else if may_warn() {
        pr_warn!("kstat: invalid or too long name of a statistic\n");
    }
    (array, result)
}

fn errno(result: Result) -> c_int {
    result.map_or_else(|error| error.to_errno(), |()| 0)
}

/// # Safety
///
/// Called by another module. `knp` is null or memory of that module, `name` is null or NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_named_init(
    knp: *mut own::iostat_kstat_named,
    name: *const c_char,
    data_type: u8,
) -> c_int {
    if knp.is_null() {
        return EINVAL.to_errno();
    }
    // SAFETY: By the requirement of this function `name` is null or NUL-terminated.
    let (mut name, mut result) = unsafe { label(name) };
    if u32::from(data_type) > own::KSTAT_DATA_STRING {
        name = [0; KSTAT_STRLEN];
        result = Err(EINVAL);
    }
    // SAFETY: By the requirement of this function it is memory of the caller; every bit pattern is valid.
    let old = unsafe { &mut *knp };
    // A persistent kstat that is created again keeps its numbers, although its driver initialises the names
    // again.
    let is_same = old.name == name && old.data_type == data_type;
    if !is_same || u32::from(data_type) == own::KSTAT_DATA_STRING {
        old.value = Default::default();
    }
    old.name = name;
    old.data_type = data_type;
    errno(result)
}

/// # Safety
///
/// Called by another module. `knp` is null or initialised memory of that module, which no other thread accesses
/// at the same time: its kstat is not installed, or the caller holds its `ks_lock`. `src` is null or
/// NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_named_setstr(
    knp: *mut own::iostat_kstat_named,
    src: *const c_char,
) -> c_int {
    // SAFETY: By the requirement of this function `knp` is null or valid.
    let named = unsafe { knp.as_ref() };
    let is_string = named.is_some_and(|named| u32::from(named.data_type) == own::KSTAT_DATA_STRING);
    if !is_string {
        if may_warn() {
            pr_warn!("kstat: named_setstr: not a KSTAT_DATA_STRING\n");
        }
        return EINVAL.to_errno();
    }
    let mut len = 0u32;
    if !src.is_null() {
        // SAFETY: By the requirement of this function the bytes up to the first NUL are valid for reads.
        while unsafe { src.add(len as usize).read() } != 0 {
            len = len.saturating_add(1);
        }
        // The length includes the NUL.
        len = len.saturating_add(1);
    }
    // SAFETY: `knp` is not null: `named` above is `Some`. By the requirement of this function it is memory of
    // the client, and no reader takes the pointer of one string with the length of another: readers hold
    // `ks_lock`.
    unsafe {
        (*knp).value.str_.addr.ptr = src.cast_mut();
        (*knp).value.str_.len = len;
    }
    0
}

/// # Safety
///
/// Called by another module. `ktp` is null or memory of that module, `name` is null or NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_timer_init(
    ktp: *mut own::iostat_kstat_timer,
    name: *const c_char,
) -> c_int {
    if ktp.is_null() {
        return EINVAL.to_errno();
    }
    // SAFETY: By the requirement of this function `name` is null or NUL-terminated.
    let (name, result) = unsafe { label(name) };
    // SAFETY: By the requirement of this function `ktp` is memory of the client, and it is not null.
    unsafe {
        ktp.write(own::iostat_kstat_timer {
            name,
            ..Default::default()
        })
    };
    errno(result)
}

/// Updates a timer.
///
/// # Safety
///
/// `ktp` is null or a timer that no other thread writes at the same time.
unsafe fn timer(ktp: *mut own::iostat_kstat_timer, change: impl FnOnce(&mut Timer, u64)) {
    // SAFETY: By the requirement of this function no other thread writes the timer. Readers copy its bytes,
    // with the client's lock held if the client set one. Without a lock a reader may copy a half-written timer,
    // which has no other effect.
    let Some(raw) = (unsafe { ktp.as_mut() }) else {
        return;
    };
    // CAST: The sums wrap; signed and unsigned have the same bits. This holds for all casts below.
    let mut timer = Timer {
        num_events: raw.num_events,
        elapsed_time: raw.elapsed_time as u64,
        min_time: raw.min_time as u64,
        max_time: raw.max_time as u64,
        start_time: raw.start_time as u64,
        stop_time: raw.stop_time as u64,
    };
    change(&mut timer, clock::now_ns());
    raw.num_events = timer.num_events;
    raw.elapsed_time = timer.elapsed_time as i64;
    raw.min_time = timer.min_time as i64;
    raw.max_time = timer.max_time as i64;
    raw.start_time = timer.start_time as i64;
    raw.stop_time = timer.stop_time as i64;
}

/// # Safety
///
/// Called by another module, in any context but NMI. `ktp` is null or a timer of that module which no other
/// thread writes at the same time.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_timer_start(ktp: *mut own::iostat_kstat_timer) {
    // SAFETY: By the requirement of this function.
    unsafe { timer(ktp, Timer::start) };
}

/// # Safety
///
/// As for [`iostat_kstat_timer_start`].
#[no_mangle]
unsafe extern "C" fn iostat_kstat_timer_stop(ktp: *mut own::iostat_kstat_timer) {
    // SAFETY: By the requirement of this function.
    unsafe { timer(ktp, Timer::stop) };
}

/// Updates the wait queue and the run queue of an I/O kstat, both at the same time.
///
/// # Safety
///
/// `kiop` is null or data that no other thread writes at the same time.
#[inline(always)]
unsafe fn queues(
    kiop: *mut own::iostat_kstat_io,
    what: &str,
    change: impl FnOnce(&mut KstatQueue, &mut KstatQueue, u64) -> Result<(), Empty>,
) {
    // SAFETY: By the requirement of this function no other thread writes the data. Readers copy its bytes, as
    // in `timer`.
    let Some(io) = (unsafe { kiop.as_mut() }) else {
        return;
    };
    // CAST: The sums wrap; signed and unsigned have the same bits. This holds for all casts below.
    let mut waitq = KstatQueue {
        cnt: io.wcnt,
        time: io.wtime as u64,
        lentime: io.wlentime as u64,
        lastupdate: io.wlastupdate as u64,
    };
    let mut runq = KstatQueue {
        cnt: io.rcnt,
        time: io.rtime as u64,
        lentime: io.rlentime as u64,
        lastupdate: io.rlastupdate as u64,
    };
    if let Err(Empty) = change(&mut waitq, &mut runq, clock::now_ns()) {
        if may_warn() {
            pr_warn!("kstat: {what}: queue is empty\n");
        }
        return;
    }
    io.wcnt = waitq.cnt;
    io.wtime = waitq.time as i64;
    io.wlentime = waitq.lentime as i64;
    io.wlastupdate = waitq.lastupdate as i64;
    io.rcnt = runq.cnt;
    io.rtime = runq.time as i64;
    io.rlentime = runq.lentime as i64;
    io.rlastupdate = runq.lastupdate as i64;
}

macro_rules! queue_function {
    ($name:ident, $what:literal, $change:expr) => {
        /// # Safety
        ///
        /// Called by another module, in any context but NMI. `kiop` is null or data of that module which no
        /// other thread writes at the same time.
        #[no_mangle]
        unsafe extern "C" fn $name(kiop: *mut own::iostat_kstat_io) {
            // SAFETY: By the requirement of this function.
            unsafe { queues(kiop, $what, $change) };
        }
    };
}

queue_function!(iostat_kstat_waitq_enter, "waitq_enter", |waitq, _, now| {
    waitq.enter(now);
    Ok(())
});
queue_function!(iostat_kstat_waitq_exit, "waitq_exit", |waitq, _, now| {
    waitq.exit(now)
});
queue_function!(iostat_kstat_runq_enter, "runq_enter", |_, runq, now| {
    runq.enter(now);
    Ok(())
});
queue_function!(iostat_kstat_runq_exit, "runq_exit", |_, runq, now| {
    runq.exit(now)
});
queue_function!(
    iostat_kstat_waitq_to_runq,
    "waitq_to_runq",
    |waitq, runq, now| waitq.move_to(runq, now)
);
queue_function!(
    iostat_kstat_runq_back_to_waitq,
    "runq_back_to_waitq",
    |waitq, runq, now| runq.move_to(waitq, now)
);
