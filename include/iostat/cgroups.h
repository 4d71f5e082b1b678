/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts by cgroup: their probes, and the functions that read a cgroup. See Documentation/cgroups.rst.
 */
#ifndef _IOSTAT_CGROUPS_H
#define _IOSTAT_CGROUPS_H

#include <linux/blk_types.h>
#include <linux/jump_label.h>

struct cgroup;
struct request;
struct request_queue;

/* Whether there are accounts by cgroup. */
DECLARE_STATIC_KEY_FALSE(iostat_cgroups);

/**
 * iostat_cgroups_switch - starts or stops counting
 * @on: whether to count
 *
 * Calls with true and with false alternate. May sleep.
 *
 * Return: 0, or -EOPNOTSUPP if this kernel has no cgroups for block I/O.
 */
int iostat_cgroups_switch(bool on);

/**
 * iostat_bio_cgroup_owner - the cgroup in whose account a bio is shown
 * @bio: a bio that is in flight
 *
 * Context: Any context.
 *
 * Return: the id of its cgroup, or if that was removed, of its nearest ancestor that exists; 0 if this kernel has no
 * cgroups for block I/O.
 */
u64 iostat_bio_cgroup_owner(struct bio *bio);

/* The probes; @state is the data that they were registered with. */
void iostat_probe_cgroup_rmdir(void *state, struct cgroup *cgrp, const char *path);
void iostat_probe_cgroup_release(void *state, struct cgroup *cgrp, const char *path);
void iostat_probe_cgroup_split(void *state, struct bio *bio, unsigned int new_sector);
void iostat_probe_cgroup_refused(void *state, struct request_queue *q, struct bio *bio);

/*
 * Count the bios of a request that end with its first @nr_bytes bytes, or a queued bio. Interrupts are as at the
 * tracepoint.
 */
void iostat_cgroups_count_rq(const void *state, struct request *rq, unsigned int nr_bytes);
void iostat_cgroups_count_bio(const void *state, struct bio *bio);

/* The Rust functions, called with interrupts disabled. Rust checks their types against these. */
typedef void (*iostat_cgroup_gone_fn)(const void *state, u64 id, u64 parent);
typedef void (*iostat_cgroup_count_fn)(const void *state, struct bio *bio, u64 ios, u64 bytes,
				       unsigned long cpu_offset);

void iostat_cgroup_removed(const void *state, u64 id, u64 parent);
void iostat_cgroup_released(const void *state, u64 id, u64 parent);
void iostat_cgroup_count(const void *state, struct bio *bio, u64 ios, u64 bytes,
			 unsigned long cpu_offset);

#endif /* _IOSTAT_CGROUPS_H */
