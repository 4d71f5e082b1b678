// SPDX-License-Identifier: GPL-2.0

//! The functions that other modules call: each one checks its arguments, makes safe types of them, and makes
//! one call of the other parts of `kapi`. See `include/iostat/evcnt.h` for what they do; `src/hooks/exports.c`
//! exports them.
//!
//! A mistake of a client is returned as an errno and, with a rate limit, reported in the kernel log.

pub(super) mod devstat;
pub(super) mod kstat;
mod kstat_data;

use crate::{
    abi::name::Name,
    acct::evcnt::{
        EvcntType,
        EVCNT_STRING_MAX, //
    },
    evcnt::{
        CounterId,
        CounterOwner,
        EventDescription,
        Events, //
    },
    glue::{
        bindings as own,
        print::may_warn, //
    },
    kernel_ext::{
        global::Global,
        module::{
            is_unloading,
            Owner, //
        }, //
    }, //
};
use kernel::{
    bindings,
    ffi::{
        c_char,
        c_int, //
    },
    prelude::*, //
};

/// All event counters, from the init of this module to its exit. A module that calls a function of this file
/// depends on this module by the symbol of that function, so it is loaded after this module's init and unloaded
/// before this module's exit.
pub(super) static EVENTS: Global<Events> = Global::new();

/// # Safety
///
/// The caller was called, directly or not, by another module, and uses the reference only until it returns.
#[inline(always)]
unsafe fn events<'a>() -> Option<&'a Events> {
    // SAFETY: By the requirement of this function a module that depends on this one is loaded, see `EVENTS`.
    unsafe { EVENTS.get() }
}

// Checks that each function has the type that a header in `include/iostat/` declares: both branches of an `if`
// must have the same type.
macro_rules! declared {
    ($($function:ident)*) => {
        $(const _: () = {
            if true {
                own::$function
            } else {
                $function
            };
        };)*
    };
}
use declared;

declared!(iostat_evcnt_attach iostat_evcnt_attach_dynamic iostat_evcnt_detach);
declared!(iostat_evcnt_add iostat_evcnt_set iostat_evcnt_read iostat_evcnt_read_total);

/// Returns a string of a client. It is cut after one byte more than is allowed.
///
/// # Safety
///
/// `text` is null or NUL-terminated, and does not change during `'a`.
unsafe fn string<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: By the requirement of this function, all bytes up to the first NUL are valid for reads.
    let is_end = |len: &usize| unsafe { text.add(*len).read() } == 0;
    let len = (0..EVCNT_STRING_MAX).find(is_end);
    let len = len.unwrap_or(EVCNT_STRING_MAX);
    // SAFETY: By the requirement of this function, these bytes are valid for reads: none of them is the NUL.
    unsafe { core::slice::from_raw_parts(text.cast(), len) }
}

/// Attaches the counter at `ev`. Returns its handle.
///
/// # Safety
///
/// As for [`iostat_evcnt_attach_dynamic`].
unsafe fn attach(
    ev: *mut own::evcnt,
    kind: c_int,
    parent: *const own::evcnt,
    group: *const c_char,
    name: *const c_char,
    count: u64,
    owner: *mut bindings::module,
) -> Result<CounterId> {
    // SAFETY: By the requirement of this function another module made this call, and `owner` is that module or
    // null.
    let (events, module) = unsafe { (events().ok_or(ENODEV)?, Owner::from_raw(owner)) };
    // SAFETY: By the requirement of this function both are null or NUL-terminated.
    let (group, name) = unsafe { (string(group), string(name)) };
    let attach = || {
        if ev.is_null() {
            return Err(EINVAL);
        }
        let kind = u64::try_from(kind).ok().and_then(EvcntType::from_number);
        let event = EventDescription::new(kind.ok_or(EINVAL)?, group, name)?;
        let parent = match parent.is_null() {
            true => None,
            // The address is only looked up, not dereferenced.
            false => Some(events.find(parent as usize).ok_or(ENOENT)?),
        };
        let address = ev as usize;
        let client = CounterOwner {
            owner: module,
            address,
        };
        let handle = events.attach(event, parent, Some(client), count)?;
        // SAFETY: By the requirement of this function `owner` is the calling module or null.
        if unsafe { is_unloading(owner) } {
            // The module notifier may have detached it already.
            let _ = events.detach(handle);
            return Err(ENODEV);
        }
        Ok(handle)
    };
    attach().inspect_err(|error| {
        let why = match error.to_errno().wrapping_neg() as u32 {
            bindings::EEXIST => "already attached",
            bindings::ENOENT => "parent is not attached",
            bindings::ENOSPC => "too many event counters",
            bindings::ENAMETOOLONG => "group or name too long",
            bindings::EINVAL => "invalid type, group, name or address",
            bindings::ENODEV => "module is being unloaded",
            // Not caused by the client.
            _ => return,
        };
        if may_warn() {
            let (group, name) = (Name::new(group), Name::new(name));
            pr_warn!(
                "evcnt: {}: cannot attach {group} {name}: {why}\n",
                Name::new(module.name())
            );
        }
    })
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. `ev` is null or
/// memory of that module for an event counter; `group` and `name` are null or NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_attach_dynamic(
    ev: *mut own::evcnt,
    kind: c_int,
    parent: *const own::evcnt,
    group: *const c_char,
    name: *const c_char,
    count: u64,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By the requirement of this function.
    match unsafe { attach(ev, kind, parent, group, name, count, owner) } {
        Ok(handle) => {
            // SAFETY: By the requirement of this function `ev` is memory of the client, and valid for writes;
            // it is not null, which `attach` refuses.
            unsafe {
                ev.write(own::evcnt {
                    ev_detached_count: count,
                    ev_handle: handle.bits(),
                    ev_parent: parent,
                    ev_group: group,
                    ev_name: name,
                    // CAST: `attach` has checked that it is a valid type.
                    ev_type: kind as u8,
                })
            };
            0
        }
        Err(error) => error.to_errno(),
    }
}

/// # Safety
///
/// As for [`iostat_evcnt_attach_dynamic`], and the memory at `ev` is initialised.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_attach(
    ev: *mut own::evcnt,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By the requirement of this function `ev` is null, or valid and initialised.
    let Some(said) = (unsafe { ev.as_ref() }) else {
        return EINVAL.to_errno();
    };
    let own::evcnt {
        ev_detached_count,
        ev_parent,
        ev_group,
        ev_name,
        ev_type,
        ..
    } = *said;
    let kind = c_int::from(ev_type);
    // SAFETY: By the requirement of this function.
    unsafe {
        iostat_evcnt_attach_dynamic(
            ev,
            kind,
            ev_parent,
            ev_group,
            ev_name,
            ev_detached_count,
            owner,
        )
    }
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. `ev` is null or an
/// event counter of that module, with which no thread counts at the same time.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_detach(
    ev: *mut own::evcnt,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By the requirement of this function another module made this call, and `owner` is that module or
    // null.
    let (events, owner) = unsafe {
        let Some(events) = events() else {
            return ENODEV.to_errno();
        };
        (events, Owner::from_raw(owner))
    };
    let detach = || {
        if ev.is_null() {
            return Err(EINVAL);
        }
        events.detach(events.find(ev as usize).ok_or(ENOENT)?)
    };
    match detach() {
        Ok(count) => {
            // SAFETY: By the requirement of this function `ev` is an event counter of the client; it is not
            // null, and was attached at this address.
            unsafe {
                (*ev).ev_detached_count = count;
                (*ev).ev_handle = CounterId::NONE.bits();
            }
            0
        }
        Err(error) => {
            if may_warn() {
                let why = match error {
                    EBUSY => "it has children",
                    ENOENT => "not attached",
                    _ => "invalid address",
                };
                pr_warn!("evcnt: {}: cannot detach: {why}\n", Name::new(owner.name()));
            }
            error.to_errno()
        }
    }
}

/// Returns the handle in a counter of a client. It may be any number: every use looks it up.
///
/// # Safety
///
/// `ev` is null or an event counter.
#[inline(always)]
unsafe fn handle(ev: *const own::evcnt) -> CounterId {
    if ev.is_null() {
        return CounterId::NONE;
    }
    // SAFETY: By the requirement of this function `ev` is valid. A thread that attaches or detaches it at the
    // same time writes the word in one access.
    CounterId::from_bits(unsafe { core::ptr::addr_of!((*ev).ev_handle).read_volatile() })
}

/// # Safety
///
/// Called by another module, in any context but NMI. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_add(ev: *const own::evcnt, n: u64) {
    // SAFETY: By the requirement of this function another module made this call, and `ev` is null or an event
    // counter.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    if let Some(events) = events {
        events.add(handle, n);
    }
}

/// # Safety
///
/// Called by another module, in any context but NMI. `ev` is null or an event counter that is not attached or
/// detached at the same time.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_set(ev: *mut own::evcnt, count: u64) {
    if ev.is_null() {
        return;
    }
    // SAFETY: By the requirement of this function another module made this call, and `ev` is an event counter.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    let is_set = events.is_some_and(|events| events.set(handle, count));
    if !is_set {
        // SAFETY: By the requirement of this function `ev` is an event counter of the caller, and is not
        // attached or detached now; other functions of this file do not write to it.
        unsafe { (*ev).ev_detached_count = count };
    }
}

/// # Safety
///
/// Called by another module, in any context. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_read(ev: *const own::evcnt) -> u64 {
    // SAFETY: By the requirement of this function another module made this call, and `ev` is null or an event
    // counter.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    let count = events.and_then(|events| events.get(handle));
    // SAFETY: By the requirement of this function `ev` is null or an event counter.
    count.unwrap_or_else(|| unsafe { ev.as_ref() }.map_or(0, |ev| ev.ev_detached_count))
}

/// # Safety
///
/// Called by another module, in a context that may sleep. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_read_total(ev: *const own::evcnt) -> u64 {
    // SAFETY: By the requirement of this function another module made this call, and `ev` is null or an event
    // counter.
    let total = unsafe { events().and_then(|events| events.total(handle(ev))) };
    // SAFETY: By the requirement of this function `ev` is null or an event counter.
    total.unwrap_or_else(|| unsafe { iostat_evcnt_read(ev) })
}
