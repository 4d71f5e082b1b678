// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for the lock of a folio that is not being read. The lock is taken first, and a work item releases it a tenth of a
 * second later. Programs wait so only if two of them use a folio at the same moment. The device is the module's parameter.
 */

#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/workqueue.h>

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "Path of a block device");

static struct folio *contended;

static void unlock(struct work_struct *work)
{
	folio_unlock(contended);
}

static DECLARE_DELAYED_WORK(unlocking, unlock);

static int __init contended_folio_init(void)
{
	struct file *file = bdev_file_open_by_path(device, BLK_OPEN_READ, NULL, NULL);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	contended = read_mapping_folio(file->f_mapping, 0, NULL);
	if (IS_ERR(contended)) {
		bdev_fput(file);
		return PTR_ERR(contended);
	}
	folio_lock(contended);
	schedule_delayed_work(&unlocking, HZ / 10);
	folio_lock(contended);
	schedule_delayed_work(&unlocking, HZ / 10);
	ret = folio_lock_killable(contended);
	if (!ret)
		folio_unlock(contended);
	flush_delayed_work(&unlocking);
	folio_put(contended);
	bdev_fput(file);
	return ret;
}

static void __exit contended_folio_exit(void)
{
}

module_init(contended_folio_init);
module_exit(contended_folio_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Waits for the lock of a folio that is not being read");
