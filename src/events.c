// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of include/trace/events/io.h, and the functions Rust calls
 * them by.
 */

#include <linux/module.h>

#define CREATE_TRACE_POINTS
#define CREATE_RUST_TRACE_POINTS
#include <trace/events/io.h>
