// SPDX-License-Identifier: GPL-2.0

//! Arguments of ioctls: structures that may grow in later versions, and arrays that they point to.
//!
//! C header: [`include/linux/uaccess.h`](srctree/include/linux/uaccess.h), `copy_struct_from_user()`.

use core::mem::size_of;
use kernel::{
    fs::file::flags,
    page::PAGE_SIZE,
    prelude::*,
    transmute::{
        AsBytes,
        FromBytes, //
    },
    uaccess::{
        UserPtr,
        UserSlice,
        UserSliceReader,
        UserSliceWriter, //
    }, //
};

/// The access mode of an open file.
#[derive(Clone, Copy)]
pub(crate) struct Access(u32);

impl Access {
    pub(super) fn new(flags: u32) -> Self {
        Access(flags)
    }

    /// Checks that the file was opened for reading. `EBADF`.
    pub(crate) fn reads(self) -> Result {
        self.is_one_of([flags::O_RDONLY, flags::O_RDWR])
    }

    /// Checks that the file was opened for writing. `EBADF`.
    pub(crate) fn writes(self) -> Result {
        self.is_one_of([flags::O_WRONLY, flags::O_RDWR])
    }

    fn is_one_of(self, modes: [u32; 2]) -> Result {
        if modes.contains(&(self.0 & flags::O_ACCMODE)) {
            Ok(())
        } else {
            Err(EBADF)
        }
    }
}

/// The third argument of an ioctl: the address of a structure that begins with its size in bytes, a `u32`.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    address: usize,
}

/// The number of bytes that are checked or cleared at a time.
const CHUNK: usize = 64;

impl Argument {
    pub(super) fn new(address: usize) -> Self {
        Argument { address }
    }

    fn slice(self, len: usize) -> UserSlice {
        UserSlice::new(UserPtr::from_addr(self.address), len)
    }

    /// Reads the structure of the caller. Returns it, with zeros for members that the caller's version does not
    /// have, and the caller's size. May sleep.
    ///
    /// # Errors
    ///
    /// `EINVAL` if the size is smaller than `least`, the size of the first version; `E2BIG` if it is larger
    /// than a page, or larger than the kernel's structure with bytes other than 0 in the rest; `EFAULT`.
    pub(crate) fn read<T>(self, least: usize) -> Result<(T, usize)>
    where
        T: Default + AsBytes + FromBytes,
    {
        // CAST: 32 bits.
        let size = self.slice(size_of::<u32>()).reader().read::<u32>()? as usize;
        if size < least {
            return Err(EINVAL);
        }
        if size > PAGE_SIZE {
            return Err(E2BIG);
        }
        let mut value = T::default();
        let mut reader = self.slice(size).reader();
        let known = size.min(size_of::<T>());
        reader.read_slice(value.as_bytes_mut().get_mut(..known).ok_or(EINVAL)?)?;
        rest_is_zero(reader)?;
        Ok((value, size))
    }

    /// Writes the structure back, without members that the caller's version does not have. May sleep; `EFAULT`.
    pub(crate) fn write<T: AsBytes>(self, value: &T, size: usize) -> Result {
        let known = size.min(size_of::<T>());
        let bytes = value.as_bytes().get(..known).ok_or(EINVAL)?;
        self.slice(known).writer().write_slice(bytes)
    }
}

/// Checks that all remaining bytes are 0. `E2BIG`.
fn rest_is_zero(mut reader: UserSliceReader) -> Result {
    while !reader.is_empty() {
        let mut chunk = [0u8; CHUNK];
        let len = reader.len().min(CHUNK);
        let chunk = chunk.get_mut(..len).ok_or(EINVAL)?;
        reader.read_slice(chunk)?;
        if chunk.iter().any(|byte| *byte != 0) {
            return Err(E2BIG);
        }
    }
    Ok(())
}

/// Returns a slice of the caller's memory. `EFAULT` if the address does not fit a pointer.
pub(crate) fn user_memory(address: u64, len: usize) -> Result<UserSlice> {
    let address = usize::try_from(address).map_err(|_| EFAULT)?;
    Ok(UserSlice::new(UserPtr::from_addr(address), len))
}

/// An array in the caller's memory, which is written from its start. Its elements may be larger or smaller than
/// those of the kernel.
pub(crate) struct Array {
    writer: UserSliceWriter,
    stride: usize,
}

impl Array {
    /// Creates an array of `len` elements of `stride` bytes. `EINVAL` if `stride` is smaller than `least`, not
    /// a multiple of 8, or larger than a page; `EFAULT`.
    pub(crate) fn new(address: u64, len: usize, stride: u32, least: usize) -> Result<Self> {
        // CAST: 32 bits.
        let stride = stride as usize;
        if stride < least || stride % size_of::<u64>() != 0 || stride > PAGE_SIZE {
            return Err(EINVAL);
        }
        let bytes = len.checked_mul(stride).ok_or(EFAULT)?;
        let writer = user_memory(address, bytes)?.writer();
        Ok(Array { writer, stride })
    }

    /// Writes the next element, and zeros if the caller's elements are larger. May sleep; `EFAULT`.
    pub(crate) fn push<T: AsBytes>(&mut self, value: &T) -> Result {
        let mut rest = self.stride.saturating_sub(size_of::<T>());
        if self.stride >= size_of::<T>() {
            // Faster than `write_slice`, which checks whether the source is a whole object of the kernel.
            self.writer.write(value)?;
        } else {
            let known = value.as_bytes().get(..self.stride).ok_or(EINVAL)?;
            self.writer.write_slice(known)?;
        }
        while rest != 0 {
            let len = rest.min(CHUNK);
            self.writer
                .write_slice([0u8; CHUNK].get(..len).ok_or(EINVAL)?)?;
            rest = rest.saturating_sub(len);
        }
        Ok(())
    }
}
