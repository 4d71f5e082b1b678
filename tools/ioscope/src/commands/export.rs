// SPDX-License-Identifier: GPL-2.0

//! `ioscope export`: metrics, in a file or by HTTP, and a page.

use crate::cli::export::Export;
use crate::export::collect::Collector;
use crate::export::{expose, recorded, server, Options};
use crate::usage::usage;
use anyhow::{Context, Result};
use rustix::fs::{fsync, open, rename, Mode, OFlags};
use std::fs::File;
use std::io::{stdout, Write};
use std::path::Path;
use std::time::Duration;

pub fn export(arguments: &Export) -> Result<()> {
    let options = Options {
        buckets: arguments.buckets,
        compat: arguments.compat,
        partitions: arguments.partitions,
        cgroups: arguments.cgroups,
    };
    let Some(path) = &arguments.textfile else {
        return server::serve(&arguments.listen, options, from(arguments)?);
    };
    // A module that is not there is a metric too.
    let scrape = Collector::new(options).collect();
    let bytes = expose(scrape.as_ref(), &options, arguments.form);
    if path == Path::new("-") {
        let mut out = stdout().lock();
        out.write_all(&bytes).context("cannot write")?;
        return out.flush().context("cannot write");
    }
    replace(path, &bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Where the page's numbers come from.
fn from(arguments: &Export) -> Result<server::From> {
    if let Some(path) = &arguments.replay {
        // What is wrong with it is said now, not to the first client.
        recorded::info(path).with_context(|| path.display().to_string())?;
        return Ok(server::From::Recording(path.clone()));
    }
    if !(0.1..=3600.0).contains(&arguments.interval) {
        return Err(usage("an interval is from 0.1 to 3600 seconds"));
    }
    let interval = Duration::from_secs_f64(arguments.interval);
    Ok(server::From::Module(interval))
}

/// Replaces a file by another one of these bytes: at each moment it has the old content or the new.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    // Of another ending, as readers of a whole directory look at *.prom.
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let temporary = Path::new(&name);
    let flags =
        OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let result = (|| {
        let mut file = File::from(open(temporary, flags, Mode::from_raw_mode(0o644))?);
        file.write_all(bytes)?;
        fsync(&file)?;
        Ok(rename(temporary, path)?)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(temporary);
    }
    result
}
