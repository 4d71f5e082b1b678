// SPDX-License-Identifier: GPL-2.0

//! The options of `ioscope export`.

use clap::{Args, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A form in which metrics are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Prometheus' text format 0.0.4
    #[default]
    Text,
    /// OpenMetrics 1.0
    Openmetrics,
    /// Prometheus' protobuf format, which has native histograms
    Protobuf,
}

/// The buckets of classic histograms. Which they are never changes from one scrape to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Buckets {
    /// One for two octaves: from 1 us to 32 s, and from 1 KiB to 2 GiB
    #[default]
    Coarse,
    /// All: four for an octave, from 238 ns to 32 s, and one, from 1 KiB to 2 GiB
    All,
    /// No classic histograms, and so none of sizes
    None,
}

/// Names of another exporter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compat {
    /// node_disk_* of node_exporter
    Node,
}

#[derive(Args, Clone, Debug)]
pub struct Export {
    /// Serve metrics (/metrics) and the page (/) by HTTP at this address, until SIGINT or SIGTERM. Repeatable. Without, and without --textfile, on
    /// the sockets that systemd passes
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "textfile")]
    pub listen: Vec<SocketAddr>,
    /// Write metrics to this file once, for the textfile collector of node_exporter: its readers see all of it or none.
    /// With - to standard output
    #[arg(long, value_name = "FILE")]
    pub textfile: Option<PathBuf>,
    /// Serve the page of a recording, without metrics
    #[arg(long, value_name = "FILE", conflicts_with = "textfile")]
    pub replay: Option<PathBuf>,
    /// The page's intervals, in seconds. The module is read only while the page is open
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, conflicts_with_all = ["textfile", "replay"])]
    pub interval: f64,
    /// The form of a file. What is served has the form that the client asks for
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORM",
        requires = "textfile"
    )]
    pub form: Form,
    /// The buckets of classic histograms. Native histograms are in the protobuf format in any case
    #[arg(long, value_enum, default_value_t, value_name = "SET")]
    pub buckets: Buckets,
    /// The metrics of another exporter too, for dashboards that exist
    #[arg(long, value_enum, value_name = "EXPORTER")]
    pub compat: Option<Compat>,
    /// Partitions too
    #[arg(short, long)]
    pub partitions: bool,
    /// Accounts by cgroup too, while they are on
    #[arg(short, long)]
    pub cgroups: bool,
}
