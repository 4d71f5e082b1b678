// SPDX-License-Identifier: GPL-2.0
/*
 * Work of the recorder that probes cannot do: it sleeps. See include/iostat/upkeep.h.
 */

#include <iostat/upkeep.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

/*
 * So often that no CPU completes 2^30 I/Os on one disk meanwhile: see
 * src/acct/histogram.rs.
 */
#define PERIOD	(10 * HZ)

static void (*upkeep_work)(void *data);
static void *upkeep_data;

static void do_now(struct work_struct *work)
{
	upkeep_work(upkeep_data);
}

static DECLARE_WORK(now, do_now);

static void do_soon(struct work_struct *work)
{
	queue_work(system_dfl_wq, &now);
}

static DECLARE_DELAYED_WORK(soon, do_soon);

static void do_again(struct work_struct *work);
static DECLARE_DELAYED_WORK(again, do_again);

static void do_again(struct work_struct *work)
{
	queue_work(system_dfl_wq, &now);
	queue_delayed_work(system_dfl_wq, &again, PERIOD);
}

void iostat_upkeep_start(void (*work)(void *data), void *data)
{
	upkeep_data = data;
	/* Pairs with that in iostat_upkeep_wake(). */
	smp_store_release(&upkeep_work, work);
	queue_delayed_work(system_dfl_wq, &again, PERIOD);
}

void iostat_upkeep_stop(void)
{
	cancel_delayed_work_sync(&again);
	cancel_delayed_work_sync(&soon);
	cancel_work_sync(&now);
	WRITE_ONCE(upkeep_work, NULL);
}

void notrace iostat_upkeep_wake(void)
{
	/* Pairs with that in iostat_upkeep_start(). */
	if (smp_load_acquire(&upkeep_work))
		queue_work(system_dfl_wq, &now);
}

void notrace iostat_upkeep_wake_soon(void)
{
	/* As in iostat_upkeep_wake(). */
	if (smp_load_acquire(&upkeep_work))
		queue_delayed_work(system_dfl_wq, &soon, HZ / 10);
}
