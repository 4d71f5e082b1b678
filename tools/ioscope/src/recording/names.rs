// SPDX-License-Identifier: GPL-2.0

//! The names in a recording. The module gives them without control characters, but a file may have any.

use super::frame::Frame;
use crate::printable::printable;
use std::borrow::Cow;

impl Frame {
    /// Writes the control characters of all names in octal. kstat names are bytes, and are escaped when printed.
    pub fn make_printable(&mut self) {
        match self {
            Frame::Devices(_, devices) => devices.iter_mut().for_each(|d| clean(&mut d.name)),
            Frame::Sample(differences) => {
                for (label, kind) in &mut differences.new_events {
                    clean(label);
                    clean(kind);
                }
            }
            Frame::Regions(regions) => {
                for (_, region, _) in regions {
                    clean(&mut region.program);
                    clean(&mut region.aux);
                }
            }
            Frame::InFlight(Some(in_flight)) => {
                in_flight
                    .devices
                    .iter_mut()
                    .for_each(|d| clean(&mut d.device));
                for flight in &mut in_flight.oldest {
                    clean(&mut flight.device);
                    [&mut flight.op, &mut flight.comm]
                        .into_iter()
                        .flatten()
                        .for_each(clean);
                }
            }
            Frame::Slow(Some(rings)) => {
                for io in rings.iter_mut().flat_map(|(_, ios)| ios) {
                    let texts = [&mut io.device, &mut io.op, &mut io.comm];
                    texts.into_iter().flatten().for_each(clean);
                }
            }
            Frame::Cgroups(Some(changes)) => {
                changes.paths.iter_mut().for_each(|(_, path)| clean(path));
            }
            Frame::Begin(_)
            | Frame::Areas(_)
            | Frame::Kstats(_)
            | Frame::Values(_)
            | Frame::InFlight(None)
            | Frame::Slow(None)
            | Frame::Cgroups(None)
            | Frame::Sizes(_) => {}
        }
    }
}

fn clean(text: &mut String) {
    if let Cow::Owned(shown) = printable(text) {
        *text = shown;
    }
}
