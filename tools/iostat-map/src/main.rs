// SPDX-License-Identifier: GPL-2.0 OR MIT

//! `iostat-map [NAME...]`: a line for each device, or of those: its name, and the columns of its `stat` file.

use std::io::Result;

fn main() -> Result<()> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let file = iostat_map::File::open("/dev/iostat")?;
    for device in file.devices()? {
        if !names.is_empty() && !names.iter().any(|name| name == device.name()) {
            continue;
        }
        let s = file.map(device.map_offset)?.snapshot();
        let ends = [s.start_count, s.end_count, s.merged, s.refused, s.abandoned];
        let times = [
            s.wtime,
            s.wlentime,
            s.wlastupdate,
            s.rtime,
            s.rlentime,
            s.rlastupdate,
        ];
        let columns = [s.snaptime]
            .into_iter()
            .chain(ends)
            .chain(s.bytes)
            .chain(s.operations);
        let columns = columns
            .chain(s.duration)
            .chain([s.busy_time])
            .chain(s.tag_types);
        let read_and_written = [s.bytes[1], s.bytes[2], s.operations[1], s.operations[2]];
        let columns = columns
            .chain(read_and_written)
            .chain(times)
            .chain([s.wcnt, s.rcnt]);
        let columns: Vec<String> = columns.map(|column| column.to_string()).collect();
        println!("{} {}", device.name(), columns.join(" "));
    }
    Ok(())
}
