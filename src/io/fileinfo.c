// SPDX-License-Identifier: GPL-2.0
/*
 * The file that a bio belongs to: the one that its task does direct I/O with, or
 * else the one whose page cache the memory of the bio belongs to.
 *
 * The submitter of a bio holds references to all that is read here. This code takes
 * none: dropping the last reference to an object must not happen inside an I/O.
 */

#include <iostat/dio.h>
#include <iostat/file_texts.h>
#include <iostat/fileinfo.h>
#include <iostat/mounts.h>
#include <iostat/recent.h>
#include <linux/backing-dev.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

static const char none[] = "<none>", unknown[] = "<unknown>";

/* For memory that belongs to the page cache. */
static void of_page_cache(struct iostat_io *io, struct address_space *mapping, loff_t pos)
{
	struct inode *inode;

	guard(rcu)();
	inode = READ_ONCE(mapping->host);
	if (!inode) {
		iostat_fileinfo_none(io, none);
	} else if (S_ISBLK(inode->i_mode)) {
		iostat_file_texts_of_bdev(io, I_BDEV(inode), pos);
	} else if (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode) || S_ISLNK(inode->i_mode)) {
		iostat_file_texts_of_inode(io, inode);
		io->file.fi_offset = pos;
	} else {
		/* An inode that the file system uses internally. */
		iostat_fileinfo_none(io, none);
	}
}

void iostat_fileinfo_of_cache(struct iostat_io *io, struct address_space *mapping,
			      loff_t pos)
{
	if (mapping)
		of_page_cache(io, mapping, pos);
	else
		iostat_fileinfo_none(io, none);
}

void iostat_fileinfo_of_file(struct iostat_io *io, const struct file *filp, loff_t pos)
{
	guard(rcu)();
	iostat_file_texts(io, filp);
	io->file.fi_offset = pos;
}

/* Whether a mapping is that of the block device that the file system of an open file is on. */
static bool is_metadata_of(const struct address_space *mapping, const struct file *filp)
{
	const struct inode *host = READ_ONCE(mapping->host);

	return host && S_ISBLK(host->i_mode) &&
		I_BDEV((struct inode *)host) == file_inode(filp)->i_sb->s_bdev;
}

/*
 * Whether a bio reads into a cache: the page cache, or the swap cache. Memory of a process that direct I/O reads into is up to
 * date, if it is in one of them.
 */
static bool is_cache_read(const struct bio *bio, const struct folio *folio)
{
	return !op_is_write(bio_op(bio)) && !folio_test_uptodate(folio);
}

/*
 * Whether a folio is being swapped out or in. Memory that has been swapped in may stay in the swap cache, and
 * direct I/O may use it as any other memory.
 */
static bool is_swap(const struct bio *bio, const struct folio *folio)
{
	if (!folio_test_swapcache(folio))
		return false;
	return op_is_write(bio_op(bio)) ? bio->bi_opf & REQ_SWAP : is_cache_read(bio, folio);
}

/*
 * Returns the mapping of a folio that is in the page cache of a device, or of a file system with storage. Memory that
 * processes share (shmem, memfd, hugetlbfs) is in a page cache as well; if it is part of an I/O, it is that of direct I/O.
 * The caller holds the RCU read lock.
 */
static struct address_space *stored_mapping(const struct folio *folio)
{
	struct address_space *mapping = folio_mapping(folio);
	const struct inode *host = mapping ? READ_ONCE(mapping->host) : NULL;

	if (host && !S_ISBLK(host->i_mode) && host->i_sb->s_bdi == &noop_backing_dev_info)
		return NULL;
	return mapping;
}

static u32 look(struct iostat_io *io, struct bio *bio, struct iostat_dio *dio)
{
	struct bio_vec bv = bio_iter_iovec(bio, bio->bi_iter);
	struct folio *folio = page_folio(bv.bv_page);
	struct address_space *mapping;
	const struct file *filp = NULL;
	const char *text;
	loff_t pos;

	/* The submitter need not hold the file that the memory belongs to: inodes are freed after a grace period. */
	guard(rcu)();
	if (is_swap(bio, folio)) {
		iostat_fileinfo_none(io, none);
		return IOSTAT_B_PAGEIO;
	}
	mapping = stored_mapping(folio);
	if (dio)
		filp = dio->iocb->ki_filp;
	if (mapping && !bio_flagged(bio, BIO_PAGE_PINNED) &&
	    (!filp || mapping == filp->f_mapping || is_metadata_of(mapping, filp) ||
	     (dio->is_user && is_cache_read(bio, folio)))) {
		pos = folio_pos(folio) + folio_page_idx(folio, bv.bv_page) * PAGE_SIZE + bv.bv_offset;
		if (filp && mapping == filp->f_mapping) {
			iostat_file_texts(io, filp);
			io->file.fi_offset = pos;
		} else {
			of_page_cache(io, mapping, pos);
		}
		return IOSTAT_B_PAGEIO;
	}
	if (filp && !(bio->bi_opf & REQ_META)) {
		iostat_file_texts(io, filp);
		io->file.fi_offset = iostat_dio_offset(dio, bio);
	} else {
		/* User memory is that of direct I/O, perhaps of another task. */
		text = folio_test_anon(folio) || folio_mapping(folio) != mapping ||
		       bio_flagged(bio, BIO_PAGE_PINNED) ? unknown : none;
		iostat_fileinfo_none(io, text);
	}
	return IOSTAT_B_PHYS;
}

static bool look_for_sync_call(struct iostat_io *io, const struct bio *bio, bool is_start)
{
	loff_t pos;
	const struct file *filp = iostat_dio_sync_file(bio, is_start, &pos);

	if (filp)
		iostat_fileinfo_of_file(io, filp, pos);
	return filp;
}

/* Whether a bio's memory belongs to the page cache or to swap. That of direct I/O is pinned. Any context. */
static bool is_cached(const struct bio *bio)
{
	struct bio_vec bv = bio_iter_iovec(bio, bio->bi_iter);
	struct folio *folio = page_folio(bv.bv_page);

	guard(rcu)();
	return !bio_flagged(bio, BIO_PAGE_PINNED) &&
		(folio_test_swapcache(folio) || stored_mapping(folio));
}

u32 iostat_fileinfo_of_bio(struct iostat_io *io, struct bio *bio, bool is_own,
			   bool is_start)
{
	if (!bio || !bio_has_data(bio)) {
		iostat_fileinfo_none(io, none);
		return 0;
	}
	/* The current task need not be the submitter. */
	if (!in_task() || irqs_disabled() || softirq_count()) {
		iostat_fileinfo_none(io, unknown);
		return is_cached(bio) ? IOSTAT_B_PAGEIO : IOSTAT_B_PHYS;
	}
	if (is_own && look_for_sync_call(io, bio, is_start))
		return IOSTAT_B_PHYS;
	return look(io, bio, is_own ? iostat_dio_current() : NULL);
}

static DEFINE_SPINLOCK(switch_lock);	/* protects is_open and users */
static bool is_open;
static int users;

/*
 * Hooking functions takes the tracepoints' mutex, which is held when an event is
 * enabled or disabled. So a work item does it.
 */
static void hook(struct work_struct *work)
{
	static bool is_hooked;
	bool is_needed = READ_ONCE(is_open) && READ_ONCE(users);

	if (is_needed == is_hooked)
		return;
	is_hooked = is_needed;
	if (is_needed) {
		iostat_recent_open();
		iostat_dio_start();
	} else {
		iostat_dio_stop();
	}
}

static DECLARE_WORK(work, hook);

/* Does not sleep: the tracepoints' mutex is held, and the caller may be any user. */
static void switch_by(int more)
{
	guard(spinlock)(&switch_lock);
	bool was_used = users;

	WRITE_ONCE(users, users + more);
	/* The events exist before the module is ready, and while it is being unloaded. */
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
	iostat_recent_close();
}
