// SPDX-License-Identifier: GPL-2.0

//! The functions of devstat(9): see `include/iostat/devstat.h`, and `src/hooks/transactions.c`, which calls the
//! functions of this file that record transactions.

use crate::{
    abi::name::Name,
    acct::{
        class::{
            Class,
            Tag, //
        },
        client::EndArgs, //
    },
    glue::{
        bindings as own,
        print::may_warn, //
    },
    kapi::devstat::{
        DevstatEntries,
        EntryId,
        EntryParams,
        NAME_LEN, //
    },
    kernel_ext::{
        global::Global,
        module::{
            is_unloading,
            Owner, //
        },
        percpu::ThisCpu, //
    }, //
};
use kernel::{
    bindings,
    ffi::{
        c_char,
        c_int,
        c_void, //
    },
    prelude::*, //
};

/// All entries, from the init of this module to its exit: see `EVENTS`.
pub(in crate::kapi) static ENTRIES: Global<DevstatEntries> = Global::new();

/// # Safety
///
/// The caller was called, directly or not, by another module, and uses the reference only until it returns.
#[inline(always)]
unsafe fn entries<'a>() -> Option<&'a DevstatEntries> {
    // SAFETY: By the requirement of this function a module that depends on this one is loaded, see `EVENTS`.
    unsafe { ENTRIES.get() }
}

super::declared!(iostat_devstat_new_entry iostat_devstat_add_entry iostat_devstat_remove_entry);
super::declared!(iostat_devstat_set_block_size);
super::declared!(iostat_start iostat_end iostat_class);

const _: () = assert!(NAME_LEN == own::DEVSTAT_NAME_LEN as usize);

/// Returns whether it can be the address of a `struct devstat` of a client: it is aligned, and neither null nor
/// an `ERR_PTR()`.
#[inline(always)]
fn is_address(address: usize) -> bool {
    // CAST: The address range of `ERR_PTR()`s: negative numbers as unsigned.
    let errors = -i64::from(bindings::MAX_ERRNO) as usize;
    address != 0 && address % core::mem::align_of::<own::devstat>() == 0 && address < errors
}

/// Returns the handle of the entry that `ds` stands for: either `ds` is the handle itself, which is odd as no
/// address of a `struct devstat` is, or it is the address of a `struct devstat` of the client, which contains
/// the handle.
///
/// # Safety
///
/// `ds` was returned by `devstat_new_entry()`, or is null, or points to a `struct devstat`.
#[inline(always)]
unsafe fn handle(ds: *const own::devstat) -> EntryId {
    // CAST: 64 bits.
    let bits = ds as u64;
    if bits & 1 != 0 {
        return EntryId::from_bits(bits);
    }
    if !is_address(ds.addr()) {
        return EntryId::NONE;
    }
    // SAFETY: By the requirement of this function `ds` points to a `struct devstat`. A thread that adds or
    // removes it at the same time writes the word in one access.
    EntryId::from_bits(unsafe { core::ptr::addr_of!((*ds).handle).read_volatile() })
}

/// Reports in the kernel log why an entry was not added, if the client caused the error.
fn complain(error: Error, owner: &Owner, name: &[u8], unit: c_int) {
    let why = match error.to_errno().wrapping_neg() as u32 {
        bindings::EEXIST => "name or address in use",
        bindings::ENOSPC => "too many entries",
        bindings::ENAMETOOLONG => "name too long",
        bindings::EINVAL => "invalid name, unit, flags, type, priority or address",
        bindings::ENODEV => "module is being unloaded",
        // Not caused by the client.
        _ => return,
    };
    if may_warn() {
        let (owner, name) = (Name::new(owner.name()), Name::new(name));
        pr_warn!("devstat: {owner}: cannot add {name} {unit}: {why}\n");
    }
}

/// # Safety
///
/// As for [`iostat_devstat_new_entry`].
#[allow(clippy::too_many_arguments, reason = "C's")]
unsafe fn add(
    address: Option<usize>,
    dev_name: *const c_char,
    unit: c_int,
    block_size: u32,
    flags: u32,
    device_type: u32,
    priority: u32,
    owner: *mut bindings::module,
) -> Result<EntryId> {
    // SAFETY: By the requirement of this function another module made this call, and `owner` is that module or
    // null.
    let (entries, module) = unsafe { (entries().ok_or(ENODEV)?, Owner::from_raw(owner)) };
    let name = match unit {
        // Not listed: `dev_name` is an identifier of the client, not a string.
        -1 => &[],
        // SAFETY: By the requirement of this function it is null or NUL-terminated.
        _ => unsafe { super::string(dev_name) },
    };
    let params = EntryParams {
        name,
        unit,
        block_size,
        flags,
        device_type,
        priority,
    };
    let added = match address {
        // Null, an `ERR_PTR()`, or a handle of devstat_new_entry().
        Some(address) if !is_address(address) => Err(EINVAL),
        _ => entries.add(&params, module, address),
    };
    let added = added.and_then(|handle| {
        // SAFETY: By the requirement of this function `owner` is the calling module or null.
        if unsafe { is_unloading(owner) } {
            // The module notifier may have removed it already.
            let _ = entries.remove(handle);
            return Err(ENODEV);
        }
        Ok(handle)
    });
    added.inspect_err(|error| complain(*error, &module, name, unit))
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. If `unit` is not -1,
/// `dev_name` is null or NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_devstat_new_entry(
    dev_name: *const c_void,
    unit: c_int,
    block_size: u32,
    flags: u32,
    device_type: u32,
    priority: u32,
    owner: *mut bindings::module,
) -> *mut own::devstat {
    // SAFETY: By the requirement of this function.
    let added = unsafe {
        let name = dev_name.cast();
        add(
            None,
            name,
            unit,
            block_size,
            flags,
            device_type,
            priority,
            owner,
        )
    };
    match added {
        Ok(handle) => handle.bits() as *mut own::devstat,
        Err(error) => error.to_ptr(),
    }
}

/// # Safety
///
/// As for [`iostat_devstat_new_entry`], and `ds` is null or memory of the client.
#[no_mangle]
unsafe extern "C" fn iostat_devstat_add_entry(
    ds: *mut own::devstat,
    dev_name: *const c_char,
    unit: c_int,
    block_size: u32,
    flags: u32,
    device_type: u32,
    priority: u32,
    owner: *mut bindings::module,
) -> c_int {
    let address = Some(ds as usize);
    // SAFETY: By the requirement of this function.
    let added = unsafe {
        add(
            address,
            dev_name,
            unit,
            block_size,
            flags,
            device_type,
            priority,
            owner,
        )
    };
    match added {
        Ok(handle) => {
            // SAFETY: By the requirement of this function `ds` is memory of the client; `add` refuses null. It
            // need not be initialised.
            unsafe { core::ptr::addr_of_mut!((*ds).handle).write_volatile(handle.bits()) };
            0
        }
        Err(error) => error.to_errno(),
    }
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. `ds` as for
/// [`handle`].
#[no_mangle]
unsafe extern "C" fn iostat_devstat_remove_entry(
    ds: *mut own::devstat,
    owner: *mut bindings::module,
) -> c_int {
    if ds.is_null() {
        return 0;
    }
    // SAFETY: By the requirement of this function another module made this call, `owner` is that module or
    // null, and `ds` is as `handle` requires.
    let (entries, owner, handle) = unsafe {
        let Some(entries) = entries() else {
            return ENODEV.to_errno();
        };
        (entries, Owner::from_raw(owner), handle(ds))
    };
    match entries.remove(handle) {
        Ok(()) => 0,
        Err(error) => {
            if may_warn() {
                let owner = Name::new(owner.name());
                pr_warn!("devstat: {owner}: cannot remove: not an entry\n");
            }
            error.to_errno()
        }
    }
}

/// # Safety
///
/// Called by another module, in a context that may sleep. `ds` as for [`handle`].
#[no_mangle]
unsafe extern "C" fn iostat_devstat_set_block_size(
    ds: *mut own::devstat,
    block_size: u32,
) -> c_int {
    if ds.is_null() {
        return 0;
    }
    // SAFETY: By the requirement of this function another module made this call, and `ds` is as `handle`
    // requires.
    let (entries, handle) = unsafe { (entries(), handle(ds)) };
    let result = entries
        .ok_or(ENODEV)
        .and_then(|entries| entries.set_block_size(handle, block_size));
    result.map_or_else(|error| error.to_errno(), |()| 0)
}

/// # Safety
///
/// Called by `src/hooks/transactions.c` with interrupts disabled, for another module. `ds` as for [`handle`].
#[no_mangle]
unsafe extern "C" fn iostat_start(ds: *const own::devstat, here: own::iostat_probe_ctx) -> c_int {
    // SAFETY: By the requirement of this function another module made this call, `ds` is as `handle` requires,
    // interrupts are disabled, and `here` is of this CPU.
    let (entries, handle, cpu) = unsafe {
        let cpu = ThisCpu::new(here.cpu_offset);
        (entries(), handle(ds), cpu)
    };
    let started = entries.ok_or(ENODEV);
    let started = started.and_then(|all| all.start_transaction(handle, here.now_ns, cpu));
    started.map_or_else(Error::to_errno, |()| 0)
}

/// # Safety
///
/// As for [`iostat_start`]; `end` is valid, and `then` of it is valid or null.
#[no_mangle]
unsafe extern "C" fn iostat_end(
    ds: *const own::devstat,
    end: *const own::iostat_end,
    here: own::iostat_probe_ctx,
) -> c_int {
    // SAFETY: By the requirement of this function another module made this call, `ds` is as `handle` requires,
    // interrupts are disabled, `here` is of this CPU, and `end` and its `then` are valid.
    let (entries, handle, cpu, end, then) = unsafe {
        let cpu = ThisCpu::new(here.cpu_offset);
        let then = (*end).then.as_ref().copied();
        (entries(), handle(ds), cpu, &*end, then)
    };
    let class = Class::from_number(end.flags);
    let (Some(tag), Some(class)) = (Tag::from_number(end.tag_type), class) else {
        return EINVAL.to_errno();
    };
    let end = EndArgs {
        bytes: end.bytes,
        tag,
        class,
        then,
    };
    let ended = entries.ok_or(ENODEV);
    let ended = ended.and_then(|all| all.end_transaction(handle, end, here.now_ns, cpu));
    ended.map_or_else(Error::to_errno, |()| 0)
}

/// # Safety
///
/// There is no requirement: the function is unsafe because all functions that C calls have this type here.
#[no_mangle]
unsafe extern "C" fn iostat_class(op: u8, bytes: u32) -> u32 {
    Class::of(op, bytes) as u32
}
