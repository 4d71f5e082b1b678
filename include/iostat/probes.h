/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes. For a transaction a tracepoint calls a C function, which disables
 * interrupts and reads the time by the kernel's inlines, and then calls the Rust
 * function for the event in src/recorder/probe.rs.
 */
#ifndef _IOSTAT_PROBES_H
#define _IOSTAT_PROBES_H

#include <iostat/clock.h>
#include <linux/blk_types.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>

struct blk_mq_hw_ctx;
struct gendisk;
struct request;
struct request_queue;

/* The probes of the tracepoints; @state is the data that they were registered with. */
void iostat_probe_io_start(void *state, struct request *rq);
void iostat_probe_rq_issue(void *state, struct request *rq);
void iostat_probe_rq_requeue(void *state, struct request *rq);
void iostat_probe_rq_merge(void *state, struct request *rq);
void iostat_probe_io_done(void *state, struct request *rq);
void iostat_probe_rq_complete(void *state, struct request *rq, blk_status_t error,
			      unsigned int nr_bytes);
void iostat_probe_tag_wait(void *state, struct request_queue *q, struct blk_mq_hw_ctx *hctx,
			   bool is_sched_tag, unsigned int alloc_flags);
void iostat_probe_bio_queue(void *state, struct bio *bio);
void iostat_probe_bio_complete(void *state, struct request_queue *q, struct bio *bio);

/*
 * Set unless events may take the fast path of src/recorder/probe/fast.rs: while the clock is not the
 * TSC, or if the fast path does not support this machine.
 */
DECLARE_STATIC_KEY_FALSE(iostat_general);
/* For starts: set also while io:start or io:done is enabled. */
DECLARE_STATIC_KEY_FALSE(iostat_general_or_traced);
/* Set while io:start or io:done is enabled, or while there are accounts by cgroup. */
DECLARE_STATIC_KEY_FALSE(iostat_watched);
/* For completions: set while iostat_general or iostat_watched is set. */
DECLARE_STATIC_KEY_FALSE(iostat_general_or_watched);

/* The fast path. It has not recorded anything of an event that it passes on to the functions above. */
void iostat_fast_io_start(void *state, struct request *rq);
void iostat_fast_rq_issue(void *state, struct request *rq);
void iostat_fast_rq_complete(void *state, struct request *rq, blk_status_t error,
			     unsigned int nr_bytes);

/*
 * The fast path while io:start or io:done is enabled, of completions also while there are accounts by cgroup.
 * iostat_watched_rq_complete() traces io:done; io:start is traced by the caller. Events that they leave to the general
 * path go to the functions that follow, which trace no start.
 */
void iostat_traced_io_start(void *state, struct request *rq);
void iostat_watched_rq_complete(void *state, struct request *rq, blk_status_t error,
				unsigned int nr_bytes);
void iostat_general_io_start(void *state, struct request *rq);
void iostat_general_rq_complete_watched(void *state, struct request *rq, blk_status_t error,
					unsigned int nr_bytes);

/*
 * Waits until no probe runs that was unregistered before, or that has seen a static key as it was before. May sleep.
 *
 * It is the half of tracepoint_synchronize_unregister() that waits for probes of tracepoints that cannot fault, which all that
 * are probed here are. The other half waits for sleepable BPF programs, which may wait for a page of a FUSE file without a
 * limit.
 */
static inline void iostat_synchronize_probes(void)
{
	synchronize_srcu(&tracepoint_srcu);
}

/**
 * struct iostat_probe_ctx - where and when a probe runs
 * @now_ns: the time, read with interrupts off
 * @cpu_offset: this CPU's __my_cpu_offset
 *
 * Passed in registers.
 */
struct iostat_probe_ctx {
	u64 now_ns;
	unsigned long cpu_offset;
};

/* Returns where and when a probe runs. Called with interrupts disabled. */
static __always_inline struct iostat_probe_ctx iostat_here(void)
{
	return (struct iostat_probe_ctx) {
		.now_ns = iostat_clock_now(),
		.cpu_offset = __my_cpu_offset,
	};
}

/* The Rust functions, called with interrupts disabled. Rust checks their types against these. */
typedef void (*iostat_rq_fn)(const void *state, struct request *rq, struct iostat_probe_ctx here);
typedef void (*iostat_rq_complete_fn)(const void *state, struct request *rq,
				      struct iostat_probe_ctx here, blk_status_t error,
				      unsigned int nr_bytes);
typedef void (*iostat_tag_wait_fn)(const void *state, const struct gendisk *disk,
				   struct iostat_probe_ctx here);
typedef void (*iostat_bio_queue_fn)(const void *state, struct bio *bio,
				    struct iostat_probe_ctx here, unsigned int cpu);
typedef void (*iostat_bio_fn)(const void *state, struct bio *bio, struct iostat_probe_ctx here);

void iostat_io_start(const void *state, struct request *rq, struct iostat_probe_ctx here);
void iostat_rq_issue(const void *state, struct request *rq, struct iostat_probe_ctx here);
void iostat_rq_requeue(const void *state, struct request *rq, struct iostat_probe_ctx here);
void iostat_rq_merge(const void *state, struct request *rq, struct iostat_probe_ctx here);
void iostat_io_done(const void *state, struct request *rq, struct iostat_probe_ctx here);
void iostat_rq_complete(const void *state, struct request *rq, struct iostat_probe_ctx here,
			blk_status_t error, unsigned int nr_bytes);
void iostat_tag_wait(const void *state, const struct gendisk *disk, struct iostat_probe_ctx here);
void iostat_bio_queue(const void *state, struct bio *bio, struct iostat_probe_ctx here,
		      unsigned int cpu);
void iostat_bio_complete(const void *state, struct bio *bio, struct iostat_probe_ctx here);

/* Called in addition while io:start or io:done is enabled, with interrupts as at the tracepoint. */
typedef void (*iostat_rq_traced_fn)(const void *state, struct request *rq);
typedef void (*iostat_bio_traced_fn)(const void *state, struct bio *bio);

void iostat_io_start_trace(const void *state, struct request *rq);
void iostat_bio_queue_trace(const void *state, struct bio *bio);

/*
 * The probes of events that are only counted, which are Rust functions:
 * src/recorder/probe/events.rs.
 */
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

#endif /* _IOSTAT_PROBES_H */
