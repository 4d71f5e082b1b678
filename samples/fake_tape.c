// SPDX-License-Identifier: GPL-2.0
/*
 * A tape drive that does not exist. It shows how a driver provides an entry of devstat(9), event
 * counters and a kstat: writing a number to the parameter "write" writes that many blocks.
 *
 *	insmod fake_tape.ko
 *	echo 10 >/sys/module/fake_tape/parameters/write
 *	[ -c /dev/iostat ] && exec 3<>/dev/iostat
 *	echo @evcnt_list >&3; cat <&3
 *	cat /sys/class/misc/iostat/devstat/fake_tape0/stat
 *	echo "@kstat fake_tape::queue" >&3; cat <&3
 */

#include <iostat/devstat.h>
#include <iostat/evcnt.h>
#include <iostat/kstat.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define BLOCKS_TO_A_FILE 4
#define BLOCK_BYTES 10240

/* Static counters: a parent, and the files on the tape. */
static struct evcnt tape = EVCNT_INITIALIZER(EVCNT_TYPE_MISC, NULL, "fake_tape", "motions");
static struct evcnt filemarks =
	EVCNT_INITIALIZER(EVCNT_TYPE_MISC, &tape, "fake_tape", "filemarks");
/* Attached when the drive is found. */
static struct evcnt blocks;
static struct evcnt interrupts;
static struct devstat *drive;
/* The queue of blocks. It changes only where the driver may sleep. */
static DEFINE_MUTEX(queue_lock);
static kstat_t *queue;

/* Puts transactions into the wait queue. */
static void accept(unsigned int count)
{
	mutex_lock(&queue_lock);
	while (count--)
		kstat_waitq_enter(KSTAT_IO_PTR(queue));
	mutex_unlock(&queue_lock);
}

/* The drive executes one transaction at a time. */
static void transaction(u64 bytes, devstat_trans_flags flags)
{
	kstat_io_t *kiop = KSTAT_IO_PTR(queue);
	u64 then, now;

	mutex_lock(&queue_lock);
	kstat_waitq_to_runq(kiop);
	mutex_unlock(&queue_lock);

	then = devstat_now();
	devstat_start_transaction(drive, &then);
	udelay(1);
	now = devstat_now();
	devstat_end_transaction(drive, bytes, DEVSTAT_TAG_NONE, flags, &now, &then);

	mutex_lock(&queue_lock);
	kstat_runq_exit(kiop);
	if (flags == DEVSTAT_WRITE) {
		kiop->nwritten += bytes;
		kiop->writes++;
	}
	mutex_unlock(&queue_lock);
}

static int write_blocks(const char *val, const struct kernel_param *kp)
{
	unsigned int count, block;
	int ret = kstrtouint(val, 0, &count);

	if (ret)
		return ret;
	/* A parameter may be used before init and after exit. */
	if (IS_ERR_OR_NULL(drive))
		return -ENODEV;
	accept(count);
	for (block = 1; block <= count; block++) {
		evcnt_inc(&blocks);
		transaction(BLOCK_BYTES, DEVSTAT_WRITE);
		if (block % BLOCKS_TO_A_FILE == 0) {
			evcnt_inc(&filemarks);
			accept(1);
			transaction(0, DEVSTAT_NO_DATA);
		}
	}
	/* There is one interrupt for all blocks. */
	evcnt_inc(&interrupts);
	return 0;
}

static const struct kernel_param_ops write_ops = { .set = write_blocks };

module_param_cb(write, &write_ops, NULL, 0200);
MODULE_PARM_DESC(write, "Write this number of blocks");

static int read_total(char *buffer, const struct kernel_param *kp)
{
	if (IS_ERR_OR_NULL(drive))
		return -ENODEV;
	return sysfs_emit(buffer, "%llu\n", evcnt_read_total(&tape));
}

static const struct kernel_param_ops motions_ops = { .get = read_total };

module_param_cb(motions, &motions_ops, NULL, 0444);
MODULE_PARM_DESC(motions, "Blocks and filemarks written");

static int __init fake_tape_init(void)
{
	int ret;

	/* Parents first. */
	ret = evcnt_attach_static(&tape);
	if (ret)
		return ret;
	ret = evcnt_attach_static(&filemarks);
	if (ret)
		goto detach_tape;
	ret = evcnt_attach_dynamic(&blocks, EVCNT_TYPE_MISC, &tape, "fake_tape", "blocks");
	if (ret)
		goto detach_filemarks;
	ret = evcnt_attach_dynamic(&interrupts, EVCNT_TYPE_INTR, NULL, "fake_tape", "intr");
	if (ret)
		goto detach_blocks;
	ret = -ENOMEM;
	queue = kstat_create("fake_tape", 0, "queue", "tape", KSTAT_TYPE_IO, 1, 0);
	if (!queue)
		goto detach_interrupts;
	queue->ks_lock = &queue_lock;
	ret = kstat_install(queue);
	if (ret)
		goto delete_queue;
	/* Last: write_blocks() may run from here on, and uses the rest. */
	drive = devstat_new_entry("fake_tape", 0, BLOCK_BYTES, DEVSTAT_NO_ORDERED_TAGS,
				  DEVSTAT_TYPE_SEQUENTIAL | DEVSTAT_TYPE_IF_SCSI,
				  DEVSTAT_PRIORITY_TAPE);
	if (IS_ERR(drive)) {
		ret = PTR_ERR(drive);
		goto delete_queue;
	}
	return 0;

delete_queue:
	kstat_delete(queue);
detach_interrupts:
	evcnt_detach(&interrupts);
detach_blocks:
	evcnt_detach(&blocks);
detach_filemarks:
	evcnt_detach(&filemarks);
detach_tape:
	evcnt_detach(&tape);
	return ret;
}

static void __exit fake_tape_exit(void)
{
	/* Waits until write_blocks() and read_total() are done. */
	kernel_param_lock(THIS_MODULE);
	devstat_remove_entry(drive);
	drive = NULL;
	kernel_param_unlock(THIS_MODULE);
	kstat_delete(queue);
	/* Parents last. */
	evcnt_detach(&interrupts);
	evcnt_detach(&blocks);
	evcnt_detach(&filemarks);
	evcnt_detach(&tape);
}

module_init(fake_tape_init);
module_exit(fake_tape_exit);

MODULE_DESCRIPTION("A sample client of iostat in C");
MODULE_LICENSE("GPL");
