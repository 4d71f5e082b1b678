// SPDX-License-Identifier: GPL-2.0

//! The structures of `IOSTAT_IOC_SLOW`.

use crate::acct::slow::SlowIo;

/// `IOSTAT_SLOW_TARGET`.
pub const TARGET: u32 = 1;

/// `struct iostat_slow`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceSlowIo {
    pub sequence: u64,
    pub end: u64,
    pub wait: u64,
    pub service: u64,
    pub number: u32,
    pub flags: u32,
    pub error: u32,
    pub wcnt: u32,
    pub rcnt: u32,
    pub op: u32,
    pub sector: u64,
    pub bytes: u64,
    pub pid: u32,
    pub reserved: u32,
    pub cgroup: u64,
    pub comm: [u8; 16],
}

impl DeviceSlowIo {
    /// Converts an I/O; all of it only with `has_target`.
    pub fn new(sequence: u64, io: &SlowIo, has_target: bool) -> Self {
        let public = DeviceSlowIo {
            sequence,
            end: io.end_ns,
            wait: io.wait_ns,
            service: io.service_ns,
            number: io.device,
            error: io.error.into(),
            wcnt: io.wcnt,
            rcnt: io.rcnt,
            ..DeviceSlowIo::default()
        };
        if !has_target {
            return public;
        }
        DeviceSlowIo {
            flags: TARGET,
            op: io.op.into(),
            sector: io.sector,
            bytes: io.bytes,
            pid: io.pid,
            cgroup: io.cgroup,
            comm: io.comm,
            ..public
        }
    }
}

/// `struct iostat_get_slow`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct GetSlow {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub entry_size: u32,
    pub count: u32,
    pub reserved: u32,
    pub total: u64,
    pub threshold: u64,
    pub slow: u64,
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_binary_slow))]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn structures_of_slow_ios_have_the_sizes_of_version_1() {
        assert_eq!(size_of::<DeviceSlowIo>(), 104);
        assert_eq!(size_of::<GetSlow>(), 48);
    }

    #[test]
    fn some_of_a_slow_io_is_not_for_all() {
        let io = SlowIo {
            end_ns: 1,
            sector: 2,
            comm: [3; 16],
            op: 4,
            error: 5,
            ..SlowIo::default()
        };
        let all = DeviceSlowIo::new(6, &io, true);
        assert_eq!((all.sequence, all.end, all.error), (6, 1, 5));
        assert_eq!((all.flags, all.sector, all.op), (TARGET, 2, 4));
        assert_eq!(all.comm, [3; 16]);
        let public = DeviceSlowIo::new(6, &io, false);
        assert_eq!((public.sequence, public.end, public.error), (6, 1, 5));
        assert_eq!((public.flags, public.sector, public.op), (0, 0, 0));
        assert_eq!(public.comm, [0; 16]);
    }
}
