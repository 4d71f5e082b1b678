/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which NFS file systems there are.
 */
#ifndef _IOSTAT_NFS_MOUNTS_H
#define _IOSTAT_NFS_MOUNTS_H

#include <iostat/nfs.h>

/*
 * Calls @mounts->mounted for each that is there, and for each to come before it
 * is used. While nfs.ko is there. May sleep.
 */
int iostat_nfs_mounts_start(const struct iostat_nfs_mounts *mounts);

/* Calls @mounts->unmounted for each that is there; none comes after. May sleep. */
void iostat_nfs_mounts_stop(void);

#endif /* _IOSTAT_NFS_MOUNTS_H */
