// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/peek.h. In C, since the functions that read without a fault are macros.
 */

#include <iostat/peek.h>
#include <linux/blk-mq.h>
#include <linux/uaccess.h>

bool iostat_peek_request(u64 address, struct iostat_peeked *peeked)
{
	const struct request *rq = (const struct request *)(unsigned long)address;
	struct request_queue *queue;
	struct gendisk *disk;
	unsigned int bytes;
	sector_t sector;
	blk_opf_t opf;

	if (get_kernel_nofault(queue, &rq->q) || get_kernel_nofault(disk, &queue->disk) ||
	    get_kernel_nofault(opf, &rq->cmd_flags) || get_kernel_nofault(bytes, &rq->__data_len) ||
	    get_kernel_nofault(sector, &rq->__sector))
		return false;
	peeked->disk = (unsigned long)disk;
	peeked->sector = sector;
	peeked->bytes = bytes;
	peeked->op = (__force u32)(opf & REQ_OP_MASK);
	return true;
}

bool iostat_peek_bio(u64 address, struct iostat_peeked *peeked)
{
	const struct bio *bio = (const struct bio *)(unsigned long)address;
	struct block_device *bdev;
	struct gendisk *disk;
	unsigned int bytes;
	sector_t sector;
	blk_opf_t opf;

	if (get_kernel_nofault(bdev, &bio->bi_bdev) || get_kernel_nofault(disk, &bdev->bd_disk) ||
	    get_kernel_nofault(opf, &bio->bi_opf) || get_kernel_nofault(bytes, &bio->bi_iter.bi_size) ||
	    get_kernel_nofault(sector, &bio->bi_iter.bi_sector))
		return false;
	peeked->disk = (unsigned long)disk;
	peeked->sector = sector;
	peeked->bytes = bytes;
	peeked->op = (__force u32)(opf & REQ_OP_MASK);
	return true;
}
