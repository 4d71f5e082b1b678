// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/file_texts.h.
 */

#include <iostat/file_texts.h>
#include <iostat/fileinfo.h>
#include <iostat/mounts.h>
#include <iostat/recent.h>
#include <iostat/text.h>
#include <iostat/walk.h>
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static const char none[] = "<none>", unknown[] = "<unknown>";

#define PUT(array, from, len)	iostat_put_text(array, sizeof(array), from, len)
#define PUT_TEXT(array, from)	PUT(array, from, strlen(from))

/* All of it, in words: it is too short for the string instructions. */
static void clear(struct iostat_fileinfo *file)
{
	u64 *words = (u64 *)file;

	BUILD_BUG_ON(sizeof(*file) % sizeof(*words));
#pragma GCC unroll 64
	for (size_t i = 0; i < sizeof(*file) / sizeof(*words); i++) {
		words[i] = 0;
		/* Or the compiler would make a call of memset() of it. */
		barrier();
	}
}

/* The path, and of it the name and the directory. */
static void put_path(struct iostat_fileinfo *file, const char *path, size_t len)
{
	const char *name = path + len;

	PUT(file->fi_pathname, path, len);
	while (name > path && name[-1] != '/')
		name--;
	PUT(file->fi_name, name, path + len - name);
	if (name == path)
		PUT_TEXT(file->fi_dirname, unknown);
	else	/* That of what is in the root is the root. */
		PUT(file->fi_dirname, path, name - path == 1 ? 1 : name - path - 1);
}

/* Begins with what is known of any file. */
static void put_type(struct iostat_fileinfo *file, const struct file_system_type *type)
{
	clear(file);
	PUT_TEXT(file->fi_fs, type->name);
}

static void put_all(struct iostat_fileinfo *file, const char *text, size_t len)
{
	clear(file);
	file->fi_offset = -1;
	PUT(file->fi_fs, text, len);
	PUT(file->fi_mount, text, len);
	PUT(file->fi_name, text, len);
	PUT(file->fi_dirname, text, len);
	PUT(file->fi_pathname, text, len);
}

/* The mount point is that of the whole file system: of which part the file is in cannot be said. */
static void put_without_path(struct iostat_fileinfo *file, const struct super_block *sb)
{
	put_type(file, sb->s_type);
	PUT_TEXT(file->fi_mount, iostat_mount_of_all(sb->s_dev) ?: unknown);
	PUT_TEXT(file->fi_name, unknown);
	PUT_TEXT(file->fi_dirname, unknown);
	PUT_TEXT(file->fi_pathname, unknown);
}

void iostat_fileinfo_none(struct iostat_fileinfo *file, const char *text)
{
	put_all(file, text, strlen(text));
}

/* The path in the file system becomes that below the mount point, if there is one. */
static void add_mount(struct iostat_fileinfo *file, dev_t dev, struct iostat_walk *walk)
{
	const char *point = NULL, *rest;
	size_t len, room;

	/* The mount point of a path whose beginning was cut off is unknown. */
	if (walk->text[0] == '/')
		point = iostat_mount_of(dev, walk->text, &rest);
	PUT_TEXT(file->fi_mount, point ?: unknown);
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
static void put_mounted(struct iostat_fileinfo *file, const struct iostat_recent_key *key,
			const struct iostat_walk *walk, struct iostat_walk *spare)
{
	iostat_walk_copy(spare, walk);
	add_mount(file, key->dev, spare);
	put_path(file, spare->text, spare->len);
}

/*
 * The path of an open file is the one it was opened by, if that is one in the initial
 * mount namespace: for those who may see a different root directory, or other
 * mounts, d_path() says what only they understand.
 */
static noinline void look_up_file(struct iostat_fileinfo *file, const struct path *path,
				  const struct iostat_recent_key *key)
{
	struct iostat_walk walk __uninitialized, own __uninitialized;
	const char *point;

	put_type(file, key->type);
	iostat_walk_dentry(&walk, key->dentry);
	iostat_walk_path(&own, path);
	point = iostat_mount_at(key->dev, walk.text, own.text);
	if (likely(point)) {
		PUT_TEXT(file->fi_mount, point);
		put_path(file, own.text, own.len);
	} else {
		put_mounted(file, key, &walk, &own);
	}
	iostat_recent_keep(key, &walk, file);
}

void iostat_file_texts(struct iostat_fileinfo *file, const struct file *filp)
{
	/* That of the file of a layer is one of a mount of its own, which is in no namespace. */
	const struct path *path = file_user_path(filp);
	const struct dentry *dentry = path->dentry;
	struct iostat_recent_key key __uninitialized;

	if (!iostat_may_walk()) {
		put_without_path(file, dentry->d_sb);
	} else {
		iostat_recent_key(&key, dentry, path);
		if (!iostat_recent_find(&key, file))
			look_up_file(file, path, &key);
	}
	file->fi_oflags = filp->f_flags;
}

static noinline void look_up_dentry(struct iostat_fileinfo *file,
				    const struct iostat_recent_key *key)
{
	struct iostat_walk walk __uninitialized, mounted __uninitialized;

	put_type(file, key->type);
	iostat_walk_dentry(&walk, key->dentry);
	put_mounted(file, key, &walk, &mounted);
	iostat_recent_keep(key, &walk, file);
}

void iostat_file_texts_of_inode(struct iostat_fileinfo *file, struct inode *inode)
{
	struct dentry *dentry;
	struct iostat_recent_key key __uninitialized;

	if (!iostat_may_walk())
		return put_without_path(file, inode->i_sb);
	spin_lock(&inode->i_lock);
	dentry = hlist_entry_safe(READ_ONCE(inode->i_dentry.first), struct dentry, d_alias);
	/* Its memory goes after a grace period. */
	spin_unlock(&inode->i_lock);
	if (!dentry)
		return put_without_path(file, inode->i_sb);
	iostat_recent_key(&key, dentry, NULL);
	if (!iostat_recent_find(&key, file))
		look_up_dentry(file, &key);
}

/* RCU keeps the disk, whose name this is, but not that of the struct device. */
void iostat_file_texts_of_bdev(struct iostat_fileinfo *file, const struct block_device *bdev,
			       loff_t pos)
{
	/* With the number of a partition. */
	char path[5 + DISK_NAME_LEN + 12];

	if (READ_ONCE(bdev->bd_holder)) {
		put_all(file, none, strlen(none));
		return;
	}
	clear(file);
	file->fi_offset = pos;
	PUT_TEXT(file->fi_fs, "bdev");
	PUT_TEXT(file->fi_mount, none);
	snprintf(path, sizeof(path), "/dev/%pg", bdev);
	put_path(file, path, strlen(path));
}
