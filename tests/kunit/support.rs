// SPDX-License-Identifier: GPL-2.0

//! Functions of the kernel that the tests need and that neither its crate nor floor 1 has.

use crate::kernel_ext::{
    bindings,
    block::device::BlockDevice,
    module::{
        this_module,
        Owner, //
    },
    percpu::ThisCpu,
    published::InProbe,
    tracepoint::{
        synchronize,
        Probe,
        Tracepoint, //
    }, //
};
use core::{
    ffi::CStr,
    mem::MaybeUninit,
    ptr::NonNull, //
};
use kernel::{
    cpu::nr_cpu_ids,
    error::{
        from_err_ptr,
        to_result, //
    },
    ffi::{
        c_char,
        c_void, //
    },
    prelude::*, //
};

/// Returns the result of `work` on some CPU.
pub(crate) fn here<T>(work: impl Fn(ThisCpu<'_>) -> T + Sync) -> T {
    loop {
        // Tried again if that CPU has just gone offline.
        let cpu = online_cpus().last().unwrap_or(0);
        if let Some(result) = on_cpu(cpu, &work) {
            return result;
        }
    }
}

/// Returns the result of `work` on one CPU, where it runs with interrupts disabled; [`None`] if that CPU
/// is not online.
pub(crate) fn on_cpu<T>(cpu: u32, work: impl Fn(ThisCpu<'_>) -> T + Sync) -> Option<T> {
    struct Call<F, T> {
        work: F,
        result: Option<T>,
    }

    /// # Safety
    ///
    /// `data` points to a `Call<F, T>` that nothing else accesses until this returns.
    unsafe extern "C" fn call<F: Fn(ThisCpu<'_>) -> T, T>(data: *mut c_void) {
        // SAFETY: By this function's requirement.
        let call = unsafe { &mut *data.cast::<Call<F, T>>() };
        // SAFETY: This runs on the CPU that `on_cpu` selected, and a function called on another CPU
        // runs with interrupts disabled.
        let here = unsafe { ThisCpu::current() };
        call.result = Some((call.work)(here));
    }

    fn function<F: Fn(ThisCpu<'_>) -> T, T>(_: &Call<F, T>) -> unsafe extern "C" fn(*mut c_void) {
        call::<F, T>
    }

    let mut call = Call { work, result: None };
    let function = function(&call);
    let data = core::ptr::from_mut(&mut call).cast();
    // The type is int in 7.2.
    #[allow(clippy::useless_conversion)]
    let wait = true.into();
    // SAFETY: `function` takes `data`, which outlives the call, as the call is waited for.
    let _ = unsafe { bindings::smp_call_function_single(cpu as i32, Some(function), data, wait) };
    call.result
}

/// Returns the online CPUs, in order, as [`on_cpu`] takes them.
pub(crate) fn online_cpus() -> impl Iterator<Item = u32> {
    (0..nr_cpu_ids()).filter(|cpu| on_cpu(*cpu, |_| ()).is_some())
}

/// Runs `work` with the file system context of PID 1. From 7.3 on a kernel thread, such as a test, has an
/// empty mount namespace; C code uses `scoped_with_init_fs()`.
fn with_files_of_init<T>(work: impl FnOnce() -> T) -> Result<T> {
    // SAFETY: `find_get_pid` may be called by any task.
    let pid = unsafe { bindings::find_get_pid(1) };
    // SAFETY: `pid` has a reference or is null; both are allowed.
    let init = unsafe { bindings::get_pid_task(pid, bindings::pid_type_PIDTYPE_PID) };
    // SAFETY: `pid` has a reference, which is dropped here, or is null.
    unsafe { bindings::put_pid(pid) };
    let init = NonNull::new(init).ok_or(ESRCH)?.as_ptr();
    let current = kernel::current!().as_ptr();
    // SAFETY: Only the current task changes its own `fs`, and PID 1 never exits.
    let own = unsafe { core::mem::replace(&mut (*current).fs, (*init).fs) };
    let result = work();
    // SAFETY: Restores the `fs` of the current task, and drops the reference to PID 1.
    unsafe {
        (*current).fs = own;
        bindings::put_task_struct(init);
    }
    Ok(result)
}

/// A file that is open for reading, until this value is dropped.
///
/// # Invariants
///
/// The pointer is the only reference to an open file.
pub(crate) struct ReadFile(NonNull<bindings::file>);

impl ReadFile {
    /// Opens a file.
    pub(crate) fn open(path: &CStr) -> Result<Self> {
        let file = with_files_of_init(|| {
            // SAFETY: The path is NUL-terminated.
            from_err_ptr(unsafe {
                bindings::filp_open(path.as_char_ptr(), bindings::O_RDONLY as i32, 0)
            })
        })??;
        // INVARIANT: Just opened.
        NonNull::new(file).map(ReadFile).ok_or(ENOENT)
    }

    /// Reads from its start, up to the length of `buffer`.
    pub(crate) fn read<'a>(&self, buffer: &'a mut [u8]) -> Result<&'a [u8]> {
        let mut position = 0;
        // SAFETY: By the type invariant the file is open, and the buffer is valid for writes of its own length.
        let len = unsafe {
            bindings::kernel_read(
                self.0.as_ptr(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                &mut position,
            )
        };
        match usize::try_from(len) {
            Ok(len) => Ok(buffer.get(..len).unwrap_or_default()),
            Err(_) => to_result(len as i32).map(|()| &[][..]),
        }
    }
}

impl Drop for ReadFile {
    fn drop(&mut self) {
        // SAFETY: Drops the only reference. The file is closed when this returns; other ways to close a file of a kernel
        // thread close it later, in a work item.
        unsafe { bindings::__fput_sync(self.0.as_ptr()) };
    }
}

/// Reads a file, up to the length of `buffer`.
pub(crate) fn read_file<'a>(path: &CStr, buffer: &'a mut [u8]) -> Result<&'a [u8]> {
    ReadFile::open(path)?.read(buffer)
}

/// The text that [`print`] prints.
const LINE: &[u8] = b"a line for the tests' probes";

/// Calls the tracepoint `console`, whose probes then get [`LINE`] on this CPU.
pub(crate) fn print() {
    pr_info!("{}\n", core::str::from_utf8(LINE).unwrap_or_default());
}

/// Runs `then` with a probe on the tracepoint `console` that calls `work` for each [`print`]. When this
/// returns, the probe is unregistered and no call of `work` is in progress. Therefore `then` must not
/// assert anything.
pub(crate) fn with_probe<F: Fn(&InProbe<'_>) + Sync>(work: F, then: impl FnOnce()) -> Result {
    /// # Safety
    ///
    /// Only the tracepoint `console` may call this, as a probe whose data is a pointer to an `F`.
    unsafe extern "C" fn printed<F: Fn(&InProbe<'_>)>(
        data: *mut c_void,
        text: *const c_char,
        len: usize,
    ) {
        // SAFETY: The tracepoint passes a text and its length.
        let text = unsafe { core::slice::from_raw_parts(text.cast::<u8>(), len) };
        if text.trim_ascii_end().ends_with(LINE) {
            // SAFETY: By this function's requirement.
            let work = unsafe { &*data.cast::<F>() };
            // SAFETY: This is a probe called by a tracepoint, and the value is used only in it.
            work(&unsafe { InProbe::new() });
        }
    }

    let tracepoint = Tracepoint::find(c"console").ok_or(ENOENT)?;
    let function = printed::<F> as *mut c_void;
    let data = core::ptr::from_ref(&work).cast_mut().cast();
    // SAFETY: `printed` has the tracepoint's prototype, and `data` is valid until `synchronize`
    // has returned below.
    let probe = unsafe { Probe::register(tracepoint, NonNull::new(function).ok_or(EINVAL)?, data) };
    if probe.is_ok() {
        then();
    }
    let result = probe.map(drop);
    synchronize();
    result
}

/// Runs `work` on an existing disk: the first one of the class, a loop device of the test kernel.
pub(crate) fn with_disk<T>(work: impl FnOnce(&BlockDevice<'_>) -> T) -> Result<T> {
    let mut class: *const bindings::class = core::ptr::null();
    // SAFETY: The pointer is valid for writes.
    to_result(unsafe { bindings::block_class(&mut class) })?;
    let mut devices = MaybeUninit::uninit();
    // SAFETY: Initialises the iterator; the block class always exists.
    unsafe {
        bindings::class_dev_iter_init(
            devices.as_mut_ptr(),
            class,
            core::ptr::null(),
            core::ptr::null(),
        )
    };
    // SAFETY: Initialised above. The returned device is held until the iterator goes on or ends.
    let device = unsafe { bindings::class_dev_iter_next(devices.as_mut_ptr()) };
    // SAFETY: Null, or a device of the block class, in sysfs, and held for as long as it is used.
    let result = unsafe { BlockDevice::from_device(device) }.map(|device| work(&device));
    // SAFETY: Initialised above.
    unsafe { bindings::class_dev_iter_exit(devices.as_mut_ptr()) };
    result.ok_or(ENODEV)
}

/// Returns two owners: the kernel and this module.
pub(crate) fn owners() -> (Owner, Owner) {
    // SAFETY: Null stands for the kernel, and this module is loaded while its tests run.
    unsafe {
        (
            Owner::from_raw(core::ptr::null_mut()),
            Owner::from_raw(this_module()),
        )
    }
}
