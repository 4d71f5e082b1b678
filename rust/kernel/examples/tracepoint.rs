// SPDX-License-Identifier: GPL-2.0

/// Counts the calls of the tracepoint `console`, for each message that the kernel prints.
///
/// # Safety
///
/// `data` points to an [`AtomicU64`].
unsafe extern "C" fn on_console(data: *mut c_void, _text: *const c_char, _len: usize) {
    // SAFETY: By the requirement of this function.
    let calls = unsafe { &*data.cast::<AtomicU64>() };
    calls.fetch_add(1, Relaxed);
}

/// Returns how many messages the kernel prints while `work` runs.
fn messages(work: impl FnOnce()) -> Result<u64> {
    let calls = AtomicU64::new(0);
    let tracepoint = Tracepoint::find(c"console").ok_or(ENOENT)?;
    let function = NonNull::new(on_console as *mut c_void).ok_or(EINVAL)?;
    let data = core::ptr::from_ref(&calls).cast_mut().cast();
    // SAFETY: The function has the prototype of the tracepoint, and may be called in any context. `calls` is valid until
    // `synchronize()` has returned.
    let probe = unsafe { Probe::register(tracepoint, function, data) };
    if probe.is_ok() {
        work();
    }
    let result = probe.map(drop);
    synchronize();
    result.map(|()| calls.load(Relaxed))
}
