// SPDX-License-Identifier: GPL-2.0

//! Hints for the compiler, for code in which single instructions count.
//!
//! This file does not use the kernel: floor 0 uses it on the host as well.

/// Returns `value`. The compiler knows nothing of the result, so it cannot replace the computation in the
/// source by another one.
#[inline(always)]
pub(crate) fn opaque(value: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut value = value;
        // SAFETY: No instruction at all.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) value,
                options(pure, nomem, nostack, preserves_flags)
            )
        };
        value
    }
    #[cfg(not(target_arch = "x86_64"))]
    value
}

/// Returns `value`, as [`opaque`] does. In addition, the compiler does not move this after later assembly.
#[inline(always)]
pub(crate) fn held(value: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut value = value;
        // SAFETY: No instruction at all.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) value,
                options(nomem, nostack, preserves_flags)
            )
        };
        value
    }
    #[cfg(not(target_arch = "x86_64"))]
    value
}

/// Returns `value` with this bit set, by one instruction. The compiler would use two for a bit
/// above 31.
#[inline(always)]
pub(crate) fn with_bit<const BIT: u32>(value: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut value = value;
        // SAFETY: Changes a register, and the flags.
        unsafe {
            core::arch::asm!(
                "bts {0}, {1}",
                inout(reg) value,
                const BIT,
                options(pure, nomem, nostack)
            )
        };
        value
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        value | 1 << BIT
    }
}

/// Returns the pointer, in a register from which the compiler computes all further addresses.
#[inline(always)]
pub(crate) fn opaque_ptr<T>(value: *const T) -> *const T {
    #[cfg(target_arch = "x86_64")]
    {
        // CAST: The address of `value`, which is the same behind the assembly.
        let mut address = value as usize;
        // SAFETY: No instruction at all.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) address,
                options(pure, nomem, nostack, preserves_flags)
            )
        };
        address as *const T
    }
    #[cfg(not(target_arch = "x86_64"))]
    value
}

/// To be called at the end of one of two branches: the compiler then does not merge their last instructions,
/// even if these are equal.
#[inline(always)]
pub(crate) fn keep_apart() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: No instruction at all.
    unsafe {
        core::arch::asm!("", options(nostack, preserves_flags));
    }
}

/// To be called in a branch that is rarely taken: the compiler moves the branch out of the common
/// path.
#[cold]
#[inline]
pub(crate) fn rarely() {}

/// Reads a word that only the caller writes. Unlike an atomic load, the read can be an operand of another
/// instruction.
///
/// The compiler does not check that no other thread, and no interrupt, writes the word meanwhile, not even by an atomic
/// store: that would be a data race. The function is safe all the same, because its callers may not contain `unsafe`. So each
/// caller says who the owner is.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn read_by_owner(word: &core::sync::atomic::AtomicU64) -> u64 {
    // SAFETY: The word is valid and aligned. Only the caller writes it, as documented above, so there is no data race.
    unsafe { word.as_ptr().read() }
}
