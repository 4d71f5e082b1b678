// SPDX-License-Identifier: GPL-2.0 OR MIT

//! The calls of `/dev/iostat`, for programs that want all devices at once, kstats, or messages.

use crate::arguments::{
    Cgroup, GetCgroups, GetSlow, HistogramCall, KstatHeader, KstatList, KstatRead, KstatValue,
    Message,
};
use crate::file::{ioctl, File};
use crate::layout::{
    Device, Get, Histogram, List, Snapshot, BUCKETS, GET_ALL, GET_OLDEST, IOC_CGROUPS,
    IOC_HISTOGRAM, IOC_KSTAT_LIST, IOC_KSTAT_READ, IOC_LIST, IOC_MESSAGE, IOC_SLOW, IOC_SNAPSHOT,
    NO_DEVICE, PHASE_OF_SIZES, SIZES,
};
use std::io::{Error, ErrorKind, Result};
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;

const ENOSPC: i32 = 28;
const ENOMEM: i32 = 12;

/// The list of devices of one moment.
#[derive(Clone, Debug, Default)]
pub struct Devices {
    /// How often the list had changed.
    pub generation: u64,
    /// By priority, then in the order of arrival.
    pub devices: Vec<Device>,
}

/// The chain of kstats of one moment.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Changes whenever a kstat comes or goes.
    pub chain_id: u32,
    /// By number (kid).
    pub headers: Vec<KstatHeader>,
}

/// What one kstat had at one instant.
#[derive(Clone, Debug, Default)]
pub struct Kstat {
    /// The instant, ns.
    pub snaptime: u64,
    /// When it was made, ns.
    pub crtime: u64,
    /// `enum iostat_kstat_type`.
    pub kstat_type: u32,
    /// The statistics, in the order of the kstat's data. None of a raw kstat.
    pub values: Vec<KstatValue>,
    /// Text of the statistics; of a raw kstat its bytes.
    pub data: Vec<u8>,
}

impl File {
    /// # Safety
    ///
    /// `argument` is what the call `number` takes, and each address in it has the room that it says.
    pub(crate) unsafe fn call<T>(&self, number: std::ffi::c_ulong, argument: &mut T) -> Result<()> {
        // SAFETY: By the requirement of this function.
        match unsafe { ioctl(self.file.as_raw_fd(), number, &raw mut *argument) } {
            0 => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }

    /// All devices, and the generation of the list.
    pub fn list(&self) -> Result<Devices> {
        let mut devices = vec![Device::default(); 16];
        loop {
            let mut list = List {
                size: size_of::<List>() as u32,
                entry_size: size_of::<Device>() as u32,
                count: devices.len() as u32,
                devices: devices.as_mut_ptr() as u64,
                ..List::default()
            };
            // SAFETY: There is room for as many devices as it says.
            unsafe { self.call(IOC_LIST, &mut list) }?;
            let is_all = list.count as usize <= devices.len();
            devices.resize(list.count as usize, Device::default());
            if is_all {
                let generation = list.generation;
                return Ok(Devices {
                    generation,
                    devices,
                });
            }
        }
    }

    /// Everything about each device, in the order of the list, and the generation of the list. What is in
    /// `snapshots` is replaced; its memory is used again.
    pub fn snapshots(&self, snapshots: &mut Vec<Snapshot>) -> Result<u64> {
        self.get_snapshots(0, snapshots)
    }

    /// The same, with the ages of the oldest I/Os in flight, for which the kernel searches its table of these.
    pub fn snapshots_with_ages(&self, snapshots: &mut Vec<Snapshot>) -> Result<u64> {
        self.get_snapshots(GET_OLDEST, snapshots)
    }

    fn get_snapshots(&self, flags: u32, snapshots: &mut Vec<Snapshot>) -> Result<u64> {
        let room = snapshots.capacity().max(16);
        snapshots.resize(room, Snapshot::default());
        loop {
            let mut get = Get {
                size: size_of::<Get>() as u32,
                flags: GET_ALL | flags,
                entry_size: size_of::<Snapshot>() as u32,
                count: snapshots.len() as u32,
                snapshots: snapshots.as_mut_ptr() as u64,
                ..Get::default()
            };
            // SAFETY: There is room for as many snapshots as it says.
            unsafe { self.call(IOC_SNAPSHOT, &mut get) }?;
            let is_all = get.count as usize <= snapshots.len();
            snapshots.resize(get.count as usize, Snapshot::default());
            if is_all {
                return Ok(get.generation);
            }
        }
    }

    /// Calls for a histogram with so many buckets.
    fn counts_of<const ALL: usize>(
        &self,
        number: u32,
        class: u32,
        phase: u32,
    ) -> Result<([u64; ALL], HistogramCall)> {
        let mut counts = [0u64; ALL];
        let mut call = HistogramCall {
            size: size_of::<HistogramCall>() as u32,
            number,
            class,
            phase,
            buckets: ALL as u32,
            counts: &raw mut counts as u64,
            ..HistogramCall::default()
        };
        // SAFETY: There is room for as many buckets as it says.
        unsafe { self.call(IOC_HISTOGRAM, &mut call) }?;
        Ok((counts, call))
    }

    /// How many transactions of a class of the device `number` had which size, by bucket. `ENXIO` if it has left.
    pub fn sizes_of(&self, number: u32, class: u32) -> Result<[u64; SIZES]> {
        self.counts_of(number, class, PHASE_OF_SIZES)
            .map(|(counts, _)| counts)
    }

    /// How the times of one class and phase of the device `number` are distributed. `ENXIO` if it has left.
    pub fn histogram_of(&self, number: u32, class: u32, phase: u32) -> Result<Histogram> {
        let (counts, call) = self.counts_of::<BUCKETS>(number, class, phase)?;
        Ok(Histogram {
            counts,
            longest: call.max,
            shortest_inverted: match call.min {
                0 if call.max == 0 => 0,
                min => !min,
            },
        })
    }

    /// The time from which on an I/O is slow, ns, which is that of all disks. `ENXIO` if the device `number` has left.
    pub fn slow_threshold(&self, number: u32) -> Result<u64> {
        // That of `struct iostat_slow`, of which none is asked for.
        const ENTRY_SIZE: u32 = 104;
        let mut get = GetSlow {
            size: size_of::<GetSlow>() as u32,
            number,
            entry_size: ENTRY_SIZE,
            ..GetSlow::default()
        };
        // SAFETY: It has room for no slow I/O, and says so.
        unsafe { self.call(IOC_SLOW, &mut get) }?;
        Ok(get.threshold)
    }

    /// Replaces the contents of `cgroups` with the accounts by cgroup of all disks: by disk, then by cgroup, then by class.
    /// Returns whether accounts are kept, which `@cgroups on` begins.
    pub fn cgroups(&self, cgroups: &mut Vec<Cgroup>) -> Result<bool> {
        cgroups.resize(cgroups.capacity().max(64), Cgroup::default());
        loop {
            let mut get = GetCgroups {
                size: size_of::<GetCgroups>() as u32,
                number: NO_DEVICE,
                entry_size: size_of::<Cgroup>() as u32,
                count: cgroups.len() as u32,
                cgroups: cgroups.as_mut_ptr() as u64,
                ..GetCgroups::default()
            };
            // SAFETY: There is room for as many accounts as it says.
            unsafe { self.call(IOC_CGROUPS, &mut get) }?;
            let count = get.count as usize;
            if count <= cgroups.len() {
                cgroups.truncate(count);
                return Ok(get.rows != 0);
            }
            // There may be more at the next call.
            cgroups.resize(count * 2, Cgroup::default());
        }
    }

    /// The reply to a message. The file has to be open for writing too: [`File::open_for_messages`]. If the
    /// message is refused, the error holds the line that says why, if there is one.
    pub fn message(&self, message: &[u8]) -> Result<Vec<u8>> {
        let mut reply = vec![0u8; 16384];
        let mut call = Message {
            size: size_of::<Message>() as u32,
            message: message.as_ptr() as u64,
            reply: reply.as_mut_ptr() as u64,
            message_bytes: message.len() as u32,
            reply_bytes: reply.len() as u32,
            ..Message::default()
        };
        // SAFETY: Both have as many bytes as it says.
        let result = unsafe { self.call(IOC_MESSAGE, &mut call) };
        match result {
            Ok(()) => {
                reply.truncate(call.reply_bytes as usize);
                Ok(reply)
            }
            Err(error) if error.raw_os_error() == Some(ENOSPC) => {
                reply.truncate(call.reply_bytes as usize);
                self.read_rest(&mut reply)?;
                Ok(reply)
            }
            Err(error) => Err(self.why(error)),
        }
    }

    /// Appends what the file reads as, from behind what `reply` has on.
    fn read_rest(&self, reply: &mut Vec<u8>) -> Result<()> {
        let mut buffer = vec![0u8; 65536];
        loop {
            match self.file.read_at(&mut buffer, reply.len() as u64) {
                Ok(0) => return Ok(()),
                Ok(len) => reply.extend_from_slice(&buffer[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The error of a message, with the line that the file then reads as.
    fn why(&self, error: Error) -> Error {
        let mut line = [0u8; 256];
        match self.file.read_at(&mut line, 0) {
            Ok(len) if (1..line.len()).contains(&len) => {
                let line = String::from_utf8_lossy(&line[..len]);
                Error::new(error.kind(), line.trim_end().to_owned())
            }
            _ => error,
        }
    }

    /// The chain of kstats.
    pub fn kstat_list(&self) -> Result<Chain> {
        let mut headers = vec![KstatHeader::default(); 64];
        loop {
            let mut list = KstatList {
                size: size_of::<KstatList>() as u32,
                entry_size: size_of::<KstatHeader>() as u32,
                count: headers.len() as u32,
                headers: headers.as_mut_ptr() as u64,
                ..KstatList::default()
            };
            // SAFETY: There is room for as many headers as it says.
            unsafe { self.call(IOC_KSTAT_LIST, &mut list) }?;
            let is_all = list.count as usize <= headers.len();
            headers.resize(list.count as usize, KstatHeader::default());
            if is_all {
                let chain_id = list.chain_id;
                return Ok(Chain { chain_id, headers });
            }
        }
    }

    /// What the kstat of the number `kid` has. `ENXIO` if there is none, or no longer.
    pub fn kstat_read(&self, kid: u32) -> Result<Kstat> {
        let (mut values, mut data) = (vec![KstatValue::default(); 32], vec![0u8; 1024]);
        loop {
            let mut read = KstatRead {
                size: size_of::<KstatRead>() as u32,
                kid,
                entry_size: size_of::<KstatValue>() as u32,
                count: values.len() as u32,
                bytes: data.len() as u32,
                values: values.as_mut_ptr() as u64,
                data: data.as_mut_ptr() as u64,
                ..KstatRead::default()
            };
            // SAFETY: There is room for as many values and bytes as it says.
            let result = unsafe { self.call(IOC_KSTAT_READ, &mut read) };
            let is_short = read.count as usize > values.len() || read.bytes as usize > data.len();
            match result {
                Err(error) if error.raw_os_error() == Some(ENOMEM) && is_short => {
                    // It may be larger again at the next call.
                    values.resize(values.len().max(read.count as usize), KstatValue::default());
                    data.resize(data.len().max(read.bytes as usize), 0);
                }
                Err(error) => return Err(error),
                Ok(()) => {
                    values.truncate(read.count as usize);
                    data.truncate(read.bytes as usize);
                    return Ok(Kstat {
                        snaptime: read.snaptime,
                        crtime: read.crtime,
                        kstat_type: read.kstat_type,
                        values,
                        data,
                    });
                }
            }
        }
    }

    /// The upper bounds of the buckets of histograms, ns: one less than there are buckets.
    pub fn bounds(&self) -> [u64; BUCKETS - 1] {
        self.header().bounds
    }
}

/// For `poll()`, which says when devices come and go.
impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
