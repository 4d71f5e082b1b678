// SPDX-License-Identifier: GPL-2.0

//! `ioscope files`: bytes and times by file, or by what else I/Os have in common.

use super::sums::{ms, sums, Columns};
use crate::cli::trace::{By, Files};
use crate::trace::event::Kind;
use crate::trace::sums::Sum;
use crate::usage::usage;
use anyhow::Result;

/// Of [`line`].
pub const HEADING: &str = "  READS  WRITES       R_KB       W_KB    AVGms ERRS";

pub fn files(options: &Files) -> Result<()> {
    if options.by.contains(&By::In) {
        return Err(usage(
            "I/Os have no function that waits: `in` is of ioscope waits",
        ));
    }
    let columns = Columns {
        events: &[Kind::Start, Kind::Merge, Kind::Done],
        heading: HEADING,
        line,
        names: &[
            "reads",
            "writes",
            "others",
            "read_bytes",
            "written_bytes",
            "ended",
            "errors",
            "time_ns",
            "longest_ns",
        ],
        values: |sum| {
            vec![
                sum.reads,
                sum.writes,
                sum.others,
                sum.read_bytes,
                sum.written_bytes,
                sum.ended,
                sum.errors,
                sum.time_ns,
                sum.longest_ns,
            ]
        },
    };
    sums(&options.sums, &options.by, options.sort, &columns)
}

pub fn line(sum: &Sum) -> String {
    format!(
        "{:>7} {:>7} {:>10} {:>10} {:>8} {:>4}",
        sum.reads,
        sum.writes,
        sum.read_bytes.div_ceil(1024),
        sum.written_bytes.div_ceil(1024),
        ms(sum.time_ns, sum.ended),
        sum.errors,
    )
}
