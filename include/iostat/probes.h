/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of our probes, for both sides: src/probe_types.c holds them against
 * the kernel's tracepoints, and src/recorder/probe.rs, through bindgen, against
 * its functions.
 */
#ifndef _IOSTAT_PROBES_H
#define _IOSTAT_PROBES_H

#include <linux/blk_types.h>

struct request;
struct request_queue;

typedef void (*iostat_rq_probe_t)(void *data, struct request *rq);
typedef void (*iostat_rq_complete_probe_t)(void *data, struct request *rq,
					   blk_status_t error,
					   unsigned int nr_bytes);
typedef void (*iostat_bio_probe_t)(void *data, struct bio *bio);
typedef void (*iostat_bio_complete_probe_t)(void *data, struct request_queue *q,
					    struct bio *bio);

#endif /* _IOSTAT_PROBES_H */
