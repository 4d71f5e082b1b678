// SPDX-License-Identifier: GPL-2.0

//! The reports of `ioscope show`, column by column: its own, and those of the tools that people know.
//!
//! Headings are exactly those tools'. Where they print 0 for the mean of no operations, so does their report here;
//! what the module cannot know is `None`, and printed as `-`.

use crate::interval::Interval;
use crate::quantile::{Bounds, UpTo};
use crate::sample::{FREE, NONE, READ, TOTAL, WRITE};

const KIB: f64 = 1024.0;
const MB: f64 = 1e6;
const MIB: f64 = 1024.0 * 1024.0;

/// How a number is written.
#[derive(Clone, Copy)]
pub enum Show {
    /// With so many digits behind the point.
    Fixed(usize),
    /// Milliseconds as gstat writes them: three significant digits or so.
    Milliseconds,
    /// Microseconds up to the bound of a bucket: one digit behind the point below 100.
    Bound,
    /// A percentage with so many digits behind the point, which colour may stress.
    Busy(usize),
}

type Value = fn(&Interval, &Bounds) -> Option<f64>;

pub struct Column {
    pub heading: &'static str,
    /// With the blanks before it.
    pub width: usize,
    pub show: Show,
    pub value: Value,
}

/// Where the device's name stands.
pub enum Name {
    /// Before the columns, this wide.
    First(&'static str, usize),
    /// Behind them: what is before the heading and before a name.
    Last(&'static str, &'static str),
}

/// A report.
pub struct Layout {
    pub name: Name,
    pub columns: &'static [Column],
    /// Whether a line with the length of the interval comes first, as gstat's.
    pub has_interval_line: bool,
    /// Whether it shows the times of reads and writes, which have to be read then.
    pub has_times: bool,
    /// Whether it shows events.
    pub has_events: bool,
}

const fn column(heading: &'static str, width: usize, show: Show, value: Value) -> Column {
    Column {
        heading,
        width,
        show,
        value,
    }
}

/// As tools print it that do not distinguish nothing from zero.
fn or_zero(value: Option<f64>) -> Option<f64> {
    Some(value.unwrap_or(0.0))
}

fn us(interval: &Interval, class: usize, q: f64, bounds: &Bounds) -> Option<f64> {
    match interval.quantile(class, TOTAL, q, bounds)? {
        UpTo::Ns(ns) => Some(ns as f64 / 1e3),
        UpTo::Beyond => Some(f64::INFINITY),
    }
}

/// What none of the others says in one line.
pub static OWN: Layout = Layout {
    name: Name::First("device", 10),
    columns: &[
        column("r/s", 7, Show::Fixed(1), |i, _| i.iops(READ)),
        column("w/s", 7, Show::Fixed(1), |i, _| i.iops(WRITE)),
        column("rMB/s", 8, Show::Fixed(2), |i, _| i.rate(READ, MB)),
        column("wMB/s", 8, Show::Fixed(2), |i, _| i.rate(WRITE, MB)),
        column("wait", 7, Show::Fixed(2), |i, _| i.waiting()),
        column("actv", 7, Show::Fixed(2), |i, _| i.active()),
        column("w_ms", 6, Show::Fixed(2), |i, _| i.wait_ms()),
        column("s_ms", 6, Show::Fixed(2), |i, _| i.service_ms()),
        column("r50us", 8, Show::Bound, |i, b| us(i, READ, 50.0, b)),
        column("r99us", 8, Show::Bound, |i, b| us(i, READ, 99.0, b)),
        column("w50us", 8, Show::Bound, |i, b| us(i, WRITE, 50.0, b)),
        column("w99us", 8, Show::Bound, |i, b| us(i, WRITE, 99.0, b)),
        column("%w", 5, Show::Fixed(0), |i, _| i.wait_percent()),
        column("%b", 5, Show::Busy(0), |i, _| i.run_percent()),
        column("tagw", 6, Show::Fixed(0), |i, _| {
            i.events(|name| name == "tag_waits").map(|n| n as f64)
        }),
        column("errs", 6, Show::Fixed(0), |i, _| {
            i.errors().map(|n| n as f64)
        }),
    ],
    has_interval_line: false,
    has_times: true,
    has_events: true,
};

/// sysstat's `iostat -x`. The module counts no merges of discards.
pub static SYSSTAT: Layout = Layout {
    name: Name::First("Device", 13),
    columns: &[
        column("r/s", 8, Show::Fixed(2), |i, _| i.iops(READ)),
        column("rkB/s", 10, Show::Fixed(2), |i, _| i.rate(READ, KIB)),
        column("rrqm/s", 9, Show::Fixed(2), |i, _| i.merge_rate(READ)),
        column("%rrqm", 7, Show::Fixed(2), |i, _| i.merge_percent(READ)),
        column("r_await", 8, Show::Fixed(2), |i, _| {
            or_zero(i.mean_ms(READ))
        }),
        column("rareq-sz", 9, Show::Fixed(2), |i, _| {
            or_zero(i.size(READ, KIB))
        }),
        column("w/s", 8, Show::Fixed(2), |i, _| i.iops(WRITE)),
        column("wkB/s", 10, Show::Fixed(2), |i, _| i.rate(WRITE, KIB)),
        column("wrqm/s", 9, Show::Fixed(2), |i, _| i.merge_rate(WRITE)),
        column("%wrqm", 7, Show::Fixed(2), |i, _| i.merge_percent(WRITE)),
        column("w_await", 8, Show::Fixed(2), |i, _| {
            or_zero(i.mean_ms(WRITE))
        }),
        column("wareq-sz", 9, Show::Fixed(2), |i, _| {
            or_zero(i.size(WRITE, KIB))
        }),
        column("d/s", 8, Show::Fixed(2), |i, _| i.iops(FREE)),
        column("dkB/s", 10, Show::Fixed(2), |i, _| i.rate(FREE, KIB)),
        column("drqm/s", 9, Show::Fixed(2), |_, _| None),
        column("%drqm", 7, Show::Fixed(2), |_, _| None),
        column("d_await", 8, Show::Fixed(2), |i, _| {
            or_zero(i.mean_ms(FREE))
        }),
        column("dareq-sz", 9, Show::Fixed(2), |i, _| {
            or_zero(i.size(FREE, KIB))
        }),
        column("f/s", 8, Show::Fixed(2), |i, _| {
            i.per_second(i.events(|name| name == "flushes")?)
        }),
        column("f_await", 8, Show::Fixed(2), |i, _| {
            Some(i.events(|name| name == "flushes")?).map(|_| i.flush_ms().unwrap_or(0.0))
        }),
        column("aqu-sz", 8, Show::Fixed(2), |i, _| {
            Some(i.waiting()? + i.active()?)
        }),
        column("%util", 7, Show::Busy(2), |i, _| i.busy_percent()),
    ],
    has_interval_line: false,
    has_times: false,
    has_events: true,
};

/// FreeBSD's gstat.
pub static GSTAT: Layout = Layout {
    name: Name::Last(" Name", "| "),
    columns: &[
        column("L(q)", 5, Show::Fixed(0), |i, _| {
            Some(i.now().wcnt.wrapping_add(i.now().rcnt) as f64)
        }),
        column("ops/s", 7, Show::Fixed(0), |i, _| i.all_iops()),
        column("r/s", 7, Show::Fixed(0), |i, _| i.iops(READ)),
        column("kBps", 7, Show::Fixed(0), |i, _| i.rate(READ, KIB)),
        column("ms/r", 7, Show::Milliseconds, |i, _| {
            or_zero(i.mean_ms(READ))
        }),
        column("w/s", 7, Show::Fixed(0), |i, _| i.iops(WRITE)),
        column("kBps", 7, Show::Fixed(0), |i, _| i.rate(WRITE, KIB)),
        column("ms/w", 7, Show::Milliseconds, |i, _| {
            or_zero(i.mean_ms(WRITE))
        }),
        column("%busy", 8, Show::Busy(1), |i, _| i.busy_percent()),
    ],
    has_interval_line: true,
    has_times: false,
    has_events: false,
};

/// FreeBSD's `iostat -x`.
pub static FREEBSD: Layout = Layout {
    name: Name::First("device", 8),
    columns: &[
        column("r/s", 8, Show::Fixed(0), |i, _| i.iops(READ)),
        column("w/s", 8, Show::Fixed(0), |i, _| i.iops(WRITE)),
        column("kr/s", 9, Show::Fixed(1), |i, _| i.rate(READ, KIB)),
        column("kw/s", 9, Show::Fixed(1), |i, _| i.rate(WRITE, KIB)),
        column("ms/r", 6, Show::Fixed(0), |i, _| or_zero(i.mean_ms(READ))),
        column("ms/w", 6, Show::Fixed(0), |i, _| or_zero(i.mean_ms(WRITE))),
        column("ms/o", 6, Show::Fixed(0), |i, _| or_zero(i.mean_ms(NONE))),
        column("ms/t", 6, Show::Fixed(0), |i, _| or_zero(i.all_mean_ms())),
        column("qlen", 5, Show::Fixed(0), |i, _| {
            Some(i.now().wcnt.wrapping_add(i.now().rcnt) as f64)
        }),
        column("%b", 4, Show::Busy(0), |i, _| i.busy_percent()),
    ],
    has_interval_line: false,
    has_times: false,
    has_events: false,
};

/// illumos' `iostat -xn`.
pub static ILLUMOS: Layout = Layout {
    name: Name::Last(" device", " "),
    columns: &[
        column("r/s", 7, Show::Fixed(1), |i, _| i.iops(READ)),
        column("w/s", 7, Show::Fixed(1), |i, _| i.iops(WRITE)),
        column("kr/s", 7, Show::Fixed(1), |i, _| i.rate(READ, KIB)),
        column("kw/s", 7, Show::Fixed(1), |i, _| i.rate(WRITE, KIB)),
        column("wait", 5, Show::Fixed(1), |i, _| i.waiting()),
        column("actv", 5, Show::Fixed(1), |i, _| i.active()),
        column("wsvc_t", 7, Show::Fixed(1), |i, _| or_zero(i.wait_ms())),
        column("asvc_t", 7, Show::Fixed(1), |i, _| or_zero(i.service_ms())),
        column("%w", 4, Show::Fixed(0), |i, _| i.wait_percent()),
        column("%b", 4, Show::Busy(0), |i, _| i.run_percent()),
    ],
    has_interval_line: false,
    has_times: false,
    has_events: false,
};

/// NetBSD's `iostat -y`.
pub static NETBSD: Layout = Layout {
    name: Name::First("device", 8),
    columns: &[
        column("read KB/t", 9, Show::Fixed(2), |i, _| {
            or_zero(i.size(READ, KIB))
        }),
        column("r/s", 7, Show::Fixed(0), |i, _| i.iops(READ)),
        column("MB/s", 9, Show::Fixed(3), |i, _| i.rate(READ, MIB)),
        column("write KB/t", 11, Show::Fixed(2), |i, _| {
            or_zero(i.size(WRITE, KIB))
        }),
        column("w/s", 7, Show::Fixed(0), |i, _| i.iops(WRITE)),
        column("MB/s", 9, Show::Fixed(3), |i, _| i.rate(WRITE, MIB)),
        column("wait", 7, Show::Fixed(2), |i, _| i.waiting()),
        column("actv", 7, Show::Fixed(2), |i, _| i.active()),
        column("wsvc_t", 8, Show::Fixed(2), |i, _| or_zero(i.wait_ms())),
        column("asvc_t", 8, Show::Fixed(2), |i, _| or_zero(i.service_ms())),
        column("wtime", 7, Show::Fixed(2), |i, _| i.share(|s| s.wtime)),
        column("time", 7, Show::Fixed(2), |i, _| i.share(|s| s.busy_time)),
    ],
    has_interval_line: false,
    has_times: false,
    has_events: false,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::heading;

    /// As those tools print them.
    #[test]
    fn headings_are_those_of_the_tools() {
        let table = [
            (
                &OWN,
                "device        r/s    w/s   rMB/s   wMB/s   wait   actv  w_ms  s_ms   r50us   r99us   w50us   w99us   %w   %b  tagw  errs",
            ),
            (
                &SYSSTAT,
                "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util",
            ),
            (
                &GSTAT,
                " L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name",
            ),
            (
                &FREEBSD,
                "device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b",
            ),
            (
                &ILLUMOS,
                "    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device",
            ),
            (
                &NETBSD,
                "device  read KB/t    r/s     MB/s write KB/t    w/s     MB/s   wait   actv  wsvc_t  asvc_t  wtime   time",
            ),
        ];
        for (layout, expected) in table {
            assert_eq!(heading(layout, 0), expected);
        }
    }
}
