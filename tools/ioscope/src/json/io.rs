// SPDX-License-Identifier: GPL-2.0

//! Single I/Os as JSON: those in flight, and those that were slow.

use super::{time, Count};
use crate::inflight::Flight;
use crate::slow::SlowIo;
use serde::Serialize;

/// An I/O in flight. What is not for this user is null.
#[derive(Serialize)]
pub struct FlightJson<'a> {
    time: &'a str,
    device: &'a str,
    number: u32,
    phase: &'a str,
    age_ns: Count,
    service_ns: Count,
    op: Option<&'a str>,
    sector: Option<Count>,
    bytes: Option<Count>,
    thread: Option<u32>,
    comm: Option<&'a str>,
}

impl<'a> FlightJson<'a> {
    /// `time`: when it was seen.
    pub fn new(time: &'a str, flight: &'a Flight) -> Self {
        FlightJson {
            time,
            device: &flight.device,
            number: flight.number,
            phase: flight.phase(),
            age_ns: Count(flight.age_ns),
            service_ns: Count(flight.service_ns),
            op: flight.op.as_deref(),
            sector: flight.sector.map(Count),
            bytes: flight.bytes.map(Count),
            thread: flight.pid,
            comm: flight.comm.as_deref(),
        }
    }

    /// Without what is not for all users.
    pub fn public(self) -> Self {
        FlightJson {
            op: None,
            sector: None,
            bytes: None,
            thread: None,
            comm: None,
            ..self
        }
    }
}

/// A slow I/O. What is not known, or not for this user, is null.
#[derive(Serialize)]
pub struct SlowJson<'a> {
    time: String,
    device: Option<&'a str>,
    number: u32,
    wait_ns: Count,
    service_ns: Count,
    error: u32,
    wcnt: Count,
    rcnt: Count,
    op: Option<&'a str>,
    sector: Option<Count>,
    bytes: Option<Count>,
    thread: Option<u32>,
    comm: Option<&'a str>,
    cgroup: Option<Count>,
}

impl<'a> SlowJson<'a> {
    pub fn new(io: &'a SlowIo) -> Self {
        SlowJson {
            time: time(io.wall_ns),
            device: io.device.as_deref(),
            number: io.number,
            wait_ns: Count(io.wait_ns),
            service_ns: Count(io.service_ns),
            error: io.error,
            wcnt: Count(io.wcnt),
            rcnt: Count(io.rcnt),
            op: io.op.as_deref(),
            sector: io.sector.map(Count),
            bytes: io.bytes.map(Count),
            thread: io.pid,
            comm: io.comm.as_deref(),
            cgroup: io.cgroup.map(Count),
        }
    }

    /// Without what is not for all users.
    pub fn public(self) -> Self {
        SlowJson {
            op: None,
            sector: None,
            bytes: None,
            thread: None,
            comm: None,
            cgroup: None,
            ..self
        }
    }
}
