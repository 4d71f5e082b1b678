// SPDX-License-Identifier: GPL-2.0

//! Prints I/Os in flight: the reply to `@inflight`.

use super::{
    comm::Comm,
    identity::Identity,
    out::Out, //
};
use crate::acct::{
    class::{
        op,
        Class, //
    },
    entry::Times, //
};
use core::fmt::Result;

/// The operation of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Its `REQ_OP_*`.
    Op(u8),
    /// Its class, if the `REQ_OP_*` is not known.
    Class(Class),
}

impl Operation {
    /// The name of the operation in lower case, without `REQ_OP_`.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Op(op::READ) => "read",
            Operation::Op(op::WRITE) => "write",
            Operation::Op(op::FLUSH) => "flush",
            Operation::Op(op::DISCARD) => "discard",
            Operation::Op(op::SECURE_ERASE) => "secure_erase",
            Operation::Op(op::ZONE_APPEND) => "zone_append",
            Operation::Op(op::WRITE_ZEROES) => "write_zeroes",
            Operation::Op(op::ZONE_OPEN) => "zone_open",
            Operation::Op(op::ZONE_CLOSE) => "zone_close",
            Operation::Op(op::ZONE_FINISH) => "zone_finish",
            Operation::Op(op::ZONE_RESET) => "zone_reset",
            Operation::Op(op::ZONE_RESET_ALL) => "zone_reset_all",
            Operation::Op(op::DRV_IN) => "drv_in",
            Operation::Op(op::DRV_OUT) => "drv_out",
            Operation::Op(_) => "unknown",
            Operation::Class(class) => class.name(),
        }
    }
}

/// The part of an I/O that only privileged readers may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The operation.
    pub operation: Operation,
    /// The first sector on the whole disk.
    pub sector: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The submitter of an I/O, which only privileged readers may see as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submitter {
    /// The thread; 0 if it is not known.
    pub pid: u32,
    /// Its name.
    pub comm: Comm,
}

impl Submitter {
    /// Appends thread and name, each as a dash if it is not known.
    pub fn write(submitter: Option<&Self>, out: &mut impl Out) -> Result {
        match submitter {
            Some(Submitter { pid, comm }) if *pid != 0 => {
                out.write_after(b' ', (*pid).into())?;
                comm.write_after_blank(out)
            }
            _ => out.write_str(" - -"),
        }
    }
}

/// Writes the line with the names of the columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("device number phase age_ns service_ns op sector bytes pid comm\n")
}

/// Writes the line of an I/O of a disk or partition. Without `target` or `submitter` dashes are in its place.
pub fn line(
    out: &mut impl Out,
    device: &Identity,
    is_running: bool,
    times: Times,
    target: Option<&Target>,
    submitter: Option<&Submitter>,
) -> Result {
    device.name.write(out)?;
    out.write_after(b' ', device.number.into())?;
    out.write_str(if is_running { " running" } else { " waiting" })?;
    out.write_after(b' ', times.wait_ns.wrapping_add(times.service_ns))?;
    out.write_after(b' ', times.service_ns)?;
    match target {
        None => out.write_str(" - - -")?,
        Some(target) => {
            out.write_char(' ')?;
            out.write_str(target.operation.name())?;
            out.write_after(b' ', target.sector)?;
            out.write_after(b' ', target.bytes)?;
        }
    }
    Submitter::write(submitter, out)?;
    out.write_char('\n')
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::abi::name::Name;

    #[test]
    fn operations_have_the_names_of_the_kernel() {
        let name = |number| Operation::Op(number).name();
        assert_eq!(
            (name(0), name(9), name(34)),
            ("read", "write_zeroes", "drv_in")
        );
        assert_eq!((name(4), name(255)), ("unknown", "unknown"));
        assert_eq!(Operation::Class(Class::Free).name(), "free");
    }

    fn written(write: impl FnOnce(&mut String) -> Result) -> String {
        let mut text = String::new();
        assert_eq!(write(&mut text), Ok(()));
        text
    }

    #[test]
    fn a_line_has_the_columns_of_the_header() {
        let disk = Identity {
            name: Name::new(b"nbe"),
            number: 7,
            ..Identity::default()
        };
        let times = Times {
            wait_ns: 30,
            service_ns: 12,
        };
        let target = Target {
            operation: Operation::Op(op::DISCARD),
            sector: 2048,
            bytes: 4096,
        };
        let submitter = Submitter {
            pid: 99,
            comm: Comm::new(*b"a b\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        };
        let header = written(|out| header(out));
        assert_eq!(
            header,
            "device number phase age_ns service_ns op sector bytes pid comm\n"
        );
        let whole = written(|out| line(out, &disk, true, times, Some(&target), Some(&submitter)));
        assert_eq!(whole, "nbe 7 running 42 12 discard 2048 4096 99 a\\040b\n");
        let hidden = written(|out| line(out, &disk, false, times, None, None));
        assert_eq!(hidden, "nbe 7 waiting 42 12 - - - - -\n");
        for line in [&whole, &hidden] {
            assert_eq!(line.split(' ').count(), header.split(' ').count());
        }
    }
}
