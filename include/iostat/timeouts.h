/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that timed out: see src/hooks/timeouts.c.
 */
#ifndef _IOSTAT_TIMEOUTS_H
#define _IOSTAT_TIMEOUTS_H

struct request;

/*
 * Soon iostat_timeout() is called for each request that timed out, if this kernel has the functions that are hooked;
 * @state stays until they are unhooked. Does not wait for that.
 */
void iostat_timeouts_hook(const void *state);

/* No call of iostat_timeout() from here on. May sleep. */
void iostat_timeouts_unhook(void);

/* In src/recorder/probe/events.rs. With preemption off; the caller has a reference to the request. */
typedef void (*iostat_timeout_fn)(const void *state, struct request *rq);

void iostat_timeout(const void *state, struct request *rq);

#endif /* _IOSTAT_TIMEOUTS_H */
