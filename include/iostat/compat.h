/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the supported kernels, 7.0 and from 7.2 on, that cannot be detected by the name of a function or
 * member. 7.1 has not been tried.
 */
#ifndef _IOSTAT_COMPAT_H
#define _IOSTAT_COMPAT_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)

/* struct dentry: the member of struct inode's i_dentry. */
#define IOSTAT_D_ALIAS	d_u.d_alias

/* A wait for a tag has no event: such waits are not recorded. */
#undef IOSTAT_HAS_TAG_WAIT

/* The function that waits for a bio, its first argument. */
#define IOSTAT_BIO_AWAIT	"submit_bio_wait"

/* Reads the counter and CLOCK_MONOTONIC_RAW at the same instant; false if that is not possible. */
static inline bool iostat_snapshot(struct system_time_snapshot *now)
{
	ktime_get_snapshot(now);
	return true;
}

/* CLOCK_MONOTONIC_RAW of a snapshot. */
static inline u64 iostat_snapshot_raw_ns(const struct system_time_snapshot *now)
{
	return ktime_to_ns(now->raw);
}

#else

#define IOSTAT_D_ALIAS	d_alias
#define IOSTAT_HAS_TAG_WAIT
#define IOSTAT_BIO_AWAIT	"bio_await"

static inline bool iostat_snapshot(struct system_time_snapshot *now)
{
	ktime_get_snapshot_id(CLOCK_MONOTONIC_RAW, now);
	return now->valid;
}

static inline u64 iostat_snapshot_raw_ns(const struct system_time_snapshot *now)
{
	return ktime_to_ns(now->systime);
}

#endif

#endif /* _IOSTAT_COMPAT_H */
