/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where file systems are mounted.
 */
#ifndef _IOSTAT_MOUNTS_H
#define _IOSTAT_MOUNTS_H

#include <linux/types.h>

/* May sleep. Without the table of mounts nothing is found in it. */
void iostat_mounts_start(void);
void iostat_mounts_stop(void);

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

#endif /* _IOSTAT_MOUNTS_H */
