// SPDX-License-Identifier: GPL-2.0
/*
 * A disk whose bios end after it was removed: a write to the parameter "remove" removes it, and then ends them. Requests end
 * before that, as del_gendisk() waits for them before it removes the device.
 */

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>

#define SECTORS 2048

static struct gendisk *disk;
static struct bio_list held = BIO_EMPTY_LIST;
static DEFINE_SPINLOCK(held_lock);

static void submit(struct bio *bio)
{
	guard(spinlock_irqsave)(&held_lock);
	bio_list_add(&held, bio);
}

static const struct block_device_operations disk_ops = {
	.owner = THIS_MODULE,
	.submit_bio = submit,
};

static void end_all(void)
{
	struct bio *bio;

	scoped_guard(spinlock_irqsave, &held_lock)
		bio = bio_list_get(&held);
	while (bio) {
		struct bio *next = bio->bi_next;

		bio->bi_next = NULL;
		bio_endio(bio);
		bio = next;
	}
}

static int remove_disk(const char *value, const struct kernel_param *param)
{
	if (!disk || !disk_live(disk))
		return -ENODEV;
	del_gendisk(disk);
	end_all();
	return 0;
}

static const struct kernel_param_ops remove_ops = { .set = remove_disk };

module_param_cb(remove, &remove_ops, NULL, 0200);
MODULE_PARM_DESC(remove, "removes the disk, and ends its bios");

static int __init late_disk_init(void)
{
	struct queue_limits limits = { .logical_block_size = SECTOR_SIZE };
	int ret;

	disk = blk_alloc_disk(&limits, NUMA_NO_NODE);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->fops = &disk_ops;
	disk->flags |= GENHD_FL_NO_PART;
	strscpy(disk->disk_name, "late");
	set_capacity(disk, SECTORS);
	ret = add_disk(disk);
	if (ret)
		put_disk(disk);
	return ret;
}

static void __exit late_disk_exit(void)
{
	if (disk_live(disk))
		del_gendisk(disk);
	put_disk(disk);
}

module_init(late_disk_init);
module_exit(late_disk_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A disk whose bios end after it was removed");
