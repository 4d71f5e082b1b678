// SPDX-License-Identifier: GPL-2.0

//! Tests of event counters. They use tables of their own, and are a part of [`crate::evcnt`] in order to use its
//! private items.

mod cells;
mod counters;
