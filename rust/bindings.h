/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What bindgen reads: the few types and functions of ours that kernel::bindings
 * cannot have. The kernel's own types in them are taken from there.
 */

#include <iostat/clock.h>
#include <iostat/devstat.h>
#include <iostat/evcnt.h>
#include <iostat/event_probes.h>
#include <iostat/io.h>
#include <iostat/helpers.h>
#include <iostat/kstat.h>
#include <iostat/probes.h>
#include <iostat/transactions.h>
#include <iostat/waits.h>
#include <iostat/watch.h>
#include <linux/tracepoint.h>
#include <uapi/linux/iostat.h>

/* As DECLARE_TRACE makes it; see include/trace/events/io.h. */
extern struct tracepoint __tracepoint_done;
