// SPDX-License-Identifier: GPL-2.0

//! The functions that other modules call: each makes safe types of its arguments, and one call of the
//! rest. See `include/iostat/evcnt.h` for what they do; `src/exports.c` exports them.
//!
//! What a client does wrong is its errno and, with a rate limit, a line in the kernel's log.

pub(super) mod devstat;
pub(super) mod kstat;
mod kstat_data;

use super::evcnt::{
    Client,
    Event,
    Events,
    Handle, //
};
use crate::{
    abi::name::Name,
    acct::evcnt::{
        Type,
        EVCNT_STRING_MAX, //
    },
    kernel_ext::{
        bindings as own,
        global::Global,
        module::{
            is_going,
            Owner, //
        },
        print::may_warn, //
    },
};
use kernel::{
    bindings,
    ffi::{
        c_char,
        c_int, //
    },
    prelude::*, //
};

/// All event counters, from the module's init to its exit. Whoever calls a function of this file
/// depends on the module by that function's symbol, and so comes after the one and goes before
/// the other.
pub(super) static EVENTS: Global<Events> = Global::new();

/// # Safety
///
/// Called by a function that another module called, for as long as that call takes.
#[inline(always)]
unsafe fn events<'a>() -> Option<&'a Events> {
    // SAFETY: By this function's requirement another module is there, see `EVENTS`.
    unsafe { EVENTS.get() }
}

// Whether each has the type that a header in `include/iostat/` gives it: both arms of an `if` have one.
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

/// A string of a client's, up to one byte more than is allowed.
///
/// # Safety
///
/// `text` is null or NUL-terminated, and does not change during `'a`.
unsafe fn string<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: By this function's requirement, the bytes up to the first NUL are there.
    let is_end = |len: &usize| unsafe { text.add(*len).read() } == 0;
    let len = (0..EVCNT_STRING_MAX).find(is_end);
    let len = len.unwrap_or(EVCNT_STRING_MAX);
    // SAFETY: Likewise: none of them was NUL.
    unsafe { core::slice::from_raw_parts(text.cast(), len) }
}

/// Attaches what is at `ev`; its handle.
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
) -> Result<Handle> {
    // SAFETY: By this function's requirement.
    let (events, module) = unsafe { (events().ok_or(ENODEV)?, Owner::from_raw(owner)) };
    // SAFETY: By this function's requirement.
    let (group, name) = unsafe { (string(group), string(name)) };
    let attach = || {
        if ev.is_null() {
            return Err(EINVAL);
        }
        let kind = u64::try_from(kind).ok().and_then(Type::from_number);
        let event = Event::new(kind.ok_or(EINVAL)?, group, name)?;
        let parent = match parent.is_null() {
            true => None,
            // Looked up and not into.
            false => Some(events.find(parent as usize).ok_or(ENOENT)?),
        };
        let address = ev as usize;
        let client = Client {
            owner: module,
            address,
        };
        let handle = events.attach(event, parent, Some(client), count)?;
        // SAFETY: By this function's requirement.
        if unsafe { is_going(owner) } {
            // Or it has gone with the module already.
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
            // Not the client's fault.
            _ => return,
        };
        if may_warn() {
            let (group, name) = (Name::new(group), Name::new(name));
            pr_warn!(
                "evcnt: {}: cannot attach {group} {name}: {why}\n",
                module.name()
            );
        }
    })
}

/// # Safety
///
/// Called by another module, which is `owner` or null, from where one may sleep. `ev` is null or
/// an event counter of its own, `group` and `name` null or NUL-terminated.
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
    // SAFETY: By this function's requirement.
    match unsafe { attach(ev, kind, parent, group, name, count, owner) } {
        Ok(handle) => {
            // SAFETY: By this function's requirement `ev` is memory of the client's, whatever is in it;
            // `attach` refuses null.
            unsafe {
                ev.write(own::evcnt {
                    ev_detached_count: count,
                    ev_handle: handle.bits(),
                    ev_parent: parent,
                    ev_group: group,
                    ev_name: name,
                    // CAST: A type that there is.
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
/// As for [`iostat_evcnt_attach_dynamic`], and what `ev` points to is initialised.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_attach(
    ev: *mut own::evcnt,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By this function's requirement.
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
    // SAFETY: By this function's requirement.
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
/// Called by another module, which is `owner` or null, from where one may sleep. `ev` is null or
/// an event counter of its own, with which nobody is counting.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_detach(
    ev: *mut own::evcnt,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By this function's requirement.
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
            // SAFETY: By this function's requirement it is an event counter of the client's: it was
            // attached at this address.
            unsafe {
                (*ev).ev_detached_count = count;
                (*ev).ev_handle = Handle::NONE.bits();
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
                pr_warn!("evcnt: {}: cannot detach: {why}\n", owner.name());
            }
            error.to_errno()
        }
    }
}

/// The handle that a client's counter says it has: looked up wherever it is used.
///
/// # Safety
///
/// `ev` is null or an event counter.
#[inline(always)]
unsafe fn handle(ev: *const own::evcnt) -> Handle {
    if ev.is_null() {
        return Handle::NONE;
    }
    // SAFETY: By this function's requirement; who attaches or detaches it at the same time changes the
    // word as a whole.
    Handle::from_bits(unsafe { core::ptr::addr_of!((*ev).ev_handle).read_volatile() })
}

/// # Safety
///
/// Called by another module, in any context but an NMI's. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_add(ev: *const own::evcnt, n: u64) {
    // SAFETY: By this function's requirement.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    if let Some(events) = events {
        events.add(handle, n);
    }
}

/// # Safety
///
/// Called by another module, in any context but an NMI's. `ev` is null or an event counter that is not
/// attached or detached at the same time.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_set(ev: *mut own::evcnt, count: u64) {
    if ev.is_null() {
        return;
    }
    // SAFETY: By this function's requirement.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    let is_set = events.is_some_and(|events| events.set(handle, count));
    if !is_set {
        // SAFETY: By this function's requirement it is an event counter of the caller's, and no other
        // function of this file writes to it now.
        unsafe { (*ev).ev_detached_count = count };
    }
}

/// # Safety
///
/// Called by another module, in any context. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_read(ev: *const own::evcnt) -> u64 {
    // SAFETY: By this function's requirement.
    let (events, handle) = unsafe { (events(), handle(ev)) };
    let count = events.and_then(|events| events.get(handle));
    // SAFETY: By this function's requirement.
    count.unwrap_or_else(|| unsafe { ev.as_ref() }.map_or(0, |ev| ev.ev_detached_count))
}

/// # Safety
///
/// Called by another module, from where one may sleep. `ev` is null or an event counter.
#[no_mangle]
unsafe extern "C" fn iostat_evcnt_read_total(ev: *const own::evcnt) -> u64 {
    // SAFETY: By this function's requirement.
    let total = unsafe { events().and_then(|events| events.total(handle(ev))) };
    // SAFETY: By this function's requirement.
    total.unwrap_or_else(|| unsafe { iostat_evcnt_read(ev) })
}
