/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where file systems are mounted.
 */
#ifndef _IOSTAT_MOUNTS_H
#define _IOSTAT_MOUNTS_H

#include <linux/types.h>

/**
 * iostat_mounts_switch - starts or stops keeping the table of mounts
 * @is_on: whether to keep the table
 *
 * A work item does this, so the function does not sleep. Callers must exclude
 * each other. Without a table, lookups find nothing.
 */
void iostat_mounts_switch(bool is_on);

/* Waits until a requested table has been read, for a second at most. */
void iostat_mounts_wait(void);

/* Drops the table, and returns when there is no more work to be done. May sleep. */
void iostat_mounts_close(void);

/**
 * iostat_mount_of - where a file is mounted
 * @dev: device number of its super block
 * @path: its path in the file system
 * @rest: the part of @path below the mounted directory (out)
 *
 * Called in an RCU read-side critical section, in which the result is valid.
 *
 * Return: the mount point, or NULL.
 */
const char *iostat_mount_of(dev_t dev, const char *path, const char **rest);

/**
 * iostat_mount_of_all - where a file system is mounted as a whole
 * @dev: device number of its super block
 *
 * Called in an RCU read-side critical section, in which the result is valid.
 *
 * Return: the mount point, or NULL.
 */
const char *iostat_mount_of_all(dev_t dev);

/**
 * iostat_mount_at - finds the mount through which a file has a given path
 * @dev: device number of its super block
 * @path: its path in the file system
 * @name: a full path, which may be that of the file
 *
 * Called in an RCU read-side critical section, in which the result is valid.
 *
 * Return: the mount point, or NULL if the file does not have this path.
 */
const char *iostat_mount_at(dev_t dev, const char *path, const char *name);

#endif /* _IOSTAT_MOUNTS_H */
