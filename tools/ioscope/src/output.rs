// SPDX-License-Identifier: GPL-2.0

//! Standard output: screens, colour, and what becomes of errors; and standard error.

use crate::printable::printable;
use anyhow::{Context, Result};
use std::fmt::Display;
use std::io::{stderr, stdout, BufWriter, IsTerminal, Stdout, Write};

/// Lines of a screen where there is no terminal to ask.
const LINES: usize = 24;

pub struct Output {
    out: BufWriter<Stdout>,
    /// Lines since the last heading; `None` if there is none on this screen.
    since_heading: Option<usize>,
    headings: bool,
    colour: bool,
}

impl Output {
    /// `headings`: whether there are any.
    pub fn new(headings: bool) -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Output {
            out: BufWriter::new(stdout()),
            since_heading: None,
            headings,
            colour: stdout().is_terminal() && !no_colour,
        }
    }

    pub fn has_colour(&self) -> bool {
        self.colour
    }

    /// The next heading is due.
    pub fn new_screen(&mut self) {
        self.since_heading = None;
    }

    /// Writes a line, without the control characters that it may have.
    pub fn line(&mut self, line: &str) -> Result<()> {
        self.styled(&printable(line))
    }

    /// Writes a line that may have control characters: colours, or a tab between texts that have none.
    pub fn styled(&mut self, line: &str) -> Result<()> {
        self.since_heading = self.since_heading.map(|lines| lines + 1);
        writeln!(self.out, "{line}").context("cannot write")
    }

    /// The heading of a report of `lines` lines: before each report of several, else once for each screen.
    pub fn heading(&mut self, lines: usize, heading: &str) -> Result<()> {
        let is_due = match self.since_heading {
            None => true,
            Some(since) => lines > 1 || since + lines + 1 > screen_lines(),
        };
        if !self.headings || !is_due {
            return Ok(());
        }
        self.line(heading)?;
        self.since_heading = Some(1);
        Ok(())
    }

    pub fn flush(&mut self) -> Result<()> {
        self.out.flush().context("cannot write")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn screen_lines() -> usize {
    match rustix::termios::tcgetwinsize(stdout()) {
        Ok(size) if size.ws_row > 2 => size.ws_row.into(),
        _ => LINES,
    }
}

/// Writes a line to standard error. An error of that is ignored: eprintln!() would abort the program, and what it has
/// made would stay, as an instance of tracefs.
pub fn note(message: impl Display) {
    let message = message.to_string();
    let _ = stderr().write_all(format!("ioscope: {}\n", printable(&message)).as_bytes());
}

/// Whether an error is that the output is a pipe that was closed: no error of ours.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| {
        let of_io = cause.downcast_ref::<std::io::Error>();
        of_io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
