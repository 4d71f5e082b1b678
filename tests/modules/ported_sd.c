// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics of a disk driver as illumos' target drivers write them: an I/O kstat of the
 * unit, one of a partition, and a named one of its errors, changed through macros under the unit's mutex.
 *
 * It shows that such code compiles with only the changes that Documentation/porting.rst lists.
 * Each changed line is marked "porting:", with the text of the left column there. A style check
 * compares the two. tests/guest/parts/test-ported.sh checks the numbers.
 *
 *	echo "read COUNT BYTES" >/sys/module/ported_sd/parameters/do
 *	write COUNT BYTES	COUNT commands are queued, then executed one after another
 *	retry BYTES		a write that the device returns once
 *	cancel			a command that is queued and removed again
 *	error			a hard error
 */

#include <iostat/kstat.h>	/* porting: <sys/kstat.h> */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>

struct sd_errstats {
	kstat_named_t sd_softerrs;
	kstat_named_t sd_harderrs;
	kstat_named_t sd_vid;
	kstat_named_t sd_revision;
	kstat_named_t sd_capacity;
};

struct sd_lun {
	struct mutex un_mutex;		/* porting: ks_lock is a kmutex_t * */
	kstat_t *un_stats;
	kstat_t *un_pstats;
	kstat_t *un_errstats;
};

struct sd_buf {
	u32 b_bcount;
	u32 b_resid;
	bool b_read;
};

static struct sd_lun un;

#define SD_MUTEX(un)	(&(un)->un_mutex)

#define SD_UPDATE_KSTATS(un, kstat_function)					\
do {										\
	lockdep_assert_held(SD_MUTEX(un));					\
	if ((un)->un_stats)							\
		kstat_function(KSTAT_IO_PTR((un)->un_stats));			\
	if ((un)->un_pstats)							\
		kstat_function(KSTAT_IO_PTR((un)->un_pstats));			\
} while (0)

#define SD_UPDATE_ERRSTATS(un, x)						\
do {										\
	if ((un)->un_errstats) {						\
		struct sd_errstats *stp = (un)->un_errstats->ks_data;		\
										\
		stp->x.value.ui32++;						\
	}									\
} while (0)

static void sd_update_rdwr(kstat_t *ksp, const struct sd_buf *bp)
{
	u32 n_done = bp->b_bcount - bp->b_resid;

	if (bp->b_read) {
		KSTAT_IO_PTR(ksp)->reads++;
		KSTAT_IO_PTR(ksp)->nread += n_done;
	} else {
		KSTAT_IO_PTR(ksp)->writes++;
		KSTAT_IO_PTR(ksp)->nwritten += n_done;
	}
}

static void sd_strategy(struct sd_lun *un)
{
	mutex_lock(SD_MUTEX(un));
	SD_UPDATE_KSTATS(un, kstat_waitq_enter);
	mutex_unlock(SD_MUTEX(un));
}

/* The device needs some time for a command. */
static void sd_wait(void)
{
	u64 end = iostat_clock_read() + 20 * NSEC_PER_USEC;	/* porting: gethrtime() */

	while (iostat_clock_read() < end)
		cpu_relax();
}

static void sd_start_cmds(struct sd_lun *un)
{
	mutex_lock(SD_MUTEX(un));
	SD_UPDATE_KSTATS(un, kstat_waitq_to_runq);
	mutex_unlock(SD_MUTEX(un));
	sd_wait();
}

static void sd_retry_command(struct sd_lun *un)
{
	mutex_lock(SD_MUTEX(un));
	SD_UPDATE_KSTATS(un, kstat_runq_back_to_waitq);
	SD_UPDATE_ERRSTATS(un, sd_softerrs);
	mutex_unlock(SD_MUTEX(un));
}

static void sd_return_command(struct sd_lun *un, const struct sd_buf *bp)
{
	mutex_lock(SD_MUTEX(un));
	SD_UPDATE_KSTATS(un, kstat_runq_exit);
	if (un->un_stats)
		sd_update_rdwr(un->un_stats, bp);
	if (un->un_pstats)
		sd_update_rdwr(un->un_pstats, bp);
	mutex_unlock(SD_MUTEX(un));
}

static void sd_cancel(struct sd_lun *un)
{
	mutex_lock(SD_MUTEX(un));
	SD_UPDATE_KSTATS(un, kstat_waitq_exit);
	mutex_unlock(SD_MUTEX(un));
}

static int sd_do(const char *val, const struct kernel_param *kp)
{
	struct sd_buf buf = { };
	unsigned int count = 0, n;
	char what[8];

	if (!un.un_stats)
		return -ENODEV;
	if (sscanf(val, "%7s %u %u", what, &count, &buf.b_bcount) < 1)
		return -EINVAL;
	if (!strcmp(what, "read") || !strcmp(what, "write")) {
		buf.b_read = what[0] == 'r';
		for (n = 0; n < count; n++)
			sd_strategy(&un);
		for (n = 0; n < count; n++) {
			sd_start_cmds(&un);
			sd_return_command(&un, &buf);
		}
		return 0;
	}
	sd_strategy(&un);
	if (!strcmp(what, "cancel")) {
		sd_cancel(&un);
		return 0;
	}
	sd_start_cmds(&un);
	buf.b_bcount = count;
	if (!strcmp(what, "retry")) {
		sd_retry_command(&un);
		sd_start_cmds(&un);
	} else {
		/* Nothing was transferred. */
		buf.b_resid = buf.b_bcount;
		mutex_lock(SD_MUTEX(&un));
		SD_UPDATE_ERRSTATS(&un, sd_harderrs);
		mutex_unlock(SD_MUTEX(&un));
	}
	sd_return_command(&un, &buf);
	return 0;
}

static const struct kernel_param_ops sd_do_ops = { .set = sd_do };

module_param_cb(do, &sd_do_ops, NULL, 0200);
MODULE_PARM_DESC(do, "What to do");

static void sd_create_errstats(struct sd_lun *un, int instance)
{
	struct sd_errstats *stp;

	un->un_errstats = kstat_create("ported_sderr", instance, "ported_sd0,err", "device_error",
				       KSTAT_TYPE_NAMED,
				       sizeof(struct sd_errstats) / sizeof(kstat_named_t),
				       KSTAT_FLAG_PERSISTENT);
	if (!un->un_errstats)
		return;
	stp = un->un_errstats->ks_data;
	kstat_named_init(&stp->sd_softerrs, "Soft Errors", KSTAT_DATA_UINT32);
	kstat_named_init(&stp->sd_harderrs, "Hard Errors", KSTAT_DATA_UINT32);
	kstat_named_init(&stp->sd_vid, "Vendor", KSTAT_DATA_CHAR);
	kstat_named_init(&stp->sd_revision, "Revision", KSTAT_DATA_CHAR);
	kstat_named_init(&stp->sd_capacity, "Size", KSTAT_DATA_ULONGLONG);
	strscpy(stp->sd_vid.value.c, "PORTED", sizeof(stp->sd_vid.value.c));
	strscpy(stp->sd_revision.value.c, "1.0", sizeof(stp->sd_revision.value.c));
	stp->sd_capacity.value.ull = 1ULL << 40;
	un->un_errstats->ks_lock = SD_MUTEX(un);
	kstat_install(un->un_errstats);
}

static kstat_t *sd_create_io(struct sd_lun *un, const char *name, const char *class)
{
	kstat_t *ksp = kstat_create("ported_sd", 0, name, class, KSTAT_TYPE_IO, 1,
				    KSTAT_FLAG_PERSISTENT);

	if (ksp) {
		ksp->ks_lock = SD_MUTEX(un);
		kstat_install(ksp);
	}
	return ksp;
}

static int __init sd_init(void)
{
	mutex_init(SD_MUTEX(&un));
	un.un_stats = sd_create_io(&un, NULL, "disk");
	un.un_pstats = sd_create_io(&un, "ported_sd0,a", "partition");
	sd_create_errstats(&un, 0);
	return 0;
}

static void __exit sd_exit(void)
{
	kernel_param_lock(THIS_MODULE);
	kstat_delete(un.un_stats);
	un.un_stats = NULL;
	kernel_param_unlock(THIS_MODULE);
	kstat_delete(un.un_pstats);
	kstat_delete(un.un_errstats);
}

module_init(sd_init);
module_exit(sd_exit);

MODULE_DESCRIPTION("Statistics of an illumos disk driver, ported");
MODULE_LICENSE("GPL");
