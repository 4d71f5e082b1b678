/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where file systems are mounted.
 */
#ifndef _IOSTAT_MOUNTS_H
#define _IOSTAT_MOUNTS_H

#include <linux/types.h>

/**
 * iostat_mounts_switch - have the table of mounts read and followed, or dropped
 * @is_on: which of them
 *
 * A work item sees to it: this does not sleep. Callers exclude each other.
 * Without the table nothing is found in it.
 */
void iostat_mounts_switch(bool is_on);

/* Waits until a table that was asked for has been read, but for a second at most. */
void iostat_mounts_wait(void);

/* Drops the table, and returns when there is no more work to be done. May sleep. */
void iostat_mounts_close(void);

/**
 * iostat_mount_of - where a file is mounted
 * @dev: device number of its super block
 * @path: its path in the file system
 * @rest: the part of @path below what is mounted
 *
 * In an RCU read-side critical section, for which what it returns is valid.
 *
 * Return: the mount point, or NULL.
 */
const char *iostat_mount_of(dev_t dev, const char *path, const char **rest);

/**
 * iostat_mount_of_all - where a file system is mounted as a whole
 * @dev: device number of its super block
 *
 * In an RCU read-side critical section, for which what it returns is valid.
 *
 * Return: the mount point, or NULL.
 */
const char *iostat_mount_of_all(dev_t dev);

/**
 * iostat_mount_at - where a file is mounted that has this name
 * @dev: device number of its super block
 * @path: its path in the file system
 * @name: the path to be looked for
 *
 * In an RCU read-side critical section, for which what it returns is valid.
 *
 * Return: the mount point, or NULL if this is no name of the file.
 */
const char *iostat_mount_at(dev_t dev, const char *path, const char *name);

#endif /* _IOSTAT_MOUNTS_H */
