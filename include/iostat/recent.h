/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that were looked up a moment ago: most I/Os are for the same few files.
 */
#ifndef _IOSTAT_RECENT_H
#define _IOSTAT_RECENT_H

#include <iostat/io.h>
#include <linux/types.h>

struct dentry;
struct file_system_type;
struct iostat_walk;
struct path;
struct vfsmount;

/**
 * struct iostat_recent_key - all that the texts of a file depend on, except for the names in its path
 * @dentry: the file's
 * @mnt: the mount it was opened by, or NULL if it is not an open file
 * @root_mnt: the root directory of the task, of an open file; else NULL
 * @root_dentry: likewise
 * @type: of its file system
 * @mounts: iostat_mount_table_version()
 * @dev: device number of its super block
 * @renames: how many renames there were, twice; odd while there is one
 */
struct iostat_recent_key {
	const struct dentry *dentry;
	const struct vfsmount *mnt;
	const struct vfsmount *root_mnt;
	const struct dentry *root_dentry;
	const struct file_system_type *type;
	unsigned long mounts;
	dev_t dev;
	unsigned int renames;
};

/* Allocates memory for them, once. May sleep. Without memory no file is found. */
void iostat_recent_open(void);
/* Frees it. Nothing is looked up any more. */
void iostat_recent_close(void);

/*
 * The key of a file; @path is that of an open file or NULL. To be made before the file is looked up, by the
 * task whose root directory counts.
 */
void iostat_recent_key(struct iostat_recent_key *key, const struct dentry *dentry,
		       const struct path *path);

/*
 * Finds a file: all of @file but fi_offset and fi_oflags. In an RCU read-side critical section, from where
 * iostat_may_walk().
 */
bool iostat_recent_find(const struct iostat_recent_key *key, struct iostat_fileinfo *file);

/* Keeps what was found of a file whose path in the file system is @walk. In the same section. */
void iostat_recent_keep(const struct iostat_recent_key *key, const struct iostat_walk *walk,
			const struct iostat_fileinfo *file);

#endif /* _IOSTAT_RECENT_H */
