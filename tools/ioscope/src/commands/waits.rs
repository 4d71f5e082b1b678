// SPDX-License-Identifier: GPL-2.0

//! `ioscope waits`: how long threads waited for I/O.

use super::sums::{ms, sums, Columns};
use crate::cli::trace::Waits;
use crate::trace::event::Kind;
use crate::trace::sums::Sum;
use anyhow::Result;

pub fn waits(options: &Waits) -> Result<()> {
    let columns = Columns {
        // Enabled alone, the end of each wait is traced, also of those that have begun before.
        events: &[Kind::WaitDone],
        heading: "  WAITS    TOTALms    AVGms    MAXms",
        line,
        names: &[
            "waits",
            "reads",
            "writes",
            "others",
            "bytes",
            "time_ns",
            "longest_ns",
        ],
        values: |sum| {
            vec![
                sum.ended,
                sum.reads,
                sum.writes,
                sum.others,
                sum.bytes(),
                sum.time_ns,
                sum.longest_ns,
            ]
        },
    };
    sums(&options.sums, &options.by, options.sort, &columns)
}

fn line(sum: &Sum) -> String {
    format!(
        "{:>7} {:>10} {:>8} {:>8}",
        sum.ended,
        ms(sum.time_ns, 1),
        ms(sum.time_ns, sum.ended),
        ms(sum.longest_ns, 1),
    )
}
