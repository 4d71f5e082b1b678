// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/file_texts.h.
 */

#include <iostat/file_texts.h>
#include <iostat/fileinfo.h>
#include <iostat/io_trace.h>
#include <iostat/mounts.h>
#include <iostat/recent.h>
#include <iostat/text.h>
#include <iostat/walk.h>
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wordpart.h>

static const char none[] = "<none>", unknown[] = "<unknown>";

#define ADD_TEXT(io, size, from)	iostat_add_text(io, size, from, strlen(from))

/* Begins with what is known of any file. */
static void put_type(struct iostat_io *io, const char *type)
{
	io->file = (struct iostat_fileinfo) {};
	iostat_put_text(io->file.fi_fs, sizeof(io->file.fi_fs), type, strlen(type));
	io->bytes = 0;
}

static void put_mount(struct iostat_io *io, const char *point)
{
	io->where.fi_mount = ADD_TEXT(io, IOSTAT_MOUNT_LEN, point ?: unknown);
}

#define PATH_AT	(IOSTAT_HEAD_BYTES + offsetof(struct iostat_io, file.fi_pathname))

/* Sets the path, and the name: what is behind its last slash. */
static void put_pathname(struct iostat_fileinfo *file, const char *path, size_t len)
{
	size_t size = iostat_put_text(file->fi_pathname, sizeof(file->fi_pathname), path, len) + 1;
	const char *slash = strrchr(file->fi_pathname, '/');
	size_t before = slash ? slash + 1 - file->fi_pathname : 0;

	file->fi_name = IOSTAT_LOC(PATH_AT + before, size - before);
}

/* The path, and of it the name and the directory. */
static void put_path(struct iostat_io *io, const char *path, size_t len)
{
	const char *name = path + len;

	while (name > path && name[-1] != '/')
		name--;
	if (name == path)
		io->where.fi_dirname = ADD_TEXT(io, IOSTAT_DIR_LEN, unknown);
	else	/* That of what is in the root is the root. */
		io->where.fi_dirname = iostat_add_text(io, IOSTAT_DIR_LEN, path,
						       name - path == 1 ? 1 : name - path - 1);
	put_pathname(&io->file, path, len);
	iostat_end_texts(io);
}

/* The same text in place of a path. */
static void put_no_path(struct iostat_io *io, const char *text)
{
	io->where.fi_dirname = ADD_TEXT(io, IOSTAT_DIR_LEN, text);
	put_pathname(&io->file, text, strlen(text));
	iostat_end_texts(io);
}

/* The mount point is that of the whole file system: of which part the file is in cannot be said. */
static void put_without_path(struct iostat_io *io, const struct super_block *sb)
{
	put_type(io, sb->s_type->name);
	put_mount(io, iostat_mount_of_all(sb->s_dev));
	put_no_path(io, unknown);
}

void iostat_fileinfo_none(struct iostat_io *io, const char *text)
{
	put_type(io, text);
	io->file.fi_offset = -1;
	put_no_path(io, text);
	io->where.fi_mount = io->where.fi_dirname;
}

/* The path in the file system becomes that below the mount point, if there is one. */
static void add_mount(struct iostat_io *io, dev_t dev, struct iostat_walk *walk)
{
	const char *point = NULL, *rest;
	size_t len, room;

	/* The mount point of a path whose beginning was cut off is unknown. */
	if (walk->text[0] == '/')
		point = iostat_mount_of(dev, walk->text, &rest);
	put_mount(io, point);
	if (!point)
		return;
	/* Paths of the root mount are complete. (A subtree of the file system may be mounted there.) */
	len = point[1] ? strlen(point) : 0;
	if (!len && !*rest) {
		walk->text = "/";
		walk->len = 1;
		return;
	}
	room = rest - walk->buf;
	/* If the beginning does not fit into the buffer, it does not fit into fi_pathname either. */
	if (len > room) {
		point += len - room;
		len = room;
	}
	walk->len -= rest - walk->text;
	walk->len += len;
	walk->text = memcpy((char *)rest - len, point, len);
}

/* By the path in the file system, whose first mount is as good as another. @spare is filled in. */
static void put_mounted(struct iostat_io *io, const struct iostat_recent_key *key,
			const struct iostat_walk *walk, struct iostat_walk *spare)
{
	iostat_walk_copy(spare, walk);
	add_mount(io, key->dev, spare);
	put_path(io, spare->text, spare->len);
}

/*
 * The path of an open file is the one it was opened by, if that is one in the initial
 * mount namespace: for those who may see a different root directory, or other
 * mounts, d_path() says what only they understand.
 */
static noinline void look_up_file(struct iostat_io *io, const struct path *path,
				  const struct iostat_recent_key *key)
{
	struct iostat_walk walk __uninitialized, own __uninitialized;
	const char *point;

	put_type(io, key->type->name);
	iostat_walk_dentry(&walk, key->dentry);
	iostat_walk_path(&own, path);
	point = iostat_mount_at(key->dev, walk.text, own.text);
	if (likely(point)) {
		put_mount(io, point);
		put_path(io, own.text, own.len);
	} else {
		put_mounted(io, key, &walk, &own);
	}
	iostat_recent_keep(key, &walk, io);
}

void iostat_file_texts(struct iostat_io *io, const struct file *filp)
{
	/* That of the file of a layer is one of a mount of its own, which is in no namespace. */
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

	put_type(io, key->type->name);
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
	dentry = hlist_entry_safe(READ_ONCE(inode->i_dentry.first), struct dentry, d_alias);
	/* Its memory goes after a grace period. */
	spin_unlock(&inode->i_lock);
	if (!dentry)
		return put_without_path(io, inode->i_sb);
	iostat_recent_key(&key, dentry, NULL);
	if (!iostat_recent_find(&key, io))
		look_up_dentry(io, &key);
}

/* RCU keeps the disk, whose name this is, but not that of the struct device. */
void iostat_file_texts_of_bdev(struct iostat_io *io, const struct block_device *bdev, loff_t pos)
{
	/* With the number of a partition. */
	char path[5 + DISK_NAME_LEN + 12];

	if (READ_ONCE(bdev->bd_holder))
		return iostat_fileinfo_none(io, none);
	put_type(io, "bdev");
	io->file.fi_offset = pos;
	put_mount(io, none);
	snprintf(path, sizeof(path), "/dev/%pg", bdev);
	put_path(io, path, strlen(path));
}
