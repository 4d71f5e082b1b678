// SPDX-License-Identifier: GPL-2.0

//! Exact, always-on I/O statistics for every block device.
//!
//! The module has four floors, and this file, which puts them together. Imports go downward only:
//!
//! 3. [`iface`]: sysfs, `/dev/iostat`;
//! 2. [`evcnt`]: event counters; [`recorder`], which uses them: the block layer's events, the disks, their accounts, the
//!    trace events; [`kapi`], which uses both: what other modules call;
//! 1. [`kernel_ext`]: safe abstractions that the `kernel` crate lacks; [`glue`], which binds them to this module;
//! 0. [`acct`] and [`abi`]: what is counted and how it is written: pure code, independent of the
//!    kernel.

use kernel::prelude::*;

pub mod abi;
pub mod acct;
#[path = "../rust/kernel/below.rs"]
mod below;
mod evcnt;
mod glue;
#[path = "../rust/kernel/hint.rs"]
mod hint;
mod iface;
mod kapi;
#[path = "../rust/kernel/mod.rs"]
mod kernel_ext;
mod recorder;
mod sync;

#[cfg(CONFIG_KUNIT = "y")]
#[path = "../tests/kunit/mod.rs"]
mod kunit;

use core::borrow::Borrow;

module! {
    type: Iostat,
    name: "iostat",
    authors: ["The iostat maintainers"],
    description: "Exact, always-on I/O statistics for every block device",
    license: "GPL",
    params: {
        inflight: u32 {
            default: 0,
            description: "I/Os in flight that can be recorded at a time, 172 to 344 bytes each (64 to 4194304; 0: as many as suit the machine's memory)",
        },
        frequent_events: u32 {
            default: 0,
            description: "Whether frequent events are counted as well: plugs, unplugs and remaps (0 or 1)",
        },
        slow_threshold_ns: u64 {
            default: 500_000_000,
            description: "I/Os that take at least this long from start to end are kept as slow, ns (1 to 2^63)",
        },
        cgroup_rows: u32 {
            default: 4096,
            description: "Rows of the accounts by cgroup: one for each cgroup, disk, CPU and class, about 1 KiB each (16 to 1048576)",
        },
        mode: u32 {
            default: 0o666,
            description: "Who may read and write /dev/iostat: a file mode, octal, with a 0 in front (0666)",
        },
    },
}

/// Fields are dropped in this order: readers first, so that they do not see the end of the
/// recorder.
struct Iostat {
    _nfs: Option<recorder::nfs::Nfs<iface::Interfaces>>,
    _devstat: kapi::DevstatApi,
    _clients: Option<iface::ShownDirectory>,
    _device: kernel_ext::miscdevice::MiscDeviceRegistration<iface::reader::Reader>,
    _recorder: recorder::Recorder<iface::Interfaces>,
    _api: kapi::Api,
}

impl kernel::Module for Iostat {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        // `value()` returns a reference in 7.2, a value in 7.3.
        let inflight = *Borrow::<u32>::borrow(&module_parameters::inflight.value());
        let frequent_events = *Borrow::<u32>::borrow(&module_parameters::frequent_events.value());
        if frequent_events > 1 {
            pr_err!("frequent_events={frequent_events} is not 0 or 1\n");
            return Err(EINVAL);
        }
        let cgroup_rows = *Borrow::<u32>::borrow(&module_parameters::cgroup_rows.value());
        let mode = iface::chardev::mode(*Borrow::<u32>::borrow(&module_parameters::mode.value()))?;
        let slow_ns = *Borrow::<u64>::borrow(&module_parameters::slow_threshold_ns.value());
        recorder::slow::set_threshold_ns(slow_ns).inspect_err(|_| {
            pr_err!("slow_threshold_ns={slow_ns} is not from 1 to 9223372036854775808\n");
        })?;
        let api = kapi::Api::new()?;
        let interfaces = iface::Interfaces::new(api.kstats())?;
        let recorder = recorder::Recorder::new(
            interfaces.clone(),
            api.events(),
            inflight,
            frequent_events != 0,
            cgroup_rows,
        )?;
        let (disks, partitions) = recorder.state().disks_and_partitions();
        pr_info!("recording {disks} disks and {partitions} partitions\n");
        let devstat = kapi::DevstatApi::new(recorder.state())?;
        // From here on programs may have the device open. The memory of a module whose initialisation
        // fails is freed nevertheless, so nothing may fail any more.
        let device = kernel_ext::miscdevice::MiscDeviceRegistration::new(
            c"iostat",
            mode,
            &iface::control::GROUPS,
            iface::ChardevContext {
                recording: recorder.state(),
                events: api.events(),
                kstats: api.kstats(),
            },
        )?;
        let clients = interfaces.show_in(&device);
        let nfs = recorder::nfs::Nfs::new(recorder.state());
        let nfs = nfs.inspect_err(|error| pr_warn!("nfs: not recorded: {error:?}\n"));
        Ok(Iostat {
            _nfs: nfs.ok(),
            _devstat: devstat,
            _clients: clients,
            _device: device,
            _recorder: recorder,
            _api: api,
        })
    }
}
