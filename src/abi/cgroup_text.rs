// SPDX-License-Identifier: GPL-2.0

//! Prints accounts by cgroup: the reply to `@cgroups_list`.

use super::{
    identity::Identity,
    out::Out, //
};
use crate::acct::{
    cgroup::{
        CgroupGroup,
        CgroupTotals, //
    },
    class::Class, //
};
use core::fmt::Result;

/// Writes the line with the names of the columns.
pub fn header(out: &mut impl Out) -> Result {
    out.write_str("device number cgroup class ios bytes operations duration_ns service_ns total\n")
}

/// Writes the line of a cgroup, disk and class. There is a dash in place of the name of a `device` that is not known.
/// The line of I/Os that had no room in the table has no device number, and dashes for disk and cgroup.
pub fn line(
    out: &mut impl Out,
    device: Option<&Identity>,
    group: &CgroupGroup,
    totals: &CgroupTotals,
) -> Result {
    match device {
        Some(device) => device.name.write(out)?,
        None => out.write_char('-')?,
    }
    if group.owner == 0 {
        out.write_str(" - other ")?;
    } else {
        out.write_after(b' ', group.device.into())?;
        out.write_after(b' ', group.owner)?;
        out.write_char(' ')?;
    }
    out.write_str(Class::from_number(group.class).map_or("-", Class::name))?;
    for number in [
        totals.ios,
        totals.bytes,
        totals.transactions(),
        totals.total_ns,
        totals.service_ns,
    ] {
        out.write_after(b' ', number)?;
    }
    let mut separator = b' ';
    for (bucket, count) in totals.counts.iter().enumerate() {
        if *count != 0 {
            out.write_after(separator, bucket as u64)?;
            out.write_after(b':', *count)?;
            separator = b',';
        }
    }
    if separator == b' ' {
        out.write_str(" -")?;
    }
    out.write_char('\n')
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::{
        abi::{
            out::Buffer,
            pager::BUFFER, //
        },
        acct::histogram::BUCKETS, //
    };

    #[test]
    fn a_line_has_all_columns_and_fits() {
        let mut room = [0; 3 * BUFFER];
        let mut out = Buffer::new(&mut room, 0);
        header(&mut out).unwrap();
        let group = CgroupGroup {
            device: 3,
            owner: 4,
            class: 2,
        };
        let mut totals = CgroupTotals {
            ios: 5,
            bytes: 6,
            total_ns: 7,
            service_ns: 8,
            ..CgroupTotals::default()
        };
        line(&mut out, None, &group, &totals).unwrap();
        totals.counts[1] = 2;
        totals.counts[BUCKETS - 1] = 3;
        line(&mut out, None, &CgroupGroup::default(), &totals).unwrap();
        let before = out.len();
        totals.counts = [u64::MAX / BUCKETS as u64; BUCKETS];
        let most = CgroupGroup {
            device: u32::MAX,
            owner: u64::MAX,
            class: 1,
        };
        line(&mut out, None, &most, &totals).unwrap();
        let len = out.len();
        assert!(len - before < BUFFER);
        let text = String::from_utf8(room[..len].to_vec()).unwrap();
        let mut lines = text.lines();
        let columns = lines.next().unwrap().split(' ').count();
        assert_eq!(lines.next(), Some("- 3 4 write 5 6 0 7 8 -"));
        assert_eq!(lines.next(), Some("- - other none 5 6 5 7 8 1:2,109:3"));
        assert!(text.lines().all(|line| line.split(' ').count() == columns));
    }
}
