/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way of an event that is only counted: from its tracepoint to the disk's
 * counter of it, by src/recorder/probe.rs.
 */
#ifndef _IOSTAT_EVENT_PROBES_H
#define _IOSTAT_EVENT_PROBES_H

#include <linux/blk_types.h>

struct blk_mq_hw_ctx;
struct gendisk;
struct request;
struct request_queue;

enum iostat_event {
	IOSTAT_EVENT_BIO_BACKMERGE,
	IOSTAT_EVENT_BIO_FRONTMERGE,
	IOSTAT_EVENT_READ_MERGE,
	IOSTAT_EVENT_WRITE_MERGE,
	IOSTAT_EVENT_SPLIT,
	IOSTAT_EVENT_BIO_REMAP,
	IOSTAT_EVENT_RQ_REMAP,
	IOSTAT_EVENT_PLUG,
	IOSTAT_EVENT_UNPLUG,
	IOSTAT_EVENT_UNPLUG_SCHEDULE,
	IOSTAT_EVENT_ZONE_APPEND,
	IOSTAT_EVENT_ZONE_PLUG,
	IOSTAT_EVENT_ZONE_UNPLUG,
	IOSTAT_EVENT_TIMEOUT,
};

/* What the tracepoints call; @state is what they were registered with. */
void iostat_probe_bio_backmerge(void *state, struct bio *bio);
void iostat_probe_bio_frontmerge(void *state, struct bio *bio);
void iostat_probe_split(void *state, struct bio *bio, unsigned int new_sector);
void iostat_probe_bio_remap(void *state, struct bio *bio, dev_t dev, sector_t from);
void iostat_probe_rq_remap(void *state, struct request *rq, dev_t dev, sector_t from);
void iostat_probe_plug(void *state, struct request_queue *q);
void iostat_probe_unplug(void *state, struct request_queue *q, unsigned int depth, bool explicit);
void iostat_probe_zone_append(void *state, struct request *rq);
void iostat_probe_zone_plug(void *state, struct request_queue *q, unsigned int zno,
			    sector_t sector, unsigned int nr_sectors);
void iostat_probe_zone_unplug(void *state, struct request_queue *q, unsigned int zno,
			      sector_t sector, unsigned int nr_sectors);

/* What they call, with interrupts as they are; @disk may be NULL. */
typedef void (*iostat_event_fn)(const void *state, const struct gendisk *disk,
				enum iostat_event event);

void iostat_event(const void *state, const struct gendisk *disk, enum iostat_event event);

/*
 * Soon timeouts call it too, with preemption off, if this kernel has what is hooked; @state stays until
 * they are unhooked. Does not wait for that.
 */
void iostat_timeouts_hook(const void *state);

/* No call of iostat_event() for a timeout from here on. May sleep. */
void iostat_timeouts_unhook(void);

#endif /* _IOSTAT_EVENT_PROBES_H */
