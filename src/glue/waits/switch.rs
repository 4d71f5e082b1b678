// SPDX-License-Identifier: GPL-2.0

//! Attaches the hooks when an event is enabled, and detaches them when no event is.
//!
//! This is done by a work item: the mutex of the tracepoints is held while an event is enabled or disabled, and
//! registering an fprobe takes this mutex as well. Some hooks are in modules, which may be loaded and unloaded
//! meanwhile.

use super::bindings;
use crate::kernel_ext::{
    global::{
        Global,
        Guard, //
    },
    module::{
        ModuleListener,
        ModuleRegistration,
        Owner, //
    },
    work::{
        DelayedWork,
        Work, //
    }, //
};
use core::sync::atomic::{
    fence,
    AtomicBool,
    AtomicU32,
    Ordering, //
};
use kernel::{
    error::to_result,
    ffi::c_int,
    new_mutex,
    prelude::*,
    str::CStr,
    sync::{
        rcu,
        Arc,
        Mutex, //
    }, //
};

/// How often the events are enabled. Events can be enabled before the module is ready, and while it is being
/// unloaded.
static LISTENERS: AtomicU32 = AtomicU32::new(0);

/// The switch, while there is one.
static SWITCH: Global<Switch> = Global::new();

/// A place where hooks are: the kernel, or its modules. Each has one registration.
struct Place {
    is_in_modules: bool,
    /// Whether to look for the functions. If none was found, they are not looked for again, as that takes a walk over
    /// all symbols.
    may_be_there: AtomicBool,
}

impl Place {
    const fn new(is_in_modules: bool) -> Self {
        Place {
            is_in_modules,
            may_be_there: AtomicBool::new(true),
        }
    }

    /// Attaches its hooks, if there are any. May sleep.
    fn attach(&self) -> Option<Attached> {
        // Cleared before the search, as a module may be loaded meanwhile.
        if !self.may_be_there.swap(false, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: The caller, `follow`, has no `Attached` of this place, and has a `WaitTable`.
        let result = to_result(unsafe { bindings::iostat_wait_hooks_attach(self.is_in_modules) });
        if result != Err(ENOENT) {
            self.may_be_there.store(true, Ordering::Relaxed);
        }
        result.ok().map(|()| Attached(self.is_in_modules))
    }
}

/// The hooks of a [`Place`], attached until it is dropped.
struct Attached(bool);

impl Drop for Attached {
    fn drop(&mut self) {
        // SAFETY: They are attached.
        unsafe { bindings::iostat_wait_hooks_detach(self.0) };
    }
}

/// Memory for waits in progress.
struct WaitTable(());

impl WaitTable {
    fn new() -> Result<Self> {
        // SAFETY: No hook is attached.
        to_result(unsafe { bindings::iostat_waits_start() })?;
        Ok(WaitTable(()))
    }
}

impl Drop for WaitTable {
    fn drop(&mut self) {
        // SAFETY: `new` has allocated it, and no hook is attached any more: see `Hooks`.
        unsafe { bindings::iostat_waits_stop() };
    }
}

/// All hooks. They are dropped in this order.
struct Hooks {
    modules: Option<Attached>,
    _kernel: Option<Attached>,
    _waits: WaitTable,
}

#[pin_data]
struct Follower {
    is_open: AtomicBool,
    /// Whether a module with hooked functions has begun to be unloaded since the hooks were attached.
    has_left: AtomicBool,
    kernel: Place,
    modules: Place,
    #[pin]
    hooks: Mutex<Option<Hooks>>,
}

impl Follower {
    /// Attaches or detaches hooks, depending on whether an event is enabled now. May sleep.
    fn follow(&self) {
        let mut hooks = self.hooks.lock();
        // Pairs with the store in `HookSwitch::new`: what that has prepared is there.
        if !self.is_open.load(Ordering::Acquire) || LISTENERS.load(Ordering::Relaxed) == 0 {
            *hooks = None;
            return;
        }
        if hooks.is_none() {
            // Without memory, waits are not traced.
            *hooks = WaitTable::new().ok().map(|waits| Hooks {
                modules: None,
                _kernel: self.kernel.attach(),
                _waits: waits,
            });
        }
        let Some(hooks) = &mut *hooks else { return };
        if self.has_left.swap(false, Ordering::Relaxed) {
            hooks.modules = None;
        }
        if hooks.modules.is_none() {
            hooks.modules = self.modules.attach();
        }
    }
}

/// The work item.
struct Switch(DelayedWork<Following>);

struct Following(Arc<Follower>);

impl Work for Following {
    fn run(&self) {
        self.0.follow();
    }
}

impl Switch {
    /// Any context but NMI.
    fn queue(&self) {
        self.0.queue_after(0);
    }
}

/// Returns whether any hook is in this module.
fn has_hooks(module: &Owner) -> bool {
    // SAFETY: The function may be called with any index.
    let names = (0..).map(|index| unsafe { bindings::iostat_wait_module(index) });
    names.take_while(|name| !name.is_null()).any(|name| {
        // SAFETY: It is a string, which is static.
        let name = unsafe { CStr::from_char_ptr(name) };
        name.to_bytes() == module.name()
    })
}

impl ModuleListener for Switch {
    fn loaded(&self, module: Owner) {
        if has_hooks(&module) {
            let modules = &self.0 .0.modules;
            modules.may_be_there.store(true, Ordering::Relaxed);
            self.queue();
        }
    }

    fn unloading(&self, module: Owner) {
        if has_hooks(&module) {
            self.0 .0.has_left.store(true, Ordering::Relaxed);
            self.queue();
        }
    }
}

/// Attaches and detaches the hooks as events are enabled and disabled, until it is dropped.
pub(super) struct HookSwitch {
    follower: Arc<Follower>,
    published: Option<(ModuleRegistration<Switch>, Guard<Switch>)>,
}

impl HookSwitch {
    /// Calls `prepare` before any hook is attached, and only if this is the only switch. May sleep; `ENOMEM`, `EBUSY` if there
    /// is one already.
    pub(super) fn new(prepare: impl FnOnce()) -> Result<Self> {
        let follower = Arc::pin_init(
            pin_init!(Follower {
                is_open: AtomicBool::new(false),
                has_left: AtomicBool::new(false),
                kernel: Place::new(false),
                modules: Place::new(true),
                hooks <- new_mutex!(None),
            }),
            GFP_KERNEL,
        )?;
        let switch = Switch(DelayedWork::new(Following(follower.clone()))?);
        let switch = Arc::new(switch, GFP_KERNEL)?;
        let listener = ModuleRegistration::new(switch.clone())?;
        let published = Some((listener, SWITCH.publish(switch)?));
        prepare();
        // Pairs with the load in `follow`.
        follower.is_open.store(true, Ordering::Release);
        // An event may have been enabled before. If one is enabled now, `count()` finds the switch, or its change is seen here:
        // pairs with the fence there.
        fence(Ordering::SeqCst);
        follower.follow();
        Ok(HookSwitch {
            follower,
            published,
        })
    }
}

impl Drop for HookSwitch {
    fn drop(&mut self) {
        // From here on all hooks stay detached. An event that is still enabled is disabled only after the exit function of
        // the module.
        self.follower.is_open.store(false, Ordering::Relaxed);
        self.follower.follow();
        // Last: the next switch may attach hooks.
        self.published = None;
    }
}

/// Counts an event that is enabled or disabled.
fn count(change: impl FnOnce(&AtomicU32) -> u32) {
    change(&LISTENERS);
    // Pairs with that in `HookSwitch::new`.
    fence(Ordering::SeqCst);
    // Takes no reference, as the last one must not be dropped while the mutex of the tracepoints is held.
    if let Some(switch) = SWITCH.borrow(&rcu::read_lock()) {
        switch.queue();
    }
}

/// Called when an event is enabled. Does not sleep.
#[no_mangle]
extern "C" fn iostat_waits_reg() -> c_int {
    // SAFETY: `iostat_waits_unreg` undoes it.
    unsafe { bindings::iostat_fileinfo_get() };
    count(|listeners| listeners.fetch_add(1, Ordering::Relaxed));
    0
}

/// Called when an event is disabled that was enabled before.
#[no_mangle]
extern "C" fn iostat_waits_unreg() {
    count(|listeners| listeners.fetch_sub(1, Ordering::Relaxed));
    // SAFETY: Undoes the call in `iostat_waits_reg`.
    unsafe { bindings::iostat_fileinfo_put() };
}

/// Waits until the hooks agree with the events that are enabled. May sleep.
#[no_mangle]
extern "C" fn iostat_waits_settle() {
    let switch = SWITCH.borrow(&rcu::read_lock()).map(Arc::from);
    if let Some(switch) = switch {
        switch.0.flush();
    }
}

// The types are those of the header.
const _: () = {
    let _: [unsafe extern "C" fn() -> c_int; 2] = [iostat_waits_reg, bindings::iostat_waits_reg];
    let _: [unsafe extern "C" fn(); 2] = [iostat_waits_unreg, bindings::iostat_waits_unreg];
    let _: [unsafe extern "C" fn(); 2] = [iostat_waits_settle, bindings::iostat_waits_settle];
};
