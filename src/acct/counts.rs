// SPDX-License-Identifier: GPL-2.0 OR MIT

//! devstat(9)'s counters of transactions that are one number each.
//!
//! The record of a CPU, the snapshot, text, the files in sysfs, the binary interface and its check, and `tools/iostat-map` follow
//! from one table: see "A counter" in `Documentation/hacking.rst`.

/// How many counters records and snapshots have room for: a new counter uses a reserved word, and the members behind it
/// keep their offsets.
pub const ROOM: usize = 5;

/// Passes the table to the macro `with`, behind other arguments.
macro_rules! counts {
    ($with:ident! $($argument:tt)*) => {
        $with! {
            $($argument)*
            /// Transactions that ended by being merged into another request: they have no completion,
            /// and their bytes are counted with the request that took them.
            merged = c"merged";
            /// Transactions that ended before they were issued to the device, because it was busy: the submitter
            /// cancelled them, and submits them again as others. They have no completion and no bytes.
            refused = c"refused";
            /// Transactions whose end was not reported: their memory was used again before. The time of their end is not
            /// known, so they have no duration.
            abandoned = c"abandoned";
        }
    };
}

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The counters of one CPU or of all.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(C)]
        pub struct Counts<W> {
            $($(#[$doc])* pub $name: W,)*
            /// Reserved, 0.
            pub reserved: [W; ROOM - [$($text),*].len()],
        }

        impl<W> Counts<W> {
            /// Names of the counters.
            pub const NAMES: &'static [&'static core::ffi::CStr] = &[$($text),*];

            /// All of them, in the order of [`Counts::NAMES`].
            #[inline(always)]
            pub fn each(&self) -> impl Iterator<Item = &W> {
                [$(&self.$name),*].into_iter()
            }

            /// All counters, to change them.
            #[inline(always)]
            pub fn each_mut(&mut self) -> impl Iterator<Item = &mut W> {
                [$(&mut self.$name),*].into_iter()
            }

            /// Applies `convert` to each counter.
            #[inline(always)]
            pub fn map<V: Copy + Default>(&self, convert: impl Fn(&W) -> V) -> Counts<V> {
                Counts {
                    $($name: convert(&self.$name),)*
                    reserved: Default::default(),
                }
            }
        }
    };
}

counts!(define!);
#[allow(unused_imports, reason = "not in tools/iostat-map")]
pub(crate) use counts;
