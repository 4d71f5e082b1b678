// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that ends each request in two parts: the first sector fails, and the others succeed. No driver in the kernel
 * of the guest tests does that, but the block layer allows it.
 */

#include <linux/blk-mq.h>
#include <linux/module.h>

#define SECTORS 2048

static struct blk_mq_tag_set tags;
static struct gendisk *disk;

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *bd)
{
	struct request *rq = bd->rq;

	blk_mq_start_request(rq);
	if (!blk_update_request(rq, BLK_STS_IOERR, SECTOR_SIZE) ||
	    !blk_update_request(rq, BLK_STS_OK, blk_rq_bytes(rq)))
		__blk_mq_end_request(rq, BLK_STS_OK);
	return BLK_STS_OK;
}

static const struct blk_mq_ops ops = { .queue_rq = queue_rq };

static const struct block_device_operations disk_ops = { .owner = THIS_MODULE };

static int __init parts_disk_init(void)
{
	struct queue_limits limits = { .logical_block_size = SECTOR_SIZE };
	int ret;

	tags.ops = &ops;
	tags.nr_hw_queues = 1;
	tags.queue_depth = 1;
	tags.numa_node = NUMA_NO_NODE;
	ret = blk_mq_alloc_tag_set(&tags);
	if (ret)
		return ret;
	disk = blk_mq_alloc_disk(&tags, &limits, NULL);
	if (IS_ERR(disk)) {
		ret = PTR_ERR(disk);
		goto free_tags;
	}
	disk->fops = &disk_ops;
	disk->flags |= GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "parts");
	set_capacity(disk, SECTORS);
	ret = add_disk(disk);
	if (ret)
		goto put_disk;
	return 0;

put_disk:
	put_disk(disk);
free_tags:
	blk_mq_free_tag_set(&tags);
	return ret;
}

static void __exit parts_disk_exit(void)
{
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&tags);
}

module_init(parts_disk_init);
module_exit(parts_disk_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A disk whose requests fail in part");
