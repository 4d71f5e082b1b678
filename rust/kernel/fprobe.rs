// SPDX-License-Identifier: GPL-2.0

//! Probes at the entry of a function of the kernel.
//!
//! A function without a tracepoint can be hooked if the kernel can trace it. Registering a hook is slow: the kernel
//! walks over all its functions several times.
//!
//! C header: [`include/linux/fprobe.h`](srctree/include/linux/fprobe.h).

use super::bindings;
use core::{
    cell::UnsafeCell,
    ffi::CStr,
    marker::PhantomData, //
};
use kernel::{
    error::to_result,
    ffi::{
        c_char,
        c_int,
        c_ulong,
        c_void, //
    },
    prelude::*, //
};

/// The arguments of a call of a hooked function.
pub(crate) struct Arguments<'a> {
    registers: *mut bindings::ftrace_regs,
    _call: PhantomData<&'a ()>,
}

impl Arguments<'_> {
    /// Returns the argument of this number, of those that are passed in registers.
    pub(crate) fn get(&self, number: u32) -> usize {
        // SAFETY: The registers are those of the call, which has not returned.
        unsafe { bindings::ftrace_regs_get_argument(self.registers, number) as usize }
    }
}

/// A function that is called at the entry of another.
pub(crate) trait EntryHandler: Send + Sync + 'static {
    /// Called at the entry of the function, before its body, in the context of its caller, with preemption disabled. Must
    /// not sleep.
    fn entry(&self, arguments: Arguments<'_>);
}

#[repr(C)]
struct FprobeInner<T> {
    /// First, so that its address is that of the whole.
    fprobe: UnsafeCell<bindings::fprobe>,
    handler: T,
}

/// A handler that is called at each entry of a function, until the value is dropped.
///
/// One value hooks one function: the kernel finds a single name by binary search, but several names by a walk over all
/// names.
pub(crate) struct Fprobe<T: EntryHandler>(KBox<FprobeInner<T>>);

// SAFETY: The functions of the kernel may be called from any thread, and `T` may be used and dropped by any.
unsafe impl<T: EntryHandler> Send for Fprobe<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: EntryHandler> Sync for Fprobe<T> {}

impl<T: EntryHandler> Fprobe<T> {
    /// Hooks the function of this name. May sleep, for some 100 ms.
    ///
    /// `ENOENT` if the kernel has no such function, or cannot trace it; `EOPNOTSUPP` if it is built without fprobes; `ENOMEM`.
    pub(crate) fn new(function: &CStr, handler: T) -> Result<Self> {
        let fprobe = UnsafeCell::new(bindings::fprobe {
            entry_handler: Some(Self::call),
            ..Default::default()
        });
        let inner = KBox::new(FprobeInner { fprobe, handler }, GFP_KERNEL)?;
        let mut names: [*const c_char; 1] = [function.as_char_ptr()];
        // SAFETY: The fprobe stays at its address until `drop` has unregistered it; the name is only read during the
        // call. If it fails, the kernel keeps nothing of it.
        to_result(unsafe {
            bindings::register_fprobe_syms(inner.fprobe.get(), names.as_mut_ptr(), 1)
        })?;
        Ok(Fprobe(inner))
    }

    /// # Safety
    ///
    /// Called by the kernel for an fprobe that `new` has registered, with the registers of a call.
    unsafe extern "C" fn call(
        fprobe: *mut bindings::fprobe,
        _entry_ip: c_ulong,
        _return_ip: c_ulong,
        registers: *mut bindings::ftrace_regs,
        _data: *mut c_void,
    ) -> c_int {
        // SAFETY: It is the first member of a `FprobeInner<T>`, which lives until `drop` has waited for all calls. Only
        // shared references to the handler exist.
        let handler = unsafe { &(*fprobe.cast::<FprobeInner<T>>()).handler };
        handler.entry(Arguments {
            registers,
            _call: PhantomData,
        });
        0
    }
}

impl<T: EntryHandler> Drop for Fprobe<T> {
    fn drop(&mut self) {
        // SAFETY: `new` has registered it. The helper waits for a grace period, and calls are RCU readers, as preemption
        // is disabled: when it returns, no call is in progress.
        unsafe { bindings::unregister_fprobe(self.0.fprobe.get()) };
    }
}
