// SPDX-License-Identifier: GPL-2.0

//! The types, constants and functions of `include/iostat/kstat.h`.

use core::mem::size_of;
use kernel::{
    bindings,
    ffi::{
        c_char,
        c_int,
        c_uint,
        c_void, //
    }, //
};

/// `KSTAT_STRLEN`.
const STRLEN: usize = 31;

/// `KSTAT_TYPE_*`.
pub(super) mod kind {
    pub(crate) const RAW: u8 = 0;
    pub(crate) const NAMED: u8 = 1;
    pub(crate) const INTR: u8 = 2;
    pub(crate) const IO: u8 = 3;
    pub(crate) const TIMER: u8 = 4;
}

/// `KSTAT_FLAG_*`.
pub(super) mod flag {
    pub(crate) const VIRTUAL: u8 = 0x01;
    pub(crate) const VAR_SIZE: u8 = 0x02;
    pub(crate) const WRITABLE: u8 = 0x04;
    pub(crate) const PERSISTENT: u8 = 0x08;
    pub(crate) const DORMANT: u8 = 0x10;
}

/// `KSTAT_READ`.
pub(super) const READ: c_int = 0;

/// `kstat_t`.
#[repr(C)]
pub(super) struct Kstat {
    crtime: i64,
    kid: c_int,
    module: [c_char; STRLEN],
    instance: c_int,
    name: [c_char; STRLEN],
    class: [c_char; STRLEN],
    kind: u8,
    pub(super) flags: u8,
    pub(super) data: *mut c_void,
    pub(super) ndata: c_uint,
    pub(super) data_size: usize,
    pub(super) snaptime: i64,
    pub(super) update: Option<unsafe extern "C" fn(*mut Kstat, c_int) -> c_int>,
    pub(super) private: *mut c_void,
    pub(super) snapshot: Option<unsafe extern "C" fn(*mut Kstat, *mut c_void, c_int) -> c_int>,
    pub(super) lock: *mut bindings::mutex,
    pub(super) spinlock: *mut bindings::spinlock_t,
}

/// `KSTAT_DATA_*`.
pub(super) mod data_type {
    pub(crate) const CHAR: u8 = 0;
    pub(crate) const INT32: u8 = 1;
    pub(crate) const UINT32: u8 = 2;
    pub(crate) const INT64: u8 = 3;
    pub(crate) const UINT64: u8 = 4;
    pub(crate) const LONG: u8 = 7;
    pub(crate) const ULONG: u8 = 8;
    pub(crate) const STRING: u8 = 9;
}

/// `kstat_named_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub(super) name: [c_char; STRLEN],
    pub(super) data_type: u8,
    /// A union. Every member begins at the first byte.
    pub(super) value: [u64; 2],
}

impl Named {
    pub(super) const NONE: Named = Named {
        name: [0; STRLEN],
        data_type: 0,
        value: [0; 2],
    };
}

/// `kstat_io_t`.
#[repr(C)]
pub(super) struct Io {
    pub(super) nread: u64,
    pub(super) nwritten: u64,
    pub(super) reads: c_uint,
    pub(super) writes: c_uint,
    times: [i64; 6],
    wcnt: c_uint,
    rcnt: c_uint,
}

/// `kstat_timer_t`.
#[repr(C)]
pub(super) struct Timer {
    name: [c_char; STRLEN],
    num_events: u64,
    times: [i64; 5],
}

extern "C" {
    pub(super) fn iostat_kstat_create(
        module: *const c_char,
        instance: c_int,
        name: *const c_char,
        class: *const c_char,
        kind: u8,
        ndata: c_uint,
        flags: u8,
        owner: *mut c_void,
    ) -> *mut Kstat;
    pub(super) fn iostat_kstat_install(ksp: *mut Kstat, owner: *mut c_void) -> c_int;
    pub(super) fn iostat_kstat_delete(ksp: *mut Kstat, owner: *mut c_void) -> c_int;
    pub(super) fn iostat_kstat_named_init(
        knp: *mut Named,
        name: *const c_char,
        data_type: u8,
    ) -> c_int;
    pub(super) fn iostat_kstat_named_setstr(knp: *mut Named, src: *const c_char) -> c_int;
    pub(super) fn iostat_kstat_timer_init(ktp: *mut Timer, name: *const c_char) -> c_int;
    pub(super) fn iostat_kstat_timer_start(ktp: *mut Timer);
    pub(super) fn iostat_kstat_timer_stop(ktp: *mut Timer);
    pub(super) fn iostat_kstat_waitq_enter(kiop: *mut Io);
    pub(super) fn iostat_kstat_waitq_exit(kiop: *mut Io);
    pub(super) fn iostat_kstat_runq_enter(kiop: *mut Io);
    pub(super) fn iostat_kstat_runq_exit(kiop: *mut Io);
    pub(super) fn iostat_kstat_waitq_to_runq(kiop: *mut Io);
    pub(super) fn iostat_kstat_runq_back_to_waitq(kiop: *mut Io);
    pub(super) fn iostat_clock_read() -> u64;
}

const _: () =
    assert!(size_of::<Named>() == 48 && size_of::<Io>() == 80 && size_of::<Timer>() == 80);
