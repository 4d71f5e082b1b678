// SPDX-License-Identifier: GPL-2.0

//! `ioscope top`: the terminal.

use crate::cli::top::Top as Options;
use crate::cli::Words;
use crate::signals::Signals;
use crate::source::{Source, Want, MOST_IN_FLIGHT};
use crate::top::draw::draw;
use crate::top::look::Look;
use crate::top::{Action, Page, Top};
use crate::trace::event::Kind;
use crate::trace::Trace;
use anyhow::{bail, Context, Result};
use ratatui::crossterm::event::{poll as is_ready, read, Event, KeyEventKind};
use ratatui::DefaultTerminal;
use rustix::event::{poll, PollFd, PollFlags};
use rustix::io::Errno;
use std::io::{stdin, stdout, IsTerminal};
use std::time::{Duration, Instant};

/// How often events are read: the buffer is not full by then.
const BATCH: Duration = Duration::from_millis(100);
/// Memory for events, for each CPU.
const BUFFER_KIB: u32 = 8192;

pub fn top(options: &Options) -> Result<()> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        bail!("top draws on a terminal: ioscope INTERVAL writes lines");
    }
    let words = Words::new(&options.words)?;
    let signals = Signals::new()?;
    let source = super::source(&options.from, true)?;
    let interval = words.interval.unwrap_or(Duration::from_secs(1));
    let look = Look::new(|name| std::env::var(name).ok());
    let mut top = Top::new(*source.bounds(), look, interval);
    top.order = options.sort;
    top.is_idle_hidden = options.zero;
    top.has_partitions = options.partitions;
    let mut screen = Screen {
        top,
        source,
        devices: words.devices,
        trace: None,
    };
    screen.choose()?;
    // Errors up to here are seen on a terminal as it was.
    let mut terminal = ratatui::try_init().context("cannot set up the terminal")?;
    let result = screen.run(&mut terminal, &signals, words.count);
    ratatui::restore();
    result
}

struct Screen {
    top: Top,
    source: Box<dyn Source>,
    devices: Vec<String>,
    /// While the page of files is shown.
    trace: Option<Trace>,
}

/// Why a wait ended.
enum Woken {
    /// It is time, or there are keys, or the terminal has another size.
    Something,
    /// By a signal, or the terminal was closed.
    End,
}

impl Screen {
    /// Which devices samples have.
    fn choose(&mut self) -> Result<()> {
        let partitions = self.top.has_partitions;
        let selection = self.source.selection(&self.devices, partitions)?;
        let want = Want {
            in_flight: Some(MOST_IN_FLIGHT),
            slow: true,
            cgroups: true,
            ..Want::of_devices()
        };
        self.source.choose(selection, want);
        Ok(())
    }

    /// The same after the key `p`. Devices that are named are shown whether they are partitions or not; they are not looked for
    /// again, since one of them may have left.
    fn choose_partitions(&mut self) -> Result<()> {
        match self.devices.is_empty() {
            true => self.choose(),
            false => Ok(()),
        }
    }

    fn run(
        &mut self,
        terminal: &mut DefaultTerminal,
        signals: &Signals,
        count: Option<u64>,
    ) -> Result<()> {
        // The first one is of the time since counting began.
        self.top.sample(self.source.first(None)?);
        let mut left = count.unwrap_or(u64::MAX);
        let mut next = Instant::now() + self.top.interval;
        loop {
            self.follow_page();
            let draw = terminal.draw(|frame| draw(&self.top, frame));
            draw.context("cannot draw on the terminal")?;
            let batch = self.trace.is_some().then(|| Instant::now() + BATCH);
            let until = batch.map_or(next, |batch| batch.min(next));
            if matches!(wait(signals, until)?, Woken::End) {
                return Ok(());
            }
            while is_ready(Duration::ZERO).context("cannot read keys")? {
                let Event::Key(key) = read().context("cannot read keys")? else {
                    continue;
                };
                if key.kind == KeyEventKind::Release {
                    continue;
                }
                match self.top.key(key) {
                    Action::Draw => {}
                    Action::Quit => return Ok(()),
                    Action::Sample => next = Instant::now(),
                    Action::Partitions => {
                        self.choose_partitions()?;
                        next = Instant::now();
                    }
                }
                next = next.min(Instant::now() + self.top.interval);
            }
            self.read_events()?;
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + self.top.interval;
            if self.top.is_paused || self.top.is_at_end {
                continue;
            }
            match self.source.now()? {
                Some(sample) => self.top.sample(sample),
                None => self.top.is_at_end = true,
            }
            left -= 1;
            if left == 0 {
                return Ok(());
            }
        }
    }

    /// Events are on only while they are shown: they cost something.
    fn follow_page(&mut self) {
        if self.top.page != Page::Files {
            self.trace = None;
            self.top.no_events = None;
        } else if self.trace.is_none() && self.top.no_events.is_none() {
            if self.source.is_recorded() {
                self.top.no_events = Some("a recording has no events of single I/Os".to_owned());
                return;
            }
            let events = [Kind::Start, Kind::Merge, Kind::Done];
            match Trace::new(&events, None, BUFFER_KIB) {
                Ok(trace) => self.trace = Some(trace),
                Err(error) => self.top.no_events = Some(format!("no events: {error:#}")),
            }
        }
    }

    fn read_events(&mut self) -> Result<()> {
        let Some(trace) = &mut self.trace else {
            return Ok(());
        };
        let top = &mut self.top;
        trace.read(|event| {
            if !top.is_paused {
                top.event(event);
            }
            Ok(())
        })?;
        top.lost = trace.lost()?;
        Ok(())
    }
}

fn wait(signals: &Signals, until: Instant) -> Result<Woken> {
    let input = stdin();
    let mut fds = [
        PollFd::new(signals, PollFlags::IN),
        PollFd::new(&input, PollFlags::IN),
    ];
    let left = until.saturating_duration_since(Instant::now());
    let ms = left.as_micros().div_ceil(1000).min(i32::MAX as u128) as i32;
    match poll(&mut fds, ms) {
        // The terminal has another size.
        Err(Errno::INTR) => return Ok(Woken::Something),
        result => result.context("cannot wait")?,
    };
    let is_closed = fds[1]
        .revents()
        .intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL);
    Ok(match !fds[0].revents().is_empty() || is_closed {
        true => Woken::End,
        false => Woken::Something,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Selection;
    use crate::quantile::tests::bounds;
    use crate::quantile::Bounds;
    use crate::sample::{Device, Kind as DeviceKind, Sample};
    use crate::top::look::tests::PLAIN;
    use std::cell::RefCell;
    use std::rc::Rc;

    /// A source with these devices, which says what was chosen.
    struct Devices {
        bounds: Bounds,
        names: Rc<RefCell<Vec<String>>>,
        chosen: Rc<RefCell<Vec<Selection>>>,
    }

    fn device(name: &str) -> Rc<Device> {
        Rc::new(Device {
            number: 1,
            name: name.to_owned(),
            kind: DeviceKind::Partition,
            diskseq: 1,
            crtime: 0,
            major: 8,
            minor: 1,
            parent: None,
            driver: String::new(),
        })
    }

    impl Source for Devices {
        fn bounds(&self) -> &Bounds {
            &self.bounds
        }

        fn first(&mut self, _interval: Option<Duration>) -> Result<Sample> {
            Ok(Sample::default())
        }

        fn next(&mut self) -> Result<Option<Sample>> {
            Ok(None)
        }

        fn now(&mut self) -> Result<Option<Sample>> {
            Ok(None)
        }

        fn selection(&mut self, words: &[String], partitions: bool) -> Result<Selection> {
            let names = self.names.borrow();
            let devices: Vec<_> = names.iter().map(|name| device(name)).collect();
            Selection::by_name(words, partitions, &devices)
        }

        fn choose(&mut self, selection: Selection, _want: Want) {
            self.chosen.borrow_mut().push(selection);
        }
    }

    #[test]
    fn partitions_may_be_shown_after_a_device_has_left() -> Result<()> {
        for words in [vec!["sda1".to_owned()], Vec::new()] {
            let names = Rc::new(RefCell::new(vec!["sda1".to_owned()]));
            let chosen = Rc::new(RefCell::new(Vec::new()));
            let mut screen = Screen {
                top: Top::new(bounds(), PLAIN, Duration::from_secs(1)),
                source: Box::new(Devices {
                    bounds: bounds(),
                    names: names.clone(),
                    chosen: chosen.clone(),
                }),
                devices: words,
                trace: None,
            };
            screen.choose()?;
            names.borrow_mut().clear();
            screen.top.has_partitions = true;
            screen.choose_partitions()?;
            // It is shown again when it comes back.
            let chosen = chosen.borrow();
            let has = chosen.last().is_some_and(|last| last.has(&device("sda1")));
            assert!(has);
        }
        Ok(())
    }
}
