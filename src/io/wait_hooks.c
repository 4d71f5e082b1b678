// SPDX-License-Identifier: GPL-2.0
/*
 * The functions in which the kernel waits for I/O, and what is known of the I/O
 * from their arguments.
 *
 * A hook is on the innermost function that still has the I/O as its argument, so that a wait is one
 * event: folio_wait_writeback() and others wait in folio_wait_bit(). Two hooked functions have no such
 * argument. For blk_io_schedule(), dio.c has the call of direct I/O. Readers of the page cache wait in
 * io_schedule(), which folio_wait_bit_common() calls, and that cannot be hooked: so their callers,
 * filemap_get_pages() and do_read_cache_folio(), are hooked as well. These are "calls" here, and are
 * traced only if they wait.
 *
 * The thread holds a reference to the argument of the function, and to nothing else
 * that is read here. But preemption is disabled, which is an RCU read-side critical
 * section, and inodes, super blocks, block devices and disks are freed after a grace
 * period. A folio is not, so no folio is read but one that is an argument.
 */

#include <iostat/compat.h>
#include <iostat/dio.h>
#include <iostat/fileinfo.h>
#include <iostat/tasks.h>
#include <iostat/wait_hooks.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/pagemap.h>
#include <linux/uio.h>
#include <linux/xarray.h>

#define ARG(regs, n, type)	((type)iostat_function_argument(regs, n))

#define CALLS_BITS	10
#define CALLS_WINDOW	8

static struct call calls[1 << CALLS_BITS];

void iostat_calls_reset(void)
{
	memset(calls, 0, sizeof(calls));
}

struct call *iostat_call_claim(void)
{
	return iostat_task_claim(calls, sizeof(*calls), CALLS_BITS, CALLS_WINDOW);
}

struct call *iostat_call_find(void)
{
	return iostat_task_find(calls, sizeof(*calls), CALLS_BITS, CALLS_WINDOW);
}

static void describe_device(struct iostat_wait *wait, struct block_device *bdev)
{
	wait->bdev = bdev;
	wait->io.buf.b_edev = bdev ? bdev->bd_dev : 0;
}

/* Describes a wait for data of an inode. Its sector is not known here. */
static void describe_inode(struct iostat_wait *wait, struct inode *inode)
{
	wait->io.buf.b_lblkno = ~0ULL;
	if (!inode)
		return describe_device(wait, NULL);
	if (S_ISBLK(inode->i_mode))
		return describe_device(wait, I_BDEV(inode));
	describe_device(wait, inode->i_sb->s_bdev);
	if (!wait->bdev)
		wait->io.buf.b_edev = inode->i_sb->s_dev;
}

static bool describe_bio(struct iostat_wait *wait, struct ftrace_regs *regs, unsigned long ret_ip)
{
	struct bio *bio = ARG(regs, 0, struct bio *);

	describe_device(wait, bio->bi_bdev);
	wait->io.buf.b_lblkno = bio->bi_iter.bi_sector;
	wait->io.buf.b_bcount = bio->bi_iter.bi_size;
	wait->op = bio_op(bio);
	wait->io.buf.b_flags = iostat_fileinfo_of_bio(&wait->io, bio, true, false);
	return true;
}

static bool describe_request(struct iostat_wait *wait, struct ftrace_regs *regs,
			     unsigned long ret_ip)
{
	struct request *rq = ARG(regs, 0, struct request *);
	struct gendisk *disk = READ_ONCE(rq->q->disk);

	describe_device(wait, disk ? disk->part0 : NULL);
	wait->io.buf.b_lblkno = ~0ULL;
	wait->io.buf.b_bcount = blk_rq_bytes(rq);
	wait->op = req_op(rq);
	wait->io.buf.b_flags = iostat_fileinfo_of_bio(&wait->io, rq->bio, true, false);
	return true;
}

static bool describe_buffer(struct iostat_wait *wait, struct ftrace_regs *regs,
			    unsigned long ret_ip)
{
	struct buffer_head *bh = ARG(regs, 0, struct buffer_head *);
	struct address_space *mapping;

	if (!buffer_locked(bh))
		return false;
	describe_device(wait, bh->b_bdev);
	wait->io.buf.b_lblkno = bh->b_blocknr * (bh->b_size >> SECTOR_SHIFT);
	wait->io.buf.b_bcount = bh->b_size;
	/* jbd2 has copies in memory of kmalloc(): a slab has no mapping. */
	mapping = folio_mapping(bh->b_folio);
	iostat_fileinfo_of_cache(&wait->io, mapping,
				 mapping ? folio_pos(bh->b_folio) + bh_offset(bh) : -1);
	wait->io.buf.b_flags = IOSTAT_B_PAGEIO;
	wait->op = buffer_uptodate(bh) ? REQ_OP_WRITE : REQ_OP_READ;
	return true;
}

static bool is_read(struct folio *folio)
{
	return folio_test_locked(folio) && !folio_test_uptodate(folio);
}

static bool describe_folio(struct iostat_wait *wait, struct folio *folio, int bit)
{
	struct address_space *mapping;
	struct inode *inode;

	if (bit == PG_writeback && folio_test_writeback(folio))
		wait->op = REQ_OP_WRITE;
	else if (bit == PG_locked && is_read(folio))
		wait->op = REQ_OP_READ;
	else
		return false;
	mapping = READ_ONCE(folio->mapping);
	/* Anonymous memory, or a folio that has just been truncated. */
	if ((unsigned long)mapping & FOLIO_MAPPING_FLAGS)
		mapping = NULL;
	inode = mapping ? READ_ONCE(mapping->host) : NULL;
	describe_inode(wait, inode);
	iostat_fileinfo_of_cache(&wait->io, mapping, folio_pos(folio));
	wait->io.buf.b_flags = IOSTAT_B_PAGEIO;
	if (inode && S_ISBLK(inode->i_mode))
		wait->io.buf.b_lblkno = folio_pos(folio) >> SECTOR_SHIFT;
	wait->io.buf.b_bcount = folio_size(folio);
	return true;
}

static bool describe_folio_bit(struct iostat_wait *wait, struct ftrace_regs *regs,
			       unsigned long ret_ip)
{
	return describe_folio(wait, ARG(regs, 0, struct folio *), ARG(regs, 1, int));
}

static bool describe_folio_lock(struct iostat_wait *wait, struct ftrace_regs *regs,
				unsigned long ret_ip)
{
	return describe_folio(wait, ARG(regs, 0, struct folio *), PG_locked);
}

/* struct xfs_buf is private to xfs. */
static bool describe_xfs_buffer(struct iostat_wait *wait, struct ftrace_regs *regs,
				unsigned long ret_ip)
{
	describe_inode(wait, NULL);
	iostat_fileinfo_none(&wait->io, "<none>");
	wait->io.buf.b_flags = IOSTAT_B_PAGEIO;
	return true;
}

/* Describes a wait for a part of a file. Its file is not known here. */
static void describe_range(struct iostat_wait *wait, const struct address_space *mapping, loff_t pos,
			   size_t bytes)
{
	struct inode *inode = READ_ONCE(mapping->host);

	describe_inode(wait, inode);
	if (inode && S_ISBLK(inode->i_mode))
		wait->io.buf.b_lblkno = pos >> SECTOR_SHIFT;
	wait->io.buf.b_bcount = min_t(size_t, bytes, U32_MAX);
}

/* Describes direct I/O of several bios, or by fs/iomap. */
static bool describe_direct(struct iostat_wait *wait, struct ftrace_regs *regs,
			    unsigned long ret_ip)
{
	const struct iostat_dio *dio = iostat_dio_current();
	const struct file *filp;

	if (!dio)
		return false;
	filp = dio->iocb->ki_filp;
	describe_range(wait, filp->f_mapping, dio->pos, dio->bytes);
	wait->op = dio->is_write ? REQ_OP_WRITE : REQ_OP_READ;
	wait->io.buf.b_flags = IOSTAT_B_PHYS;
	iostat_fileinfo_of_file(&wait->io, filp, dio->pos);
	return true;
}

/* kallsyms returns the start and size of a function as text only. They are stored, so that later calls only compare. */
static bool is_in_folio_wait(unsigned long ip)
{
	static unsigned long start, size;
	char text[KSYM_SYMBOL_LEN];
	/*
	 * The size is read first: a thread that sees it also sees the start. Pairs with the release
	 * below.
	 */
	unsigned long offset, bytes = smp_load_acquire(&size);

	if (bytes)
		return ip - READ_ONCE(start) < bytes;
	sprint_symbol(text, ip);
	if (sscanf(text, "folio_wait_bit_common+0x%lx/0x%lx", &offset, &bytes) != 2)
		return false;
	/* All threads store the same values. */
	WRITE_ONCE(start, ip - offset);
	/* Pairs with the acquire above. */
	smp_store_release(&size, bytes);
	return true;
}

/* Describes a reader of the page cache that waits for read-ahead. It has dropped its reference to the folio. */
static bool describe_read(struct iostat_wait *wait, struct ftrace_regs *regs, unsigned long ret_ip)
{
	const struct call *call = iostat_call_find();
	size_t bytes;
	loff_t pos;

	if (!call || call->in_folio || !is_in_folio_wait(ret_ip))
		return false;
	/* The folio may be freed at any moment, but the page cache has its size as well. */
	bytes = PAGE_SIZE << xa_get_order(&call->mapping->i_pages, call->pos >> PAGE_SHIFT);
	/* The reader waits for the whole folio. */
	pos = round_down(call->pos, bytes);
	describe_range(wait, call->mapping, pos, bytes);
	wait->io.buf.b_flags = IOSTAT_B_PAGEIO;
	if (call->filp)
		iostat_fileinfo_of_file(&wait->io, call->filp, pos);
	else
		iostat_fileinfo_of_cache(&wait->io, call->mapping, pos);
	return true;
}

static void enter_get_pages(struct call *call, struct ftrace_regs *regs)
{
	const struct kiocb *iocb = ARG(regs, 0, struct kiocb *);

	call->filp = iocb->ki_filp;
	call->mapping = iocb->ki_filp->f_mapping;
	call->pos = iocb->ki_pos;
}

static void enter_read_cache(struct call *call, struct ftrace_regs *regs)
{
	call->filp = NULL;
	call->mapping = ARG(regs, 0, struct address_space *);
	call->pos = ARG(regs, 1, loff_t) << PAGE_SHIFT;
}

/* Hooks of calls come before those of the waits in them. */
struct hook iostat_wait_hooks[] = {
	{ { "filemap_get_pages" }, .enter = enter_get_pages },
	{ { "do_read_cache_folio" }, .enter = enter_read_cache },
	{ { "blk_io_schedule" }, describe_direct },
	{ { "io_schedule" }, describe_read },
	{ { IOSTAT_BIO_AWAIT }, describe_bio },
	{ { "blk_execute_rq" }, describe_request },
	{ { "__wait_on_buffer" }, describe_buffer },
	{ { "xfs_buf_iowait" }, describe_xfs_buffer, .module = "xfs" },
	{ { "folio_wait_bit" }, describe_folio_bit, .is_of_folio = true },
	{ { "folio_wait_bit_killable" }, describe_folio_bit, .is_of_folio = true },
	{ { "__folio_lock" }, describe_folio_lock, .is_of_folio = true },
	{ { "__folio_lock_killable" }, describe_folio_lock, .is_of_folio = true },
};

const unsigned int iostat_nr_wait_hooks = ARRAY_SIZE(iostat_wait_hooks);
