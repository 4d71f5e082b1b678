// SPDX-License-Identifier: GPL-2.0
/*
 * Calls the function that waits for a buffer, with one whose I/O has ended. Those who call it look at the buffer
 * before, so that it happens only if the I/O ends in between. The device is the module's parameter.
 */

#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/module.h>

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "Path of a block device");

static int __init unlocked_buffer_init(void)
{
	struct file *file = bdev_file_open_by_path(device, BLK_OPEN_READ, NULL, NULL);
	struct buffer_head *bh;

	if (IS_ERR(file))
		return PTR_ERR(file);
	bh = __bread(file_bdev(file), 0, PAGE_SIZE);
	if (bh)
		__wait_on_buffer(bh);
	brelse(bh);
	bdev_fput(file);
	return bh ? 0 : -EIO;
}

static void __exit unlocked_buffer_exit(void)
{
}

module_init(unlocked_buffer_init);
module_exit(unlocked_buffer_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A wait for a buffer whose I/O has ended");
