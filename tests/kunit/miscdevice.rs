// SPDX-License-Identifier: GPL-2.0

use super::support::{
    read_file,
    ReadFile, //
};
use crate::kernel_ext::{
    miscdevice::{
        Attributes,
        DeviceGroup,
        DeviceGroups,
        MiscAttribute,
        MiscDeviceRegistration, //
        OpenFile,
    },
    sysfs::{
        AttributePage,
        Show, //
    },
};
use core::fmt::{
    self,
    Write, //
};
use kernel::{
    iov::{
        IovIterDest,
        IovIterSource, //
    },
    prelude::*, //
};

/// A device whose content is its context.
struct Reader;

impl OpenFile for Reader {
    type Context = &'static str;

    fn open(context: &&'static str) -> Result<KBox<Self>> {
        if context.is_empty() {
            return Err(ENXIO);
        }
        Ok(KBox::new(Reader, GFP_KERNEL)?)
    }

    fn read(
        &self,
        context: &&'static str,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize> {
        to.simple_read_from_buffer(position, context.as_bytes())
    }

    fn write(
        &self,
        _context: &&'static str,
        _position: &mut i64,
        _from: &mut IovIterSource<'_>,
    ) -> Result {
        Err(EINVAL)
    }
}

/// A file that shows the length of the context.
struct Length;

impl Show for Length {
    type Of = &'static str;

    fn show(&self, of: &&'static str, page: &mut AttributePage<'_>) -> fmt::Result {
        writeln!(page, "{}", of.len())
    }
}

static FILES: [MiscAttribute<Length>; 1] = [MiscAttribute::new(c"length", Length)];
static ATTRIBUTES: Attributes<&'static str, 1> = Attributes::new(&FILES);
static GROUP: DeviceGroup<&'static str> = DeviceGroup::new(&ATTRIBUTES);
static GROUPS: DeviceGroups<&'static str> = DeviceGroups::new(&GROUP);

/// Creates `/dev/<name>`.
fn device(
    name: &'static core::ffi::CStr,
    text: &'static str,
) -> Result<MiscDeviceRegistration<Reader>> {
    MiscDeviceRegistration::new(name, 0o444, &GROUPS, text)
}

#[kernel::macros::kunit_tests(iostat_miscdevice)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_as_its_context() -> Result {
        let device = device(c"iostat_kunit", "some text")?;
        let (mut text, mut length) = ([0; 32], [0; 32]);
        let text = read_file(c"/dev/iostat_kunit", &mut text);
        let length = read_file(c"/sys/class/misc/iostat_kunit/length", &mut length);
        drop(device);
        assert!(text.is_ok_and(|text| text == b"some text"));
        assert!(length.is_ok_and(|length| length == b"9\n"));
        Ok(())
    }

    #[test]
    fn an_open_file_reads_as_its_context_without_the_device() -> Result {
        let first = device(c"iostat_kunit", "first")?;
        let file = ReadFile::open(c"/dev/iostat_kunit");
        drop(first);
        let second = device(c"iostat_kunit", "second");
        let mut text = [0; 32];
        let text = file.and_then(|file| file.read(&mut text));
        let is_replaced = second.map(drop).is_ok();
        assert!(text.is_ok_and(|text| text == b"first"));
        assert!(is_replaced);
        Ok(())
    }

    #[test]
    fn what_open_says_is_what_open_says() -> Result {
        let device = device(c"iostat_kunit", "")?;
        let error = read_file(c"/dev/iostat_kunit", &mut [0; 32]).err();
        drop(device);
        assert_eq!(error, Some(ENXIO));
        Ok(())
    }

    #[test]
    fn a_name_can_be_had_once_at_a_time() -> Result {
        let first = device(c"iostat_kunit", "first")?;
        let second = device(c"iostat_kunit", "second").map(drop).err();
        let first_reads = read_file(c"/dev/iostat_kunit", &mut [0; 32]) == Ok(b"first");
        drop(first);
        let third = device(c"iostat_kunit", "third").map(drop);
        assert_eq!(second, Some(EEXIST));
        assert!(first_reads);
        assert!(third.is_ok());
        Ok(())
    }

    #[test]
    fn the_modules_own_name_is_taken() {
        let error = device(c"iostat", "another").map(drop).err();
        assert_eq!(error, Some(EEXIST));
    }

    #[test]
    fn dropping_it_takes_it_away() -> Result {
        drop(device(c"iostat_kunit", "text")?);
        let error = read_file(c"/dev/iostat_kunit", &mut [0; 32]).err();
        assert_eq!(error, Some(ENOENT));
        Ok(())
    }
}
