// SPDX-License-Identifier: GPL-2.0
/*
 * A drum memory that does not exist. It shows how a driver provides kstats: writing a number to
 * the parameter "read" reads that many tracks, one after another, in 20 ms each.
 *
 *	insmod fake_drum.ko
 *	echo 3 >/sys/module/fake_drum/parameters/read
 *	[ -c /dev/iostat ] && exec 3<>/dev/iostat
 *	echo @kstat fake_drum >&3; cat <&3
 */

#include <iostat/kstat.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define TRACK_BYTES 4096

/* The queues change in any context, the other statistics where the driver may sleep. */
static DEFINE_SPINLOCK(io_lock);
static DEFINE_MUTEX(drum_lock);

static kstat_t *io;
static kstat_t *drum;
static unsigned int rpm = 3000;
static unsigned long revolutions;

enum { MODEL, RPM, REVOLUTIONS, STATISTICS };

/* Copies the current values before a read. A write is refused. */
static int drum_update(kstat_t *ksp, int rw)
{
	kstat_named_t *named = KSTAT_NAMED_PTR(ksp);

	if (rw == KSTAT_WRITE)
		return -EACCES;
	named[RPM].value.ui32 = rpm;
	named[REVOLUTIONS].value.ul = revolutions;
	return 0;
}

static void read_track(void)
{
	kstat_io_t *kiop = KSTAT_IO_PTR(io);
	unsigned long flags;

	spin_lock_irqsave(&io_lock, flags);
	kstat_waitq_to_runq(kiop);
	spin_unlock_irqrestore(&io_lock, flags);

	msleep(60 * MSEC_PER_SEC / rpm);

	spin_lock_irqsave(&io_lock, flags);
	kstat_runq_exit(kiop);
	kiop->nread += TRACK_BYTES;
	kiop->reads++;
	spin_unlock_irqrestore(&io_lock, flags);

	mutex_lock(&drum_lock);
	revolutions++;
	mutex_unlock(&drum_lock);
}

static int read_tracks(const char *val, const struct kernel_param *kp)
{
	unsigned int count, track;
	unsigned long flags;
	int ret = kstrtouint(val, 0, &count);

	if (ret)
		return ret;
	/* A parameter may be set before init and after exit. */
	if (!io)
		return -ENODEV;
	/* All tracks enter the wait queue at the same time. */
	spin_lock_irqsave(&io_lock, flags);
	for (track = 0; track < count; track++)
		kstat_waitq_enter(KSTAT_IO_PTR(io));
	spin_unlock_irqrestore(&io_lock, flags);
	for (track = 0; track < count; track++)
		read_track();
	return 0;
}

static const struct kernel_param_ops read_ops = { .set = read_tracks };

static int __init fake_drum_init(void)
{
	int ret;

	io = kstat_create("fake_drum", 0, NULL, "disk", KSTAT_TYPE_IO, 1, 0);
	if (!io)
		return -ENOMEM;
	io->ks_spinlock = &io_lock;
	ret = kstat_install(io);
	if (ret)
		goto delete_io;

	ret = -ENOMEM;
	drum = kstat_create("fake_drum", 0, "geometry", "misc", KSTAT_TYPE_NAMED, STATISTICS, 0);
	if (!drum)
		goto delete_io;
	kstat_named_init(KSTAT_NAMED_PTR(drum) + MODEL, "model", KSTAT_DATA_STRING);
	kstat_named_init(KSTAT_NAMED_PTR(drum) + RPM, "rpm", KSTAT_DATA_UINT32);
	kstat_named_init(KSTAT_NAMED_PTR(drum) + REVOLUTIONS, "revolutions", KSTAT_DATA_ULONG);
	kstat_named_setstr(KSTAT_NAMED_PTR(drum) + MODEL, "ERA 1101");
	drum->ks_update = drum_update;
	drum->ks_lock = &drum_lock;
	ret = kstat_install(drum);
	if (ret)
		goto delete_drum;
	return 0;

delete_drum:
	kstat_delete(drum);
delete_io:
	kernel_param_lock(THIS_MODULE);
	kstat_delete(io);
	io = NULL;
	kernel_param_unlock(THIS_MODULE);
	return ret;
}

static void __exit fake_drum_exit(void)
{
	/* Waits until read_tracks() is done. */
	kernel_param_lock(THIS_MODULE);
	kstat_delete(drum);
	kstat_delete(io);
	io = NULL;
	kernel_param_unlock(THIS_MODULE);
}

module_init(fake_drum_init);
module_exit(fake_drum_exit);

module_param_cb(read, &read_ops, NULL, 0200);
MODULE_PARM_DESC(read, "Read this number of tracks");
MODULE_DESCRIPTION("A sample client of iostat in C, with kstats");
MODULE_LICENSE("GPL");
