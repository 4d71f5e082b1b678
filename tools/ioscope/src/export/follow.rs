// SPDX-License-Identifier: GPL-2.0

//! What happens now, for pages that follow it.
//!
//! While there is such a client, a sample is taken in each interval, whatever their number: all get the same bytes. Those
//! of the last intervals are kept, up to [`MOST_KEPT`] and [`MOST_BYTES`], for a page that is opened later. Without a
//! client nothing is sampled.

use super::collect::{Collector, Scrape, SHARED};
use super::ios::{Asked, PushIos};
use super::query::Query;
use super::recorded::{push_areas, Array};
use super::Options;
use crate::interval::{between, Interval};
use crate::json::{time, Report};
use crate::live::NO_TIMES;
use crate::quantile::Bounds;
use crate::sample::{Device, Entry, Sample};
use crate::source::{Want, MOST_IN_FLIGHT};
use anyhow::Result;
use hyper::body::{Body, Bytes, Frame};
use iostat_map::Snapshot;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::sync::Notify;
use tokio::time::{interval, MissedTickBehavior};

/// Clients that follow at the same time.
const MOST_CLIENTS: usize = 16;
/// How many intervals a client may be behind.
const MOST_BEHIND: usize = 4;
/// Intervals that are kept, and their bytes.
const MOST_KEPT: usize = 600;
const MOST_BYTES: usize = 1 << 24;

pub struct Follow {
    pub interval: Duration,
    state: RefCell<State>,
    /// There is a first client.
    begin: Notify,
}

struct State {
    collector: Collector,
    bounds: Option<Bounds>,
    last: Option<Sample>,
    /// What was read for a request, and when.
    asked: Option<(Instant, Option<Scrape>)>,
    clients: Vec<Sender<Bytes>>,
    kept: VecDeque<Kept>,
    bytes: usize,
}

/// An interval.
struct Kept {
    wall_ns: i64,
    reports: Vec<(Rc<Device>, OfDevice)>,
    /// Lines of areas.
    areas: Vec<(Rc<Device>, Bytes)>,
    bytes: usize,
}

enum OfDevice {
    /// Nothing happened, for so many ns.
    Idle(u64),
    Report(Bytes),
}

/// What a client gets: server-sent events, until it is too far behind.
pub struct Events(Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = self.0.poll_recv(cx);
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl Follow {
    pub fn new(options: Options, interval: Duration) -> Self {
        let want = Want {
            regions: true,
            in_flight: Some(MOST_IN_FLIGHT),
            slow: true,
            ..Want::of_devices()
        };
        Follow {
            interval,
            state: RefCell::new(State {
                collector: Collector::with(options, want),
                bounds: None,
                last: None,
                asked: None,
                clients: Vec::new(),
                kept: VecDeque::new(),
                bytes: 0,
            }),
            begin: Notify::new(),
        }
    }

    /// Another client. `None` if there are too many.
    pub fn enter(&self) -> Option<Events> {
        let mut state = self.state.borrow_mut();
        state.clients.retain(|client| !client.is_closed());
        if state.clients.len() >= MOST_CLIENTS {
            return None;
        }
        let (sender, receiver) = channel(MOST_BEHIND);
        // At once, so that the page knows that it is connected. One that lost its connection tries again in 2 s.
        let first = sender.try_send(Bytes::from_static(
            b"retry: 2000\nevent: devices\ndata: {}\n\n",
        ));
        state.clients.push(sender);
        self.begin.notify_one();
        first.is_ok().then_some(Events(receiver))
    }

    /// Takes samples as long as there are clients.
    pub async fn run(self: Rc<Self>) {
        loop {
            self.begin.notified().await;
            let mut ticks = interval(self.interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                if !self.state.borrow_mut().tick() {
                    break;
                }
            }
        }
    }

    /// What was kept of devices: those of a name, or all.
    pub fn intervals(&self, query: &Query) -> Result<Vec<u8>> {
        let state = self.state.borrow();
        let is_asked = of_name(query);
        let mut array = Array::new();
        let Some(bounds) = &state.bounds else {
            return Ok(array.end());
        };
        for kept in &state.kept {
            for (device, report) in kept.reports.iter().filter(|(device, _)| is_asked(device)) {
                match report {
                    OfDevice::Report(text) => array.extend(text)?,
                    OfDevice::Idle(ns) => push_idle(&mut array, device, *ns, kept.wall_ns, bounds)?,
                }
            }
        }
        Ok(array.end())
    }

    /// What was kept of areas.
    pub fn areas(&self, query: &Query) -> Result<Vec<u8>> {
        let state = self.state.borrow();
        let is_asked = of_name(query);
        let mut array = Array::new();
        for kept in &state.kept {
            let mut asked = kept.areas.iter().filter(|(device, _)| is_asked(device));
            asked.try_for_each(|(_, text)| array.extend(text))?;
        }
        Ok(array.end())
    }

    /// All areas, with what they have counted since they began.
    pub fn regions(&self, query: &Query) -> Result<Vec<u8>> {
        let mut state = self.state.borrow_mut();
        let is_asked = of_name(query);
        let mut array = Array::new();
        if let Some(scrape) = state.as_it_is() {
            push_areas(None, &scrape.sample, true, |at, line| {
                match is_asked(&scrape.sample.entries[at].device) {
                    true => array.push(line),
                    false => Ok(()),
                }
            })?;
        }
        Ok(array.end())
    }

    /// What is in flight, and what was slow: of the last interval, or as it is now if there is no client.
    pub fn ios(&self, query: &Query, push: PushIos) -> Result<Vec<u8>> {
        let mut state = self.state.borrow_mut();
        let mut array = Array::new();
        let sample = match state.last.is_some() {
            true => state.last.as_ref(),
            false => state.as_it_is().map(|scrape| &scrape.sample),
        };
        if let Some(sample) = sample {
            push(&mut array, sample, &Asked::new(query, sample))?;
        }
        Ok(array.end())
    }
}

fn of_name(query: &Query) -> impl Fn(&Device) -> bool + '_ {
    let name = query.get("device");
    move |device| name.is_none_or(|name| device.name == name)
}

impl State {
    /// What the module has counted now, or has counted when another client asked a moment ago.
    fn as_it_is(&mut self) -> Option<&Scrape> {
        let is_new = |at: &Instant| at.elapsed() < SHARED;
        if !self.asked.as_ref().is_some_and(|(at, _)| is_new(at)) {
            self.asked = Some((Instant::now(), self.collector.collect()));
        }
        self.asked.as_ref()?.1.as_ref()
    }

    /// An interval. Whether there is a client left.
    fn tick(&mut self) -> bool {
        self.clients.retain(|client| !client.is_closed());
        if self.clients.is_empty() {
            self.last = None;
            return false;
        }
        let event = match self.collector.collect() {
            Some(scrape) => self.event(scrape).unwrap_or_else(|error| {
                crate::output::note(format_args!("{error:#}"));
                String::new()
            }),
            None => {
                self.last = None;
                "event: down\ndata: {}\n\n".to_owned()
            }
        };
        let event = Bytes::from(event);
        // A client that does not keep up is one that reads no more.
        self.clients
            .retain(|client| client.try_send(event.clone()).is_ok());
        true
    }

    /// What is sent of a sample.
    fn event(&mut self, scrape: Scrape) -> Result<String> {
        let Scrape { sample, bounds, .. } = scrape;
        let Some(last) = self.last.take() else {
            self.last = Some(sample);
            self.bounds = Some(bounds);
            return Ok("event: devices\ndata: {}\n\n".to_owned());
        };
        let kept = Kept::new(&last, &sample, &bounds)?;
        let mut event = String::new();
        if last.generation != sample.generation {
            event.push_str("event: devices\ndata: {}\n\n");
        }
        let mut reports = kept.reports.iter().filter_map(|(_, report)| match report {
            OfDevice::Report(text) => Some(text),
            OfDevice::Idle(_) => None,
        });
        let mut array = Array::new();
        reports.try_for_each(|text| array.extend(text))?;
        let reports = String::from_utf8(array.end())?;
        let mut array = Array::new();
        let mut areas = kept.areas.iter();
        areas.try_for_each(|(_, text)| array.extend(text))?;
        let areas = String::from_utf8(array.end())?;
        let (now, ns) = (
            time(sample.wall_ns),
            sample.wall_ns.saturating_sub(last.wall_ns),
        );
        event.push_str(&format!(
            "event: interval\ndata: {{\"time\":\"{now}\",\"interval_ns\":{ns},\"reports\":{reports},\"areas\":{areas}}}\n\n"
        ));
        self.keep(kept);
        self.last = Some(sample);
        self.bounds = Some(bounds);
        Ok(event)
    }

    fn keep(&mut self, kept: Kept) {
        self.bytes += kept.bytes;
        self.kept.push_back(kept);
        while self.kept.len() > MOST_KEPT || self.bytes > MOST_BYTES {
            match self.kept.pop_front() {
                Some(oldest) => self.bytes -= oldest.bytes,
                None => break,
            }
        }
    }
}

impl Kept {
    fn new(last: &Sample, sample: &Sample, bounds: &Bounds) -> Result<Self> {
        let wall_ns = sample.wall_ns;
        let mut kept = Kept {
            wall_ns,
            reports: Vec::new(),
            areas: Vec::new(),
            bytes: 0,
        };
        for (entry, interval) in sample.entries.iter().zip(&between(Some(last), sample)) {
            let of_device = if is_nothing(interval) {
                OfDevice::Idle(interval.ns())
            } else {
                let report = Report {
                    wall_ns,
                    interval,
                    bounds,
                };
                OfDevice::Report(serde_json::to_vec(&report)?.into())
            };
            kept.bytes += 48;
            if let OfDevice::Report(text) = &of_device {
                kept.bytes += text.len();
            }
            kept.reports.push((entry.device.clone(), of_device));
        }
        push_areas(Some(last), sample, false, |at, line| {
            let text = serde_json::to_vec(line)?;
            kept.bytes += text.len() + 48;
            let device = sample.entries[at].device.clone();
            kept.areas.push((device, text.into()));
            Ok(())
        })?;
        Ok(kept)
    }
}

/// Whether all numbers of a report are 0.
fn is_nothing(interval: &Interval) -> bool {
    let events = interval.each_event();
    interval.is_idle() && events.is_none_or(|events| events.is_empty())
}

/// The report of a device that did nothing.
fn push_idle(
    array: &mut Array,
    device: &Rc<Device>,
    ns: u64,
    wall_ns: i64,
    bounds: &Bounds,
) -> Result<()> {
    let sample = |snaptime| Sample {
        entries: vec![Entry {
            device: device.clone(),
            counters: Snapshot {
                snaptime,
                ..Snapshot::default()
            },
            times: std::array::from_fn(|_| std::array::from_fn(|_| Some(Rc::new(NO_TIMES)))),
        }],
        events: Some(Rc::default()),
        ..Sample::default()
    };
    let (from, to) = (sample(0), sample(ns));
    between(Some(&from), &to).iter().try_for_each(|interval| {
        array.push(&Report {
            wall_ns,
            interval,
            bounds,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::export::Buckets;

    fn follow() -> Follow {
        let options = Options {
            buckets: Buckets::None,
            compat: None,
            partitions: false,
            cgroups: false,
        };
        Follow::new(options, Duration::from_secs(1))
    }

    fn tick(follow: &Follow) -> bool {
        follow.state.borrow_mut().tick()
    }

    #[test]
    fn a_client_that_does_not_read_is_cut_off() {
        let follow = follow();
        let client = follow.enter();
        // It has the message that it is connected, and room for so many more.
        for _ in 0..MOST_BEHIND {
            assert!(tick(&follow));
        }
        assert!(!tick(&follow));
        let Some(Events(mut receiver)) = client else {
            panic!("the first client is refused");
        };
        // It gets what it had, and then the end.
        let got = std::iter::from_fn(|| receiver.try_recv().ok()).count();
        assert_eq!(got, MOST_BEHIND);
        assert!(receiver.is_closed());
    }

    #[test]
    fn there_are_not_too_many_clients() {
        let follow = follow();
        let mut clients: Vec<_> = (0..MOST_CLIENTS).map(|_| follow.enter()).collect();
        assert!(clients.iter().all(Option::is_some));
        assert!(follow.enter().is_none());
        clients.pop();
        assert!(follow.enter().is_some());
    }

    #[test]
    fn a_device_that_did_nothing_has_a_whole_report() -> Result<()> {
        let device = Rc::new(Device {
            number: 7,
            name: "sda".to_owned(),
            kind: crate::sample::Kind::Disk,
            diskseq: 3,
            crtime: 5,
            major: 8,
            minor: 0,
            parent: None,
            driver: String::new(),
        });
        let mut array = Array::new();
        push_idle(
            &mut array,
            &device,
            1000,
            0,
            &crate::quantile::tests::bounds(),
        )?;
        let text = String::from_utf8(array.end())?;
        assert!(text.starts_with("[{\"time\":\"1970-01-01T00:00:00.000Z\",\"interval_ns\":1000,\"device\":\"sda\",\"number\":7"));
        assert!(
            text.contains("\"latency_ns\":{\"wait\":{\"count\":0,\"buckets\":[]}"),
            "{text}"
        );
        assert!(text.ends_with("\"untracked\":0,\"events\":{}}]"), "{text}");
        Ok(())
    }
}
