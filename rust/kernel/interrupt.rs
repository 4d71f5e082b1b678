// SPDX-License-Identifier: GPL-2.0

//! Sections with interrupts off.
//!
//! C header: [`include/linux/irqflags.h`](srctree/include/linux/irqflags.h).
//!
//! The `kernel` crate of 7.3 has `local_interrupt_disable()`; that of 7.2 has nothing.

use super::bindings;
use kernel::types::NotThreadSafe;

/// Interrupts are off on this CPU for as long as the value lives, and the code stays on it.
///
/// Values nest; they must be dropped in the reverse order, which scopes see to.
pub(crate) struct InterruptsOff {
    flags: usize,
    _not_send: NotThreadSafe,
}

impl InterruptsOff {
    /// Turns interrupts off, if they are on. From any context.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        InterruptsOff {
            // SAFETY: May be called in any context. The flags go back in `drop`, on the same CPU
            // because the value is not `Send`.
            flags: unsafe { bindings::iostat_local_irq_save() },
            _not_send: NotThreadSafe,
        }
    }
}

impl Drop for InterruptsOff {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: `flags` are what `iostat_local_irq_save` returned on this CPU.
        unsafe { bindings::iostat_local_irq_restore(self.flags) };
    }
}
