// SPDX-License-Identifier: GPL-2.0

//! The functions of kstats: see `include/iostat/kstat.h`.

use super::{
    super::kstat::{
        Chain,
        KstatClass,
        KstatKey,
        New, //
    },
    string, //
};
use crate::{
    abi::name::Name,
    acct::kstat::{
        check_name,
        flags,
        BadName,
        KstatType, //
    },
    glue::{
        bindings as own,
        clock,
        kstat::ClientKstat,
        print::may_warn, //
    },
    kernel_ext::{
        error::{
            name_too_long,
            would_deadlock, //
        },
        global::Global,
        module::{
            is_unloading,
            Owner, //
        }, //
    }, //
};
use kernel::{
    bindings,
    error::code::*,
    ffi::{
        c_char,
        c_int,
        c_uint, //
    },
    prelude::*, //
};

/// All kstats, from the init of this module to its exit: see [`super::EVENTS`].
pub(in super::super) static CHAIN: Global<Chain> = Global::new();

/// # Safety
///
/// The caller was called, directly or not, by another module, and uses the reference only until it returns.
unsafe fn chain<'a>() -> Option<&'a Chain> {
    // SAFETY: By the requirement of this function a module that depends on this one is loaded, see `CHAIN`.
    unsafe { CHAIN.get() }
}

super::declared!(iostat_kstat_create iostat_kstat_install iostat_kstat_delete iostat_kstat_lookup);

/// Returns the text for an error that the client caused. The texts for `EEXIST` and `EINVAL` depend on the
/// function that was called.
fn why(error: Error, exists: &'static str, invalid: &'static str) -> Option<&'static str> {
    Some(match error {
        EEXIST => exists,
        ENOENT => "no such kstat",
        error if error == name_too_long() => "name too long",
        error if error == would_deadlock() => "called from its own ks_update() or ks_snapshot()",
        EINVAL => invalid,
        ENODEV => "module is being unloaded",
        // Not caused by the client.
        _ => return None,
    })
}

fn name(text: &[u8]) -> Result<Name> {
    check_name(text).map_err(|bad| match bad {
        BadName::Unprintable => EINVAL,
        BadName::TooLong => name_too_long(),
    })?;
    Ok(Name::new(text))
}

/// Returns the name that was given, or one made of module and instance.
fn name_or_made(given: Option<&[u8]>, module: Name, instance: i32) -> Result<Name> {
    match given {
        Some(given) => name(given),
        None => name(module.with_unit(instance).bytes()),
    }
}

/// Returns a string of a client that may be null.
///
/// # Safety
///
/// As for [`string`].
unsafe fn optional<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: By the requirement of this function it is NUL-terminated, and it is not null.
    (!text.is_null()).then(|| unsafe { string(text) })
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. The strings are null
/// or NUL-terminated. The pointers that the client sets in the returned kstat are valid from its installation
/// to its deletion.
///
/// The function returns an `ERR_PTR()` on failure.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_create(
    ks_module: *const c_char,
    ks_instance: c_int,
    ks_name: *const c_char,
    ks_class: *const c_char,
    ks_type: u8,
    ks_ndata: c_uint,
    ks_flags: u8,
    owner: *mut bindings::module,
) -> *mut own::iostat_kstat {
    // SAFETY: By the requirement of this function another module made this call, and `owner` is that module or
    // null.
    let (chain, client) = unsafe { (chain(), Owner::from_raw(owner)) };
    // SAFETY: By the requirement of this function the strings are null or NUL-terminated.
    let (module, given, class) =
        unsafe { (string(ks_module), optional(ks_name), string(ks_class)) };
    let Some(chain) = chain else {
        return ENODEV.to_ptr();
    };
    let create = || {
        let checked = name(module)?;
        let kind = KstatType::from_number(ks_type).ok_or(EINVAL)?;
        if !kind.takes(ks_ndata) || !flags::may_be_asked(ks_flags) {
            return Err(EINVAL);
        }
        let mut new = New {
            key: KstatKey::new(
                checked,
                ks_instance,
                name_or_made(given, checked, ks_instance)?,
            ),
            class: KstatClass::new(name(class)?)?,
            kind,
            ndata: ks_ndata,
            flags: ks_flags,
            crtime_ns: clock::now_ns(),
        };
        // SAFETY: By the requirement of this function the client keeps what it sets in the kstat valid.
        let address = chain.create(&mut new, client, |header| unsafe {
            ClientKstat::new(header)
        })?;
        // SAFETY: By the requirement of this function `owner` is the calling module or null.
        if unsafe { is_unloading(owner) } {
            // The module notifier may have deleted it already.
            let _ = chain.delete(address);
            return Err(ENODEV);
        }
        Ok(address)
    };
    match create() {
        Ok(address) => address as *mut own::iostat_kstat,
        Err(error) => {
            let why = why(
                error,
                "already exists",
                "invalid type, ndata, flags or name",
            );
            if let Some(why) = why.filter(|_| may_warn()) {
                let (module, name) = (Name::new(module), Name::new(given.unwrap_or(b"")));
                let owner = Name::new(client.name());
                pr_warn!("kstat: {owner}: cannot create {module}:{ks_instance}:{name}: {why}\n");
            }
            error.to_ptr()
        }
    }
}

/// Calls a method of the chain for a client. Returns 0, or the errno after a message in the kernel log.
///
/// # Safety
///
/// The caller was called by another module, and `owner` is that module or null.
unsafe fn returned(
    owner: *mut bindings::module,
    what: &str,
    act: impl FnOnce(&Chain) -> Result,
) -> c_int {
    // SAFETY: By the requirement of this function.
    let (chain, owner) = unsafe { (chain(), Owner::from_raw(owner)) };
    match chain.ok_or(ENODEV).and_then(act) {
        Ok(()) => 0,
        Err(error) => {
            let why = why(error, "already installed", "missing ks_lock or ks_snapshot");
            if let Some(why) = why.filter(|_| may_warn()) {
                pr_warn!("kstat: {}: cannot {what}: {why}\n", Name::new(owner.name()));
            }
            error.to_errno()
        }
    }
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. `ksp` may be any
/// value.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_install(
    ksp: *mut own::iostat_kstat,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By the requirement of this function. `ksp` is only looked up, not dereferenced.
    unsafe { returned(owner, "install", |chain| chain.install(ksp as usize)) }
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. `ksp` may be any
/// value.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_delete(
    ksp: *mut own::iostat_kstat,
    owner: *mut bindings::module,
) -> c_int {
    // SAFETY: By the requirement of this function. `ksp` is only looked up, not dereferenced.
    unsafe { returned(owner, "delete", |chain| chain.delete(ksp as usize)) }
}

/// # Safety
///
/// Called by another module, in a context that may sleep; `owner` is that module or null. The strings are null
/// or NUL-terminated.
#[no_mangle]
unsafe extern "C" fn iostat_kstat_lookup(
    ks_module: *const c_char,
    ks_instance: c_int,
    ks_name: *const c_char,
    owner: *mut bindings::module,
) -> *mut own::iostat_kstat {
    // SAFETY: By the requirement of this function another module made this call, and `owner` is that module or
    // null.
    let (chain, owner) = unsafe { (chain(), Owner::from_raw(owner)) };
    // SAFETY: By the requirement of this function the strings are null or NUL-terminated.
    let (asked_module, asked_name) = unsafe { (optional(ks_module), optional(ks_name)) };
    let address = chain.and_then(|chain| {
        chain.lookup(owner, |key| {
            let (module, instance, name) = key.parts();
            asked_module.is_none_or(|asked| asked == module)
                && (ks_instance == -1 || ks_instance == instance)
                && asked_name.is_none_or(|asked| asked == name)
        })
    });
    address.unwrap_or(0) as *mut own::iostat_kstat
}
