// SPDX-License-Identifier: GPL-2.0

//! Metrics for Prometheus and for what reads its formats, and a page for people.
//!
//! * [`collect`]: what the module has counted at one moment; [`families`] names it, [`cgroups`] those of cgroups, and [`node`] as
//!   node_exporter does.
//! * [`text`], [`protobuf`]: how that is written; [`buckets`]: histograms, classic and native.
//! * [`page`]: the page; [`api`]: what it asks for, of the module as it is now ([`follow`]) or of a file ([`recorded`]);
//!   [`ios`]: single I/Os.
//! * [`server`]: HTTP; [`query`]: what is behind a `?`; [`accept`]: the form that a client asks for; [`timed`] and
//!   [`unread`]: clients that do not read.

pub mod accept;
pub mod api;
pub mod buckets;
pub mod cgroups;
pub mod collect;
pub mod families;
pub mod family;
pub mod follow;
pub mod ios;
pub mod node;
pub mod page;
pub mod protobuf;
pub mod query;
pub mod recorded;
pub mod server;
pub mod text;
pub mod timed;
pub mod unread;

use crate::cli::export::{Buckets, Compat, Form};
use collect::Scrape;

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub buckets: Buckets,
    pub compat: Option<Compat>,
    pub partitions: bool,
    /// Accounts by cgroup, if there are any.
    pub cgroups: bool,
}

/// All metrics in one form. Without `scrape`, that there are none.
pub fn expose(scrape: Option<&Scrape>, options: &Options, form: Form) -> Vec<u8> {
    let mut families = families::families(scrape);
    if let (Some(scrape), Some(Compat::Node)) = (scrape, options.compat) {
        families.extend(node::families(scrape));
    }
    let classic = buckets::classic(options.buckets);
    match form {
        Form::Text | Form::Openmetrics => text::write(&families, form, &classic).into_bytes(),
        Form::Protobuf => protobuf::write(&families, &classic),
    }
}

#[cfg(test)]
mod tests;
