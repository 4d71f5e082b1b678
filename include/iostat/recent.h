/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of the files that were looked up last: most I/Os are for the same few files.
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
 * struct iostat_recent_key - the values on which the texts of a file depend, except the names in
 * its path
 * @dentry: the dentry of the file
 * @mnt: the mount that it was opened through; NULL if it is not an open file
 * @root_mnt: for an open file, the mount of the task's root directory; else NULL
 * @root_dentry: for an open file, the dentry of the task's root directory; else NULL
 * @type: type of its file system
 * @mounts: iostat_mount_table_version()
 * @dev: device number of its super block
 * @renames: sequence count of rename_lock: odd while a file is being renamed
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

/* Allocates the cache, once. May sleep. If there is no memory, no file is ever found. */
void iostat_recent_open(void);
/* Frees the cache. No file may be looked up any more. */
void iostat_recent_close(void);

/*
 * Sets the key of a file; @path is that of the open file, or NULL. To be called before the file is looked up, by
 * the task that does the I/O: its root directory is part of the key.
 */
void iostat_recent_key(struct iostat_recent_key *key, const struct dentry *dentry,
		       const struct path *path);

/*
 * Finds a file, and sets the file of an I/O and its texts, but not fi_offset and fi_oflags. To be called in an RCU
 * read-side critical section, where iostat_may_walk() returns true. Return: whether the file was found.
 */
bool iostat_recent_find(const struct iostat_recent_key *key, struct iostat_io *io);

/* Adds the file of an I/O; its path in its file system is @walk. To be called in the same section as iostat_recent_find(). */
void iostat_recent_keep(const struct iostat_recent_key *key, const struct iostat_walk *walk,
			const struct iostat_io *io);

#endif /* _IOSTAT_RECENT_H */
