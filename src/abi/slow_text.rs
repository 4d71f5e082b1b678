// SPDX-License-Identifier: GPL-2.0

//! Prints slow I/Os: the reply to `@slow`, and the file `slow` in sysfs.

use super::{
    comm::Comm,
    identity::Identity,
    inflight_text::{
        Operation,
        Submitter, //
    },
    out::Out, //
};
use crate::acct::slow::SlowIo;
use core::fmt::Result;

/// Writes the line with the names of the columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str(
        "device number end_ns wait_ns service_ns error wcnt rcnt op sector bytes pid comm cgroup\n",
    )
}

/// Writes the line of an I/O. There is a dash in place of the name of a `device` that is not known. Without
/// `has_target`, there are dashes in place of the members that only privileged readers may see.
pub fn line(
    out: &mut impl Out,
    device: Option<&Identity>,
    io: &SlowIo,
    has_target: bool,
) -> Result {
    match device {
        Some(device) => device.name.write(out)?,
        None => out.write_char('-')?,
    }
    out.write_after(b' ', io.device.into())?;
    for number in [io.end_ns, io.wait_ns, io.service_ns] {
        out.write_after(b' ', number)?;
    }
    for number in [io.error.into(), io.wcnt, io.rcnt] {
        out.write_after(b' ', number.into())?;
    }
    if !has_target {
        return out.write_str(" - - - - - -\n");
    }
    out.write_char(' ')?;
    out.write_str(Operation::Op(io.op).name())?;
    out.write_after(b' ', io.sector)?;
    out.write_after(b' ', io.bytes)?;
    let submitter = Submitter {
        pid: io.pid,
        comm: Comm::new(io.comm),
    };
    Submitter::write(Some(&submitter), out)?;
    match io.cgroup {
        0 => out.write_str(" -")?,
        id => out.write_after(b' ', id)?,
    }
    out.write_char('\n')
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::abi::out::Buffer;

    #[test]
    fn a_line_has_all_columns() {
        let io = SlowIo {
            end_ns: 1,
            wait_ns: 2,
            service_ns: 3,
            sector: 4,
            bytes: 5,
            cgroup: 6,
            comm: *b"a b\0\0\0\0\0\0\0\0\0\0\0\0\0",
            pid: 7,
            device: 8,
            wcnt: 9,
            rcnt: 10,
            op: 1,
            error: 11,
        };
        let mut room = [0; 400];
        let mut out = Buffer::new(&mut room, 0);
        header(&mut out).unwrap();
        line(&mut out, None, &io, true).unwrap();
        line(&mut out, None, &io, false).unwrap();
        let unknown = SlowIo {
            pid: 0,
            cgroup: 0,
            ..io
        };
        line(&mut out, None, &unknown, true).unwrap();
        let len = out.len();
        let text = String::from_utf8(room[..len].to_vec()).unwrap();
        let mut lines = text.lines();
        let columns = lines.next().unwrap().split(' ').count();
        assert_eq!(
            lines.next(),
            Some("- 8 1 2 3 11 9 10 write 4 5 7 a\\040b 6")
        );
        assert_eq!(lines.next(), Some("- 8 1 2 3 11 9 10 - - - - - -"));
        assert_eq!(lines.next(), Some("- 8 1 2 3 11 9 10 write 4 5 - - -"));
        assert!(text.lines().all(|line| line.split(' ').count() == columns));
    }
}
