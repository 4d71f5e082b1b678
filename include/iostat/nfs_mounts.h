/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the NFS file systems that are mounted.
 */
#ifndef _IOSTAT_NFS_MOUNTS_H
#define _IOSTAT_NFS_MOUNTS_H

#include <iostat/nfs.h>

/*
 * Calls @mounts->mounted for each file system that is mounted, and for each
 * later one before it is used. To be called while nfs.ko is loaded. May sleep.
 * Return: 0; -ENOMEM; or another negative errno if the function that mounts cannot be hooked.
 */
int iostat_nfs_mounts_start(const struct iostat_nfs_mounts *mounts);

/* Calls @mounts->unmounted for each file system that is mounted. No call follows. May sleep. */
void iostat_nfs_mounts_stop(void);

#endif /* _IOSTAT_NFS_MOUNTS_H */
