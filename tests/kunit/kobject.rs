// SPDX-License-Identifier: GPL-2.0

use super::support::read_file;
use crate::kernel_ext::{
    kobject::{
        Directory,
        Object,
        ObjectType, //
    },
    sysfs::{
        Attribute,
        AttributeList,
        AttributePage,
        Group,
        Groups,
        Show, //
    },
};
use core::fmt::{
    self,
    Write, //
};
use kernel::{
    page::PAGE_SIZE,
    prelude::*,
    sync::{
        atomic::{
            Atomic,
            Relaxed, //
        },
        Arc, //
    },
};

/// An object with a number to show, which counts its drops.
struct Numbered {
    number: u64,
    drops: Arc<Atomic<u64>>,
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Relaxed);
    }
}

#[derive(Clone, Copy)]
enum File {
    Number,
    TooLong,
}

impl Show for File {
    type Of = Numbered;

    fn show(&self, of: &Numbered, page: &mut AttributePage<'_>) -> fmt::Result {
        match self {
            File::Number => writeln!(page, "{}", of.number),
            File::TooLong => (0..=PAGE_SIZE).try_for_each(|_| page.write_char('x')),
        }
    }
}

static TOP_FILES: [Attribute<File>; 2] = [
    Attribute::new(c"number", File::Number),
    Attribute::new(c"too_long", File::TooLong),
];
static TOP_LIST: AttributeList<File, 2> = AttributeList::new(&TOP_FILES);
static TOP: Group<File> = Group::new(None, &TOP_LIST);
static SUB_FILES: [Attribute<File>; 1] = [Attribute::new(c"number", File::Number)];
static SUB_LIST: AttributeList<File, 1> = AttributeList::new(&SUB_FILES);
static SUB: Group<File> = Group::new(Some(c"sub"), &SUB_LIST);
static GROUPS: Groups<File, 2> = Groups::new([&TOP, &SUB]);

impl Object for Numbered {
    type Attribute = File;

    const TYPE: ObjectType<Self> = ObjectType::new(&GROUPS);
}

/// Creates `/sys/kernel/iostat_kunit`.
fn directory(number: u64, drops: &Arc<Atomic<u64>>) -> Result<Directory<Numbered>> {
    let drops = drops.clone();
    // SAFETY: `/sys/kernel` always exists.
    unsafe {
        Directory::new(
            kernel::bindings::kernel_kobj,
            c"iostat_kunit",
            Numbered { number, drops },
        )
    }
}

/// Whether a file in `/sys/kernel/iostat_kunit` has this content.
fn reads(path: &core::ffi::CStr, text: &[u8]) -> bool {
    read_file(path, &mut [0; 32]).is_ok_and(|found| found == text)
}

#[kernel::macros::kunit_tests(iostat_kobject)]
mod tests {
    use super::*;

    fn counter() -> Result<Arc<Atomic<u64>>> {
        Ok(Arc::new(Atomic::new(0), GFP_KERNEL)?)
    }

    #[test]
    fn its_files_show_its_object() -> Result {
        let directory = directory(42, &counter()?)?;
        let top = reads(c"/sys/kernel/iostat_kunit/number", b"42\n");
        let sub = reads(c"/sys/kernel/iostat_kunit/sub/number", b"42\n");
        drop(directory);
        assert!(top);
        assert!(sub);
        Ok(())
    }

    #[test]
    fn a_file_that_is_too_long_gives_eio() -> Result {
        let directory = directory(1, &counter()?)?;
        let error = read_file(c"/sys/kernel/iostat_kunit/too_long", &mut [0; 32]).err();
        drop(directory);
        assert_eq!(error, Some(EIO));
        Ok(())
    }

    #[test]
    fn a_name_can_be_had_once_at_a_time() -> Result {
        let drops = counter()?;
        let first = directory(1, &drops)?;
        let second = directory(2, &drops).err();
        // The failure of the second one drops its object and does not change the first one.
        let dropped = drops.load(Relaxed);
        let first_reads = reads(c"/sys/kernel/iostat_kunit/number", b"1\n");
        drop(first);
        let third = directory(3, &drops).map(drop);
        assert_eq!(second, Some(EEXIST));
        assert_eq!(dropped, 1);
        assert!(first_reads);
        assert!(third.is_ok());
        assert_eq!(drops.load(Relaxed), 3);
        Ok(())
    }

    #[test]
    fn dropping_it_takes_it_away() -> Result {
        let drops = counter()?;
        let directory = directory(1, &drops)?;
        let before = drops.load(Relaxed);
        drop(directory);
        let error = read_file(c"/sys/kernel/iostat_kunit/number", &mut [0; 32]).err();
        assert_eq!(before, 0);
        assert_eq!(drops.load(Relaxed), 1);
        assert_eq!(error, Some(ENOENT));
        Ok(())
    }
}
