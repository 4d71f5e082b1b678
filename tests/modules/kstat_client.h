/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of kstat_client.c for a single kstat. */
#ifndef _KSTAT_CLIENT_H
#define _KSTAT_CLIENT_H

#include <iostat/kstat.h>
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define ONES 16

struct one {
	kstat_t *ksp;
	struct mutex lock;
	spinlock_t spinlock;
	char string[64];
	int error;
	int reads, writes;
	unsigned int inside;
	/* The expected values of the queues. */
	hrtime_t last[2], time[2], lentime[2];
	unsigned int len[2];
	bool is_off;
	int deleted;
};

static struct one ones[ONES];

static struct one *one_of(kstat_t *ksp)
{
	return ksp->ks_private;
}

static int update(kstat_t *ksp, int rw)
{
	struct one *one = one_of(ksp);

	if (rw == KSTAT_WRITE)
		one->writes++;
	else
		one->reads++;
	if (one->inside == 1)
		one->deleted = kstat_delete(ksp);
	if (one->inside == 2)
		msleep(2000);
	if (one->inside == 3 && rw == KSTAT_READ && ksp->ks_ndata < 4) {
		ksp->ks_ndata++;
		ksp->ks_data_size = ksp->ks_ndata * sizeof(kstat_named_t);
	}
	if (one->inside >= 4 && rw == KSTAT_WRITE) {
		if (one->inside == 5)
			KSTAT_NAMED_PTR(ksp)[0].value.i64 = 42;
		return -EACCES;
	}
	return one->error;
}

/* Copies the data. Users see the first value with 1000 added. */
static int snapshot(kstat_t *ksp, void *buf, int rw)
{
	struct one *one = one_of(ksp);
	kstat_named_t *named = rw == KSTAT_READ ? buf : ksp->ks_data;

	if (rw == KSTAT_READ) {
		memcpy(buf, ksp->ks_data, ksp->ks_data_size);
		ksp->ks_snaptime = 4711;
	} else {
		kstat_named_t *from = buf;

		if (from->data_type == KSTAT_DATA_STRING) {
			strscpy(one->string, from->value.str.addr.ptr, sizeof(one->string));
			return kstat_named_setstr(named, one->string);
		}
		memcpy(ksp->ks_data, buf, ksp->ks_data_size);
	}
	if (named->data_type != KSTAT_DATA_STRING)
		named->value.i64 += rw == KSTAT_READ ? 1000 : -1000;
	return 0;
}

static void callbacks(struct one *one, unsigned int mask)
{
	kstat_t *ksp = one->ksp;

	ksp->ks_private = one;
	ksp->ks_update = mask & 1 ? update : NULL;
	ksp->ks_snapshot = mask & 2 ? snapshot : NULL;
	ksp->ks_lock = mask & 4 ? &one->lock : NULL;
	ksp->ks_spinlock = mask & 8 ? &one->spinlock : NULL;
	one->error = 0;
	one->reads = 0;
	one->writes = 0;
	one->inside = 0;
}

/* Not freed: iostat reads the data of a forgotten kstat until its module is unloaded. */
static int set_data(struct one *one, unsigned int size)
{
	one->ksp->ks_data = kzalloc(size, GFP_KERNEL);
	one->ksp->ks_data_size = size;
	return one->ksp->ks_data ? 0 : -ENOMEM;
}

/* Takes only the time of the change from the kstat. */
static void model(struct one *one, int queue, int change, hrtime_t began)
{
	kstat_io_t *io = KSTAT_IO_PTR(one->ksp);
	hrtime_t now = queue ? io->rlastupdate : io->wlastupdate;
	hrtime_t elapsed = now - one->last[queue];

	if (now < began || now > iostat_clock_read())
		one->is_off = true;

	if (one->len[queue]) {
		one->time[queue] += elapsed;
		one->lentime[queue] += elapsed * one->len[queue];
	}
	one->last[queue] = now;
	one->len[queue] += change;
}

static s64 queue(struct one *one, const char *calls)
{
	kstat_io_t *io = KSTAT_IO_PTR(one->ksp);
	unsigned long flags;
	hrtime_t began;

	for (; *calls; calls++) {
		spin_lock_irqsave(&one->spinlock, flags);
		began = iostat_clock_read();
		switch (*calls) {
		case 'w':
			kstat_waitq_enter(io);
			model(one, 0, 1, began);
			break;
		case 'W':
			kstat_waitq_exit(io);
			model(one, 0, -1, began);
			break;
		case 'r':
			kstat_runq_enter(io);
			model(one, 1, 1, began);
			break;
		case 'R':
			kstat_runq_exit(io);
			model(one, 1, -1, began);
			io->nread += 512;
			io->reads++;
			break;
		case 't':
			kstat_waitq_to_runq(io);
			model(one, 0, -1, began);
			model(one, 1, 1, began);
			one->is_off |= io->wlastupdate != io->rlastupdate;
			break;
		case 'b':
			kstat_runq_back_to_waitq(io);
			model(one, 1, -1, began);
			model(one, 0, 1, began);
			one->is_off |= io->wlastupdate != io->rlastupdate;
			break;
		}
		spin_unlock_irqrestore(&one->spinlock, flags);
		usleep_range(1000, 2000);
	}
	return 0;
}

static s64 model_differs(struct one *one)
{
	kstat_io_t *io = KSTAT_IO_PTR(one->ksp);

	if (io->wcnt != one->len[0] || io->rcnt != one->len[1])
		return 1;
	if (io->wtime != one->time[0] || io->rtime != one->time[1])
		return 2;
	if (io->wlentime != one->lentime[0] || io->rlentime != one->lentime[1])
		return 3;
	if (one->is_off)
		return 5;
	return !io->wtime || !io->rtime || !io->wlentime || !io->rlentime ? 4 : 0;
}

static s64 storm(unsigned int count, bool keeps)
{
	unsigned int done, n;
	kstat_t **all = kcalloc(count, sizeof(*all), GFP_KERNEL);
	int ret = 0;

	if (!all)
		return -ENOMEM;
	for (done = 0; done < count && !ret; done++) {
		all[done] = kstat_create("kstat_storm", done, NULL, "misc", KSTAT_TYPE_NAMED, 2, 0);
		if (!all[done]) {
			ret = -EIO;
			break;
		}
		kstat_named_init(KSTAT_NAMED_PTR(all[done]), "number", KSTAT_DATA_UINT64);
		kstat_named_init(KSTAT_NAMED_PTR(all[done]) + 1, "square", KSTAT_DATA_UINT64);
		KSTAT_NAMED_PTR(all[done])[0].value.ui64 = done;
		KSTAT_NAMED_PTR(all[done])[1].value.ui64 = (u64)done * done;
		ret = kstat_install(all[done]);
		/* Delete some of them early. */
		if (done % 2 && !keeps)
			ret = kstat_delete(all[done - 1]) ?: ret;
	}
	for (n = 0; n < done && !keeps; n++)
		if (n % 2 || n + 1 == done)
			ret = kstat_delete(all[n]) ?: ret;
	kfree(all);
	return ret;
}

static s64 null(void)
{
	kstat_waitq_enter(NULL);
	kstat_waitq_exit(NULL);
	kstat_runq_enter(NULL);
	kstat_runq_exit(NULL);
	kstat_waitq_to_runq(NULL);
	kstat_runq_back_to_waitq(NULL);
	kstat_timer_start(NULL);
	kstat_timer_stop(NULL);
	if (kstat_named_init(NULL, "a", 0) != -EINVAL || kstat_timer_init(NULL, "a") != -EINVAL)
		return 1;
	if (kstat_named_setstr(NULL, "a") != -EINVAL || kstat_install(NULL) != -ENOENT)
		return 2;
	if (kstat_create(NULL, 0, NULL, NULL, 0, 1, 0) || kstat_delete(NULL))
		return 3;
	return 0;
}

#endif /* _KSTAT_CLIENT_H */
