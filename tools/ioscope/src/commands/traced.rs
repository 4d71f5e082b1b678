// SPDX-License-Identifier: GPL-2.0

//! What the commands that read events share.

use crate::cli::trace::Common;
use crate::live;
use crate::names::Selection;
use crate::output::note;
use crate::sample::Kind as DeviceKind;
use anyhow::Result;

/// The kernel's filter of what the options select. The name of the thread is left to the caller: it may have
/// characters that a filter cannot have.
pub fn filter(options: &Common) -> Result<Option<String>> {
    let of_pid = options.pid.map(|pid| format!("(tgid=={pid}||pid=={pid})"));
    let terms = [of_devices(&options.devices)?, of_pid];
    let filter = terms.into_iter().flatten().collect::<Vec<_>>().join("&&");
    Ok(Some(filter).filter(|filter| !filter.is_empty()))
}

/// On standard error, so that what is written stays one document.
pub fn report_lost(lost: u64, shown: u64) {
    match lost {
        0 => note(format_args!("{shown} events, none was lost")),
        _ => note(format_args!(
            "{shown} events, and {lost} were lost: a larger buffer (-b) holds more"
        )),
    }
}

/// The filter, in the kernel's words, of some devices and of the partitions of each disk of them.
fn of_devices(words: &[String]) -> Result<Option<String>> {
    if words.is_empty() {
        return Ok(None);
    }
    let devices = live::devices(&live::open()?)?;
    let selection = Selection::of_system(words, true, &devices)?;
    let is_chosen = |device: &live::Shared| {
        selection.has(device)
            || (device.kind == DeviceKind::Partition
                && devices.iter().any(|disk| {
                    let is_its = disk.kind == DeviceKind::Disk && disk.diskseq == device.diskseq;
                    is_its && selection.has(disk)
                }))
    };
    let chosen = devices.iter().filter(|device| is_chosen(device));
    let terms = chosen.map(|device| format!("b_edev=={}", (device.major << 20) | device.minor));
    Ok(Some(format!("({})", terms.collect::<Vec<_>>().join("||"))))
}
