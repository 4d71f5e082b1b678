// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/submitter.h. In C, since strscpy_pad() is a macro.
 */

#include <iostat/submitter.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

bool notrace iostat_submitter_comm(u32 pid, u64 age_ns, char comm[16])
{
	struct task_struct *task;

	BUILD_BUG_ON(TASK_COMM_LEN != 16);
	guard(rcu)();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (!task || task->start_time + age_ns > ktime_get_mono_fast_ns())
		return false;
	/* The thread may get another name meanwhile, which always ends in a NUL. */
	data_race(strscpy_pad(comm, task->comm, 16));
	return true;
}
