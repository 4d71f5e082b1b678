// SPDX-License-Identifier: GPL-2.0
/*
 * Which file a bio is for: the one its task does direct I/O with, or else the
 * one whose page cache its memory is.
 *
 * Whoever submits a bio holds what is looked at here, and no reference is taken
 * to anything: the last one to go would have to be dropped in the midst of
 * somebody's I/O.
 */

#include <iostat/dio.h>
#include <iostat/fileinfo.h>
#include <iostat/mounts.h>
#include <iostat/text.h>
#include <iostat/walk.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

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

static void put_all(struct iostat_fileinfo *file, const char *text, size_t len)
{
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
	PUT_TEXT(file->fi_mount, iostat_mount_of_all(sb->s_dev) ?: unknown);
	PUT_TEXT(file->fi_name, unknown);
	PUT_TEXT(file->fi_dirname, unknown);
	PUT_TEXT(file->fi_pathname, unknown);
}

void iostat_fileinfo_none(struct iostat_fileinfo *file, const char *text)
{
	clear(file);
	put_all(file, text, strlen(text));
}

/* The path in the file system becomes that below the mount point, if there is one. */
static void add_mount(struct iostat_fileinfo *file, dev_t dev, struct iostat_walk *walk)
{
	const char *point = NULL, *rest;
	size_t len, room;

	/* Nor can it be told where a path is that has lost its front. */
	if (walk->text[0] == '/')
		point = iostat_mount_of(dev, walk->text, &rest);
	PUT_TEXT(file->fi_mount, point ?: unknown);
	if (!point)
		return;
	/* The root's is the path already, and what is mounted there may be a part of the file system. */
	len = point[1] ? strlen(point) : 0;
	if (!len && !*rest) {
		walk->text = "/";
		walk->len = 1;
		return;
	}
	room = rest - walk->buf;
	/* Where there is no room for its front, there is none in the array either. */
	if (len > room) {
		point += len - room;
		len = room;
	}
	walk->len -= rest - walk->text;
	walk->len += len;
	walk->text = memcpy((char *)rest - len, point, len);
}

/*
 * An open file. Its path is the one it was opened by, if that is one in the initial
 * mount namespace: for those who may see a different root directory, or other
 * mounts, d_path() says what only they understand.
 */
static void of_file(struct iostat_fileinfo *file, const struct file *filp)
{
	/* That of the file of a layer is one of a mount of its own, which is in no namespace. */
	const struct path *path = file_user_path(filp);
	const struct dentry *dentry = path->dentry;
	struct iostat_walk walk __uninitialized, own __uninitialized;
	const char *point;

	file->fi_oflags = filp->f_flags;
	guard(rcu)();
	PUT_TEXT(file->fi_fs, dentry->d_sb->s_type->name);
	if (!iostat_may_walk())
		return put_without_path(file, dentry->d_sb);
	iostat_walk_dentry(&walk, dentry);
	iostat_walk_path(&own, path);
	point = iostat_mount_at(dentry->d_sb->s_dev, walk.text, own.text);
	if (likely(point)) {
		PUT_TEXT(file->fi_mount, point);
		return put_path(file, own.text, own.len);
	}
	add_mount(file, dentry->d_sb->s_dev, &walk);
	put_path(file, walk.text, walk.len);
}

/* A file that need not be open. In an RCU read-side critical section. */
static void of_inode(struct iostat_fileinfo *file, struct inode *inode)
{
	struct dentry *dentry;
	struct iostat_walk walk __uninitialized;

	PUT_TEXT(file->fi_fs, inode->i_sb->s_type->name);
	if (!iostat_may_walk())
		return put_without_path(file, inode->i_sb);
	spin_lock(&inode->i_lock);
	dentry = hlist_entry_safe(READ_ONCE(inode->i_dentry.first), struct dentry, d_alias);
	/* Its memory goes after a grace period. */
	spin_unlock(&inode->i_lock);
	if (!dentry)
		return put_without_path(file, inode->i_sb);
	iostat_walk_dentry(&walk, dentry);
	add_mount(file, inode->i_sb->s_dev, &walk);
	put_path(file, walk.text, walk.len);
}

/*
 * A block device: its node, unless what has claimed it reads or writes there. In an
 * RCU read-side critical section, which keeps the disk, whose name this is, but not
 * that of the struct device.
 */
static void of_block_device(struct iostat_fileinfo *file, const struct block_device *bdev)
{
	/* With the number of a partition. */
	char path[5 + DISK_NAME_LEN + 12];

	if (READ_ONCE(bdev->bd_holder)) {
		put_all(file, none, strlen(none));
		return;
	}
	PUT_TEXT(file->fi_fs, "bdev");
	PUT_TEXT(file->fi_mount, none);
	snprintf(path, sizeof(path), "/dev/%pg", bdev);
	put_path(file, path, strlen(path));
}

/* Memory that belongs to the page cache. */
static void of_page_cache(struct iostat_fileinfo *file, struct address_space *mapping, loff_t pos)
{
	struct inode *inode;

	guard(rcu)();
	file->fi_offset = pos;
	inode = READ_ONCE(mapping->host);
	if (!inode) {
		put_all(file, none, strlen(none));
	} else if (S_ISBLK(inode->i_mode)) {
		of_block_device(file, I_BDEV(inode));
	} else if (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode) || S_ISLNK(inode->i_mode)) {
		of_inode(file, inode);
	} else {
		/* The file system's own. */
		put_all(file, none, strlen(none));
	}
}

void iostat_fileinfo_of_cache(struct iostat_fileinfo *file, struct address_space *mapping,
			      loff_t pos)
{
	clear(file);
	if (mapping)
		of_page_cache(file, mapping, pos);
	else
		put_all(file, none, strlen(none));
}

void iostat_fileinfo_of_file(struct iostat_fileinfo *file, const struct file *filp, loff_t pos)
{
	clear(file);
	of_file(file, filp);
	file->fi_offset = pos;
}

/* Whether this mapping is that of the block device the file system of the file is on. */
static bool is_metadata_of(const struct address_space *mapping, const struct file *filp)
{
	const struct inode *host = READ_ONCE(mapping->host);

	return host && S_ISBLK(host->i_mode) &&
		I_BDEV((struct inode *)host) == file_inode(filp)->i_sb->s_bdev;
}

/*
 * Whether it is swapped out or in. Memory that has been swapped in may stay in the swap cache, and
 * may be used for direct I/O as any other.
 */
static bool is_swap(const struct bio *bio, const struct folio *folio)
{
	if (!folio_test_swapcache(folio))
		return false;
	return op_is_write(bio_op(bio)) ? bio->bi_opf & REQ_SWAP : !folio_test_uptodate(folio);
}

static u32 look(struct iostat_fileinfo *file, struct bio *bio, struct iostat_dio *dio)
{
	struct bio_vec bv = bio_iter_iovec(bio, bio->bi_iter);
	struct folio *folio = page_folio(bv.bv_page);
	struct address_space *mapping;
	const struct file *filp = NULL;
	const char *text;
	loff_t pos;

	/* The submitter may not hold the file whose memory it is: inodes go after a grace period. */
	guard(rcu)();
	if (is_swap(bio, folio)) {
		put_all(file, none, strlen(none));
		return IOSTAT_B_PAGEIO;
	}
	mapping = folio_mapping(folio);
	if (dio)
		filp = dio->iocb->ki_filp;
	if (mapping && !bio_flagged(bio, BIO_PAGE_PINNED) &&
	    (!filp || mapping == filp->f_mapping || is_metadata_of(mapping, filp))) {
		pos = folio_pos(folio) + folio_page_idx(folio, bv.bv_page) * PAGE_SIZE + bv.bv_offset;
		if (filp && mapping == filp->f_mapping) {
			of_file(file, filp);
			file->fi_offset = pos;
		} else {
			of_page_cache(file, mapping, pos);
		}
		return IOSTAT_B_PAGEIO;
	}
	if (filp && !(bio->bi_opf & REQ_META)) {
		of_file(file, filp);
		file->fi_offset = iostat_dio_offset(dio, bio);
	} else {
		/* Users' memory comes from direct I/O, though perhaps of another task. */
		text = folio_test_anon(folio) || bio_flagged(bio, BIO_PAGE_PINNED) ? unknown : none;
		put_all(file, text, strlen(text));
	}
	return IOSTAT_B_PHYS;
}

/* Whether a bio's memory is the page cache's or swap's. That of direct I/O is pinned. From any context. */
static bool is_cached(const struct bio *bio)
{
	struct bio_vec bv = bio_iter_iovec(bio, bio->bi_iter);
	struct folio *folio = page_folio(bv.bv_page);

	return !bio_flagged(bio, BIO_PAGE_PINNED) &&
		(folio_test_swapcache(folio) || folio_mapping(folio));
}

u32 iostat_fileinfo_of_bio(struct iostat_fileinfo *file, struct bio *bio, bool is_own)
{
	clear(file);
	if (!bio || !bio_has_data(bio)) {
		put_all(file, none, strlen(none));
		return 0;
	}
	/* By whom it is submitted is not known. */
	if (!in_task() || irqs_disabled() || softirq_count()) {
		put_all(file, unknown, strlen(unknown));
		return is_cached(bio) ? IOSTAT_B_PAGEIO : IOSTAT_B_PHYS;
	}
	return look(file, bio, is_own ? iostat_dio_current() : NULL);
}

static DEFINE_SPINLOCK(switch_lock);	/* whether work may be queued, and by whom it is wanted */
static bool is_open;
static int users;

/*
 * Hooks on functions come and go with tracepoints of the kernel's own, and this
 * is called when one of ours does: not with the same mutex held.
 */
static void hook(struct work_struct *work)
{
	static bool is_hooked;
	bool is_needed = READ_ONCE(is_open) && READ_ONCE(users);

	if (is_needed == is_hooked)
		return;
	is_hooked = is_needed;
	if (is_needed)
		iostat_dio_start();
	else
		iostat_dio_stop();
}

static DECLARE_WORK(work, hook);

/* Nothing here sleeps: a mutex of the tracepoints is held, and the caller may be anybody. */
static void switch_by(int more)
{
	guard(spinlock)(&switch_lock);
	bool was_used = users;

	WRITE_ONCE(users, users + more);
	/* The events are there before the module is ready, and when it has gone already. */
	if (!is_open || was_used == !!users)
		return;
	iostat_mounts_switch(users);
	queue_work(system_dfl_wq, &work);
}

void iostat_fileinfo_get(void)
{
	switch_by(1);
}

void iostat_fileinfo_put(void)
{
	switch_by(-1);
}

void iostat_fileinfo_settle(void)
{
	flush_work(&work);
	iostat_mounts_wait();
}

void iostat_fileinfo_open(void)
{
	guard(spinlock)(&switch_lock);
	WRITE_ONCE(is_open, true);
	if (users) {
		iostat_mounts_switch(true);
		queue_work(system_dfl_wq, &work);
	}
}

void iostat_fileinfo_close(void)
{
	scoped_guard(spinlock, &switch_lock)
		WRITE_ONCE(is_open, false);
	queue_work(system_dfl_wq, &work);
	flush_work(&work);
	iostat_mounts_close();
}
