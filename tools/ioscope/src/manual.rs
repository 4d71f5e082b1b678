// SPDX-License-Identifier: GPL-2.0

//! `ioscope-manual DIRECTORY`: writes ioscope's manual pages and completions there, made of its options.

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::{generate_to, Shell};
use clap_mangen::Man;
use ioscope::cli::Cli;
use std::fs::{create_dir_all, write};
use std::path::{Path, PathBuf};

/// Examples by the name of a page, as roff.
const EXAMPLES: [(&str, &str); 13] = [
    ("ioscope", include_str!("../manual/ioscope.roff")),
    ("ioscope-lat", include_str!("../manual/ioscope-lat.roff")),
    (
        "ioscope-record",
        include_str!("../manual/ioscope-record.roff"),
    ),
    ("ioscope-top", include_str!("../manual/ioscope-top.roff")),
    (
        "ioscope-snoop",
        include_str!("../manual/ioscope-snoop.roff"),
    ),
    (
        "ioscope-files",
        include_str!("../manual/ioscope-files.roff"),
    ),
    (
        "ioscope-inflight",
        include_str!("../manual/ioscope-inflight.roff"),
    ),
    (
        "ioscope-cgroups",
        include_str!("../manual/ioscope-cgroups.roff"),
    ),
    (
        "ioscope-sizes",
        include_str!("../manual/ioscope-sizes.roff"),
    ),
    ("ioscope-slow", include_str!("../manual/ioscope-slow.roff")),
    (
        "ioscope-waits",
        include_str!("../manual/ioscope-waits.roff"),
    ),
    (
        "ioscope-export",
        include_str!("../manual/ioscope-export.roff"),
    ),
    (
        "ioscope-kstat",
        include_str!("../manual/ioscope-kstat.roff"),
    ),
];

fn main() -> Result<()> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.context("usage: ioscope-manual DIRECTORY")?;
    let context = || format!("cannot write to {}", directory.display());
    create_dir_all(&directory).with_context(context)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut Cli::command(), "ioscope", &directory).with_context(context)?;
    }
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    page(&directory, "ioscope", command).with_context(context)
}

/// The page of a command, and those of its own.
fn page(directory: &Path, name: &str, command: Command) -> Result<()> {
    for own in command.get_subcommands() {
        if own.get_name() != "help" {
            page(
                directory,
                &format!("{name}-{}", own.get_name()),
                own.clone(),
            )?;
        }
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let mut text = Vec::new();
    Man::new(command.name(name)).render(&mut text)?;
    let examples = EXAMPLES.iter().filter(|(page, _)| *page == name);
    for (_, examples) in examples {
        text.extend_from_slice(examples.as_bytes());
    }
    Ok(write(directory.join(format!("{name}.1")), text)?)
}
