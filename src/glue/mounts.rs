// SPDX-License-Identifier: GPL-2.0

//! The memory of the table of mounts, for `src/io/mount_table.c`, which publishes it.
//!
//! C header: `include/iostat/mount_table.h`.

use super::{
    bindings as own,
    string::bytes, //
};
use crate::{
    abi::mountinfo::{
        self,
        MountTable,
        Mounted, //
    },
    kernel_ext::bindings::dev_t,
};
use core::ptr::null;
use kernel::{
    alloc::KVVec,
    ffi::c_char,
    prelude::*, //
};

/// Limits of former mounts that are kept: lines, and bytes of their paths.
const FORMER_LINES: usize = 256;
const FORMER_BYTES: usize = 64 << 10;

/// A table of mounts.
///
/// # Invariants
///
/// Each path in `text` that `mounted` refers to ends in a NUL.
struct OwnedMounts {
    text: KVVec<u8>,
    mounted: KVVec<Mounted>,
}

impl OwnedMounts {
    /// Parses a text of mountinfo, and adds the mounts that have been unmounted since `old`. May sleep;
    /// `ENOMEM`.
    fn new(mountinfo: &[u8], old: Option<&OwnedMounts>) -> Result<Self> {
        // The NUL of a last word without a newline needs a byte.
        let mut text = KVVec::with_capacity(mountinfo.len().saturating_add(1), GFP_KERNEL)?;
        text.extend_from_slice(mountinfo, GFP_KERNEL)?;
        text.push(b'\n', GFP_KERNEL)?;
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let mut mounted = KVVec::with_capacity(lines.saturating_add(FORMER_LINES), GFP_KERNEL)?;
        mountinfo::parse(&mut text, |line| mounted.push_within_capacity(line).is_ok());
        mountinfo::sort(&mut mounted);
        // INVARIANT: `parse()` has written the NULs.
        let mut mounts = OwnedMounts { text, mounted };
        if let Some(old) = old {
            // Without memory for them, former mounts are not kept.
            let _ = mounts.keep_former(old);
        }
        Ok(mounts)
    }

    fn keep_former(&mut self, old: &OwnedMounts) -> Result {
        let mut former = KVec::with_capacity(FORMER_LINES, GFP_KERNEL)?;
        let mut bytes = 0usize;
        for line in old.table().former(self.table()) {
            let more = bytes.saturating_add(line.copied_len());
            if more > FORMER_BYTES || former.push_within_capacity(line).is_err() {
                break;
            }
            bytes = more;
        }
        let mut len = self.text.len();
        self.text.resize(len.saturating_add(bytes), 0, GFP_KERNEL)?;
        // CAST: No more lines than bytes, of which there are 16 MiB at most.
        let first = self.text.len() as u32;
        for (line, number) in former.into_iter().zip(first..) {
            let copy = mountinfo::copy_former(line, &old.text, &mut self.text, len, number);
            let (copy, end) = copy.ok_or(EINVAL)?;
            len = end;
            // INVARIANT: `copy_former()` has written the NULs.
            let _ = self.mounted.push_within_capacity(copy);
        }
        mountinfo::sort(&mut self.mounted);
        Ok(())
    }

    fn table(&self) -> MountTable<'_> {
        MountTable::new(&self.text, &self.mounted)
    }

    /// Returns a pointer to the path at this index of the text; null for [`None`].
    fn path(&self, index: Option<usize>) -> *const c_char {
        let path = index.and_then(|index| self.text.get(index..));
        path.map_or(null(), |path| path.as_ptr().cast())
    }
}

/// Returns a table of C.
///
/// # Safety
///
/// `mounts` is from `iostat_mounts_new()`, and is not freed as long as the result is used.
unsafe fn table<'a>(mounts: *const own::iostat_mounts) -> &'a OwnedMounts {
    // SAFETY: By the requirement of this function; `iostat_mounts_new()` returns the address of a `OwnedMounts`.
    unsafe { &*mounts.cast() }
}

/// # Safety
///
/// `text` has `len` bytes; `old` is null or a table.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_new(
    text: *const c_char,
    len: usize,
    old: *const own::iostat_mounts,
) -> *mut own::iostat_mounts {
    // SAFETY: By the requirement of this function.
    let text = unsafe { core::slice::from_raw_parts(text.cast(), len) };
    // SAFETY: By the requirement of this function.
    let old = (!old.is_null()).then(|| unsafe { table(old) });
    let mounts = OwnedMounts::new(text, old).and_then(|mounts| Ok(KBox::new(mounts, GFP_KERNEL)?));
    mounts.map_or(core::ptr::null_mut(), |mounts| {
        KBox::into_raw(mounts).cast()
    })
}

/// # Safety
///
/// `mounts` is a table, which is not used any more.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_free(mounts: *mut own::iostat_mounts) {
    // SAFETY: By the requirement of this function it is from `KBox::into_raw()` in `iostat_mounts_new()`.
    drop(unsafe { KBox::from_raw(mounts.cast::<OwnedMounts>()) });
}

/// # Safety
///
/// `mounts` is a table.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_set_gone(mounts: *const own::iostat_mounts, dev: dev_t) {
    // SAFETY: By the requirement of this function.
    let mounts = unsafe { table(mounts) };
    mounts.table().of_dev(dev).for_each(Mounted::set_gone);
}

/// # Safety
///
/// `mounts` is a table.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_set_all_gone(mounts: *const own::iostat_mounts) {
    // SAFETY: By the requirement of this function.
    let mounts = unsafe { table(mounts) };
    mounts.mounted.iter().for_each(Mounted::set_gone);
}

/// # Safety
///
/// `mounts` is a table, `path` a string, and `rest` valid for writes.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_of(
    mounts: *const own::iostat_mounts,
    dev: dev_t,
    path: *const c_char,
    rest: *mut *const c_char,
) -> *const c_char {
    // SAFETY: By the requirement of this function.
    let (mounts, name) = unsafe { (table(mounts), bytes(path)) };
    let Some((point, skipped)) = mounts.table().of(dev, name) else {
        return null();
    };
    // SAFETY: By the requirement of this function.
    unsafe { rest.write(path.wrapping_add(skipped)) };
    mounts.path(Some(point))
}

/// # Safety
///
/// `mounts` is a table.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_of_all(
    mounts: *const own::iostat_mounts,
    dev: dev_t,
) -> *const c_char {
    // SAFETY: By the requirement of this function.
    let mounts = unsafe { table(mounts) };
    mounts.path(mounts.table().of_all(dev))
}

/// # Safety
///
/// `mounts` is a table; `path` and `name` are strings.
#[no_mangle]
unsafe extern "C" fn iostat_mounts_at(
    mounts: *const own::iostat_mounts,
    dev: dev_t,
    path: *const c_char,
    name: *const c_char,
) -> *const c_char {
    // SAFETY: By the requirement of this function.
    let (mounts, path, name) = unsafe { (table(mounts), bytes(path), bytes(name)) };
    mounts.path(mounts.table().at(dev, path, name))
}

same_types!(
    iostat_mounts_new,
    iostat_mounts_free,
    iostat_mounts_set_gone,
    iostat_mounts_set_all_gone,
    iostat_mounts_of,
    iostat_mounts_of_all,
    iostat_mounts_at
);
