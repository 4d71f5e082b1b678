// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/file_texts.h.
 */

#include <iostat/compat.h>
#include <iostat/file_texts.h>
#include <iostat/fileinfo.h>
#include <iostat/mounts.h>
#include <iostat/recent.h>
#include <iostat/walk.h>
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/*
 * Without a path, the mount point is that of the whole file system: it is not known which part the
 * file is in.
 */
static void put_without_path(struct iostat_io *io, const struct super_block *sb)
{
	iostat_set_file(io, sb->s_type->name, iostat_mount_of_all(sb->s_dev), NULL, 0);
}

/*
 * Finds the mount point by the path in the file system. If there are several, the first one is taken. The mount point
 * of a path whose beginning was cut off is unknown. @spare is overwritten.
 */
static void put_mounted(struct iostat_io *io, const struct iostat_recent_key *key,
			const struct iostat_walk *walk, struct iostat_walk *spare)
{
	const char *point = NULL, *rest;

	iostat_walk_copy(spare, walk);
	if (spare->text[0] == '/')
		point = iostat_mount_of(key->dev, spare->text, &rest);
	if (point)
		iostat_walk_join(spare, rest, point);
	iostat_set_file(io, key->type->name, point, spare->text, spare->len);
}

/*
 * The path of an open file is the one it was opened by, if that is one in the initial mount
 * namespace: for a task with another root directory or other mounts, d_path() returns a path that
 * is valid only for that task.
 */
static noinline void look_up_file(struct iostat_io *io, const struct path *path,
				  const struct iostat_recent_key *key)
{
	struct iostat_walk walk __uninitialized, own __uninitialized;
	const char *point;

	iostat_walk_dentry(&walk, key->dentry);
	iostat_walk_path(&own, path);
	point = iostat_mount_at(key->dev, walk.text, own.text);
	if (likely(point))
		iostat_set_file(io, key->type->name, point, own.text, own.len);
	else
		put_mounted(io, key, &walk, &own);
	iostat_recent_keep(key, &walk, io);
}

void iostat_file_texts(struct iostat_io *io, const struct file *filp)
{
	/*
	 * A file of a layer of an overlay has the path of a private mount, which is in no
	 * namespace.
	 */
	const struct path *path = file_user_path(filp);
	const struct dentry *dentry = path->dentry;
	struct iostat_recent_key key __uninitialized;

	if (!iostat_may_walk()) {
		put_without_path(io, dentry->d_sb);
	} else {
		iostat_recent_key(&key, dentry, path);
		if (!iostat_recent_find(&key, io))
			look_up_file(io, path, &key);
	}
	io->file.fi_oflags = filp->f_flags;
}

static noinline void look_up_dentry(struct iostat_io *io, const struct iostat_recent_key *key)
{
	struct iostat_walk walk __uninitialized, mounted __uninitialized;

	iostat_walk_dentry(&walk, key->dentry);
	put_mounted(io, key, &walk, &mounted);
	iostat_recent_keep(key, &walk, io);
}

void iostat_file_texts_of_inode(struct iostat_io *io, struct inode *inode)
{
	struct dentry *dentry;
	struct iostat_recent_key key __uninitialized;

	if (!iostat_may_walk())
		return put_without_path(io, inode->i_sb);
	spin_lock(&inode->i_lock);
	dentry = hlist_entry_safe(READ_ONCE(inode->i_dentry.first), struct dentry, IOSTAT_D_ALIAS);
	/* The dentry is freed after a grace period, but not those of files that have no name in a directory. */
	if (dentry && dentry->d_flags & DCACHE_NORCU)
		dentry = NULL;
	spin_unlock(&inode->i_lock);
	if (!dentry)
		return put_without_path(io, inode->i_sb);
	iostat_recent_key(&key, dentry, NULL);
	if (!iostat_recent_find(&key, io))
		look_up_dentry(io, &key);
}

/* RCU keeps the disk, which has this name, but not the name of the struct device. */
void iostat_file_texts_of_bdev(struct iostat_io *io, const struct block_device *bdev, loff_t pos)
{
	/* There is room for the number of a partition. */
	char path[5 + DISK_NAME_LEN + 12];

	if (READ_ONCE(bdev->bd_holder))
		return iostat_fileinfo_none(io, "<none>");
	snprintf(path, sizeof(path), "/dev/%pg", bdev);
	iostat_set_file(io, "bdev", "<none>", path, strlen(path));
	io->file.fi_offset = pos;
}
