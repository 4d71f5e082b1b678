// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of include/trace/events/io.h.
 */

#include <iostat/fileinfo.h>
#include <iostat/waits.h>
#include <linux/module.h>
#include <linux/trace_events.h>

/* Turns an event on or off, and waits until the hooks that it needs are attached or detached. */
static int event_reg(struct trace_event_call *event, enum trace_reg type, void *data)
{
	int error = trace_event_reg(event, type, data);

	switch (type) {
	case TRACE_REG_REGISTER:
	case TRACE_REG_UNREGISTER:
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
	case TRACE_REG_PERF_UNREGISTER:
#endif
		iostat_fileinfo_settle();
		iostat_waits_settle();
		break;
	default:
		break;
	}
	return error;
}

#define trace_event_reg event_reg
#define CREATE_TRACE_POINTS
#include <trace/events/io.h>
