// SPDX-License-Identifier: GPL-2.0

//! The name of a kstat.

use crate::abi::name::Name;
use core::cmp::Ordering;

/// Module, instance and name. The order is that of kstat(8): upper and lower case are equal, unless there is no
/// other difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct KstatKey {
    module: Name,
    instance: i32,
    name: Name,
}

/// Compares two strings without regard to case.
fn folded(one: &[u8], other: &[u8]) -> Ordering {
    let fold = u8::to_ascii_lowercase;
    one.iter().map(fold).cmp(other.iter().map(fold))
}

impl KstatKey {
    pub(crate) fn new(module: Name, instance: i32, name: Name) -> Self {
        KstatKey {
            module,
            instance,
            name,
        }
    }

    pub(crate) fn module(&self) -> &Name {
        &self.module
    }

    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    /// Returns module, instance and name.
    pub(crate) fn parts(&self) -> (&[u8], i32, &[u8]) {
        (self.module.bytes(), self.instance, self.name.bytes())
    }
}

impl Ord for KstatKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((module, instance, name), (module2, instance2, name2)) = (self.parts(), other.parts());
        folded(module, module2)
            .then_with(|| module.cmp(module2))
            .then(instance.cmp(&instance2))
            .then_with(|| folded(name, name2))
            .then_with(|| name.cmp(name2))
    }
}

impl PartialOrd for KstatKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
