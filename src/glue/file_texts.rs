// SPDX-License-Identifier: GPL-2.0

//! Stores the texts of a traced event about a file, for `src/io/file_texts.c`, which finds the
//! file.
//!
//! C headers: `include/iostat/file_texts.h`, `include/iostat/text.h`, `include/iostat/walk.h`.

use super::{
    bindings as own,
    string, //
};
use crate::abi::file_text;
use core::mem::offset_of;
use kernel::ffi::c_char;

/// Written in place of a text that is not known.
const UNKNOWN: &[u8] = b"<unknown>";

// CAST: Small numbers.
const HEAD_BYTES: usize = own::IOSTAT_HEAD_BYTES as usize;
const MOUNT_LEN: usize = own::IOSTAT_MOUNT_LEN as usize;
const DIR_LEN: usize = own::IOSTAT_DIR_LEN as usize;

/// Where texts that have no fixed length begin in the event, and where the path is.
const TEXTS_AT: usize = HEAD_BYTES + offset_of!(own::iostat_io, result);
const PATH_AT: usize = HEAD_BYTES + offset_of!(own::iostat_io, file.fi_pathname);

// There is room for both texts of a file, in whole words.
const _: () = assert!((MOUNT_LEN + DIR_LEN).next_multiple_of(8) <= own::IOSTAT_FILE_BYTES as usize);

/// Returns the location of a text, in the format of a dynamic array of a trace event:
/// `IOSTAT_LOC()`.
fn location(at: usize, bytes: usize) -> u32 {
    // CAST: Offsets and lengths in an event have 16 bits.
    (bytes as u32) << 16 | at as u32
}

impl own::iostat_io {
    /// Sets the type of the file system, and clears all other members about the file.
    fn begin_file(&mut self, fs: &[u8]) {
        self.file = Default::default();
        file_text::put_text(&mut self.file.fi_fs, fs);
        self.bytes = 0;
    }

    /// Adds a text that has no fixed length, of at most `size` bytes with its NUL, and returns where it is.
    fn add_text(&mut self, size: usize, text: &[u8]) -> u32 {
        // CAST: At most the length of the array.
        let at = self.bytes as usize;
        let room = self.texts.get_mut(at..).unwrap_or_default();
        let size = size.min(room.len());
        let bytes = file_text::put_text(&mut room[..size], text).wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes as u32);
        location(TEXTS_AT.wrapping_add(at), bytes)
    }

    /// Sets the path, and the name as the end of the path. Then pads the texts to whole words.
    fn end_file(&mut self, path: &[u8]) {
        let written = &mut self.file.fi_pathname;
        let bytes = file_text::put_text(written, path).wrapping_add(1);
        let written = written.get(..bytes).unwrap_or_default();
        let name = file_text::name_at(written);
        self.file.fi_name = location(PATH_AT.wrapping_add(name), bytes.wrapping_sub(name));
        // Not `next_multiple_of()`, whose sum is checked, with a panic.
        let words = self.bytes.wrapping_add(7) & !7;
        // CAST: At most the length of the array.
        if let Some(rest) = self.texts.get_mut(self.bytes as usize..words as usize) {
            rest.fill(0);
        }
        self.bytes = words;
    }

    fn set_file(&mut self, fs: &[u8], mount: &[u8], path: Option<&[u8]>) {
        self.begin_file(fs);
        self.where_.fi_mount = self.add_text(MOUNT_LEN, mount);
        let directory = path.and_then(file_text::directory);
        self.where_.fi_dirname = self.add_text(DIR_LEN, directory.unwrap_or(UNKNOWN));
        self.end_file(path.unwrap_or(UNKNOWN));
    }

    fn set_no_file(&mut self, text: &[u8]) {
        self.begin_file(text);
        self.file.fi_offset = -1;
        self.where_.fi_dirname = self.add_text(DIR_LEN, text);
        self.where_.fi_mount = self.where_.fi_dirname;
        self.end_file(text);
    }
}

/// Returns the bytes of a string of C, if there is one.
///
/// # Safety
///
/// `text` is null or a string, which does not change and is not freed as long as the result is used.
unsafe fn bytes<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: By the requirement of this function.
    (!text.is_null()).then(|| unsafe { string::bytes(text) })
}

/// # Safety
///
/// `io` is valid and only used by the caller; `fs` is a string, `mount` null or a string, and `path` null or `len` bytes.
#[no_mangle]
unsafe extern "C" fn iostat_set_file(
    io: *mut own::iostat_io,
    fs: *const c_char,
    mount: *const c_char,
    path: *const c_char,
    len: usize,
) {
    // SAFETY: By the requirement of this function.
    let (io, fs, mount) = unsafe { (&mut *io, bytes(fs), bytes(mount)) };
    // SAFETY: By the requirement of this function.
    let path = (!path.is_null()).then(|| unsafe { core::slice::from_raw_parts(path.cast(), len) });
    io.set_file(fs.unwrap_or(UNKNOWN), mount.unwrap_or(UNKNOWN), path);
}

/// # Safety
///
/// `io` is valid and only used by the caller; `text` is a string.
#[no_mangle]
unsafe extern "C" fn iostat_fileinfo_none(io: *mut own::iostat_io, text: *const c_char) {
    // SAFETY: By the requirement of this function.
    let (io, text) = unsafe { (&mut *io, bytes(text)) };
    io.set_no_file(text.unwrap_or(UNKNOWN));
}

/// # Safety
///
/// `to` has `size` bytes, which only the caller uses, and `from` has `len` bytes.
#[no_mangle]
unsafe extern "C" fn iostat_put_text(
    to: *mut c_char,
    size: usize,
    from: *const c_char,
    len: usize,
) -> usize {
    // SAFETY: By the requirement of this function.
    let to = unsafe { core::slice::from_raw_parts_mut(to.cast(), size) };
    // SAFETY: By the requirement of this function.
    let from = unsafe { core::slice::from_raw_parts(from.cast(), len) };
    file_text::put_text(to, from)
}

/// # Safety
///
/// `walk` is valid and only used by the caller; its text is in its buffer, and `rest` is in that text or behind it. `point` is
/// a string.
#[no_mangle]
unsafe extern "C" fn iostat_walk_join(
    walk: *mut own::iostat_walk,
    rest: *const c_char,
    point: *const c_char,
) {
    // SAFETY: By the requirement of this function.
    let (walk, point) = unsafe { (&mut *walk, bytes(point)) };
    let buffer = walk.buf.as_ptr() as usize;
    let end = (walk.text as usize)
        .wrapping_sub(buffer)
        .wrapping_add(walk.len);
    let rest = (rest as usize).wrapping_sub(buffer);
    let start = file_text::join(&mut walk.buf, rest, point.unwrap_or_default());
    walk.text = walk.buf.as_ptr().wrapping_add(start);
    walk.len = end.wrapping_sub(start);
}

same_types!(
    iostat_set_file,
    iostat_fileinfo_none,
    iostat_put_text,
    iostat_walk_join
);
