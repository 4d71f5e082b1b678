// SPDX-License-Identifier: GPL-2.0

//! Branches by static keys, as [`kernel::jump_label::static_branch_unlikely`]. That macro includes a file of the
//! kernel's build tree which some distributions' headers do not have; this one includes a file of the module's own
//! build.
//!
//! C header: `include/linux/jump_label.h`.

/// Whether the key is enabled: a patched jump, not taken while it is disabled.
///
/// * `key`: path to the static variable that contains the key.
/// * `keytyp`: its type.
/// * `field`: the field of that type which is the key: `static_key_false`.
///
/// # Safety
///
/// The key must be a static key that C defines.
macro_rules! branch_unlikely {
    ($key:path, $keytyp:ty, $field:ident) => {{
        let key: *const $keytyp = ::core::ptr::addr_of!($key);
        let key: *const ::kernel::bindings::static_key_false = ::core::ptr::addr_of!((*key).$field);

        #[cfg(not(CONFIG_JUMP_LABEL))]
        {
            ::kernel::bindings::static_key_count(key.cast::<::kernel::bindings::static_key>().cast_mut()) > 0
        }

        #[cfg(CONFIG_JUMP_LABEL)]
        'is_enabled: {
            // `key` is used only to check its type.
            let _ = key;
            ::kernel::asm!(
                include!(env!("RUST_STATIC_BRANCH"));
                l_yes = label {
                    break 'is_enabled true;
                },
                symb = sym $key,
                off = const ::core::mem::offset_of!($keytyp, $field),
            );

            false
        }
    }};
}
pub(crate) use branch_unlikely;
