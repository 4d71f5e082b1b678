// SPDX-License-Identifier: GPL-2.0 OR MIT

//! `/dev/iostat`, open and mapped. For 64-bit Linux.

use crate::clock;
use crate::layout::{
    Device, Get, Header, Histogram, List, Snapshot, GONE, IOC_LIST, IOC_SNAPSHOT, MAGIC,
    MISSING_BITS, SIZES, VERSION,
};
use crate::reader::Block;
use std::ffi::c_void;
use std::io::{Error, ErrorKind, Result};
use std::mem::size_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::ptr::{null_mut, NonNull};
use std::rc::Rc;
use std::sync::atomic::{fence, Ordering::Acquire};

extern "C" {
    fn mmap(
        at: *mut c_void,
        len: usize,
        prot: i32,
        flags: i32,
        fd: i32,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(at: *mut c_void, len: usize) -> i32;
    pub(crate) fn ioctl(fd: i32, number: std::ffi::c_ulong, ...) -> i32;
}

const PROT_READ: i32 = 1;
const MAP_SHARED: i32 = 1;

/// Linux's number of this error, on all architectures that have 64 bits.
const ENODEV: i32 = 19;

/// Bytes of a file, to read.
struct Mapping {
    at: NonNull<u8>,
    len: usize,
}

impl Mapping {
    fn new(file: &std::fs::File, len: usize, offset: u64) -> Result<Self> {
        let offset = i64::try_from(offset).map_err(|_| ErrorKind::InvalidInput)?;
        // SAFETY: A new mapping, where there was none.
        let at = unsafe {
            mmap(
                null_mut(),
                len,
                PROT_READ,
                MAP_SHARED,
                file.as_raw_fd(),
                offset,
            )
        };
        match NonNull::new(at.cast()) {
            Some(at) if at.as_ptr() as isize != -1 => Ok(Mapping { at, len }),
            _ => Err(Error::last_os_error()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: There are no references to it any more.
        unsafe { munmap(self.at.as_ptr().cast(), self.len) };
    }
}

/// The open file and its header.
pub struct File {
    pub(crate) file: Rc<std::fs::File>,
    header: Rc<Mapping>,
}

impl File {
    /// Opens it. [`ErrorKind::Unsupported`] if it is of a version that is not known here; `ENODEV` if it is not a
    /// character device.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::map_header(std::fs::File::open(path)?)
    }

    /// Opens it for reading and writing, as messages need it. Errors as of [`File::open`].
    pub fn open_for_messages(path: impl AsRef<Path>) -> Result<Self> {
        let mut options = std::fs::File::options();
        Self::map_header(options.read(true).write(true).open(path)?)
    }

    fn map_header(file: std::fs::File) -> Result<Self> {
        // The memory of an empty plain file cannot be read: SIGBUS.
        if !file.metadata()?.file_type().is_char_device() {
            return Err(Error::from_raw_os_error(ENODEV));
        }
        let header = Rc::new(Mapping::new(&file, size_of::<Header>(), 0)?);
        let file = Rc::new(file);
        let file = File { file, header };
        if file.header().magic != MAGIC || file.header().version != VERSION {
            return Err(ErrorKind::Unsupported.into());
        }
        Ok(file)
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: The mapping begins with a header, of at least this size.
        unsafe { self.header.at.cast::<Header>().as_ref() }
    }

    /// How often the list of devices has changed. Without a system call.
    pub fn generation(&self) -> u64 {
        self.header().generation.load(Acquire)
    }

    /// All devices.
    pub fn devices(&self) -> Result<Vec<Device>> {
        let mut devices = Vec::new();
        loop {
            let mut list = List {
                size: size_of::<List>() as u32,
                entry_size: size_of::<Device>() as u32,
                count: devices.len() as u32,
                devices: devices.as_mut_ptr() as u64,
                ..List::default()
            };
            // SAFETY: There is room for as many devices as it says.
            if unsafe { ioctl(self.file.as_raw_fd(), IOC_LIST, &mut list) } != 0 {
                return Err(Error::last_os_error());
            }
            let is_all = list.count as usize <= devices.len();
            devices.resize(list.count as usize, Device::default());
            if is_all {
                return Ok(devices);
            }
        }
    }

    /// Everything about the device `number` at one instant, by a system call. `ENXIO` if it has left.
    pub fn by_ioctl(&self, number: u32) -> Result<Snapshot> {
        let mut snapshot = Snapshot::default();
        let mut get = Get {
            size: size_of::<Get>() as u32,
            entry_size: size_of::<Snapshot>() as u32,
            count: 1,
            snapshots: &raw mut snapshot as u64,
            number,
            ..Get::default()
        };
        // SAFETY: There is room for one snapshot, as it says.
        match unsafe { ioctl(self.file.as_raw_fd(), IOC_SNAPSHOT, &mut get) } {
            0 => Ok(snapshot),
            _ => Err(Error::last_os_error()),
        }
    }

    /// The memory of the device that is at an offset by the list. `ENXIO` if it has left.
    pub fn map(&self, map_offset: u64) -> Result<Disk> {
        let mapping = self.map_block(map_offset)?;
        // SAFETY: The file has these at these places; both mappings live as long as the disk.
        let block = unsafe { Block::new(self.header.at, mapping.at) };
        Ok(Disk {
            block,
            partitions: Vec::new(),
            changes: 0,
            _mapping: mapping,
            file: File {
                file: self.file.clone(),
                header: self.header.clone(),
            },
        })
    }

    fn map_block(&self, map_offset: u64) -> Result<Mapping> {
        let len = self.header().block_bytes as usize;
        Mapping::new(&self.file, len, map_offset)
    }
}

/// A device, there or gone.
pub struct Disk {
    block: Block,
    /// The memory of its partitions, by the addresses that the block has.
    partitions: Vec<Mapping>,
    /// How often they had changed.
    changes: u64,
    _mapping: Mapping,
    file: File,
}

/// How often a read is tried again while partitions come and go, before it is a call.
const ATTEMPTS: u32 = 8;

impl Disk {
    /// Everything about it at one instant, as consistent as that of `IOSTAT_IOC_SNAPSHOT`, and no less than the
    /// last one here. Without a system call, except after partitions have come or gone. `ENXIO` if it has left, and its
    /// partitions have left so shortly before that their counts cannot be read.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        let read = |disk: &mut Self| {
            let header = disk.file.header();
            disk.block.read_by(|| clock::now(&header.clock))
        };
        let call = |disk: &mut Self| disk.file.by_ioctl(disk.device().number);
        let snapshot = self.with_partitions(read, call)?;
        Ok(self.block.settle(snapshot))
    }

    /// How the times of one class and phase are distributed, as `IOSTAT_IOC_HISTOGRAM` returns it. System calls and errors as
    /// of [`Disk::snapshot`]. Panics if there is no such class (0 to 3) or phase (0 to 2).
    pub fn histogram(&mut self, class: usize, phase: usize) -> Result<Histogram> {
        let read = |disk: &mut Self| disk.block.histogram(class, phase);
        let call = |disk: &mut Self| {
            let number = disk.device().number;
            disk.file.histogram_of(number, class as u32, phase as u32)
        };
        self.with_partitions(read, call)
    }

    /// How many transactions of a class had which size, by bucket: see [`least_bytes`](crate::least_bytes). System calls and
    /// errors as of [`Disk::snapshot`]. Panics if there is no such class (0 to 3).
    pub fn sizes(&mut self, class: usize) -> Result<[u64; SIZES]> {
        let read = |disk: &mut Self| disk.block.sizes(class);
        let call = |disk: &mut Self| disk.file.sizes_of(disk.device().number, class as u32);
        self.with_partitions(read, call)
    }

    /// What `read` finds in the memory of the device and all its partitions; what `call` gets, if not all can be mapped.
    fn with_partitions<T>(
        &mut self,
        read: impl Fn(&mut Self) -> T,
        call: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<T> {
        for _ in 0..ATTEMPTS {
            if self.changes_now() != self.changes && !self.map_partitions()? {
                break;
            }
            let found = read(self);
            // Orders what was read before this.
            fence(Acquire);
            if self.changes_now() == self.changes {
                return Ok(found);
            }
        }
        call(self)
    }

    fn changes_now(&self) -> u64 {
        self.block.owner().partitions.load(Acquire) >> MISSING_BITS
    }

    /// Maps the partitions there are; false if that are not all that count.
    fn map_partitions(&mut self) -> Result<bool> {
        let before = self.block.owner().partitions.load(Acquire);
        if before as u32 != 0 {
            return Ok(false);
        }
        let number = self.device().number;
        let mut partitions = Vec::new();
        for device in self.file.devices()? {
            if device.parent != number {
                continue;
            }
            match self.file.map_block(device.map_offset) {
                Ok(mapping) => partitions.push(mapping),
                // It has left meanwhile.
                Err(_) => return Ok(false),
            }
        }
        if self.block.owner().partitions.load(Acquire) != before {
            return Ok(false);
        }
        let owners = partitions.iter().map(|mapping| mapping.at);
        // SAFETY: The file has the memory of devices at these places. The mappings live as long as the block: they are
        // dropped after it, or once it has others.
        unsafe { self.block.set_partitions(owners) };
        self.partitions = partitions;
        self.changes = before >> MISSING_BITS;
        Ok(true)
    }

    /// Whether the device has left. Its counters stay.
    pub fn is_gone(&self) -> bool {
        self.block.owner().state.load(Acquire) == GONE
    }

    /// Who it is.
    pub fn device(&self) -> &Device {
        &self.block.owner().device
    }
}
