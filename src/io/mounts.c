// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the mount table of the initial mount namespace, from the text of
 * proc_pid_mountinfo(5). It is read when the events are turned on, and again
 * after each change, which the kernel reports to pollers of the file.
 *
 * No function to walk a mount namespace is exported; this text is the only
 * source. How it is opened matters, since an unprivileged user may be the one
 * who turns an event on, by perf_event_open() and from namespaces of his own:
 *
 * - Not by a path that starts at the root directory of a process: that of the caller is shaped by
 *   the caller, and that of kernel threads is empty since 7.3. The file is looked up in a procfs
 *   instance of our own, which is mounted nowhere, as process_sysctl_arg() does at boot. Nothing
 *   can be mounted over its files.
 * - By a work item, which runs in the initial namespaces, whatever task has queued it:
 *   so that instance is one of the initial pid namespace. Nothing that is done
 *   there can delay the caller, who holds mutexes of the tracing subsystem.
 * - The table is that of process 1, since the one of a kernel thread has no root directory from
 *   which anything can be reached. If process 1 has moved to another mount namespace, there is no
 *   table.
 *
 * src/io/mount_table.c publishes the table.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <iostat/functions.h>
#include <iostat/mount_table.h>
#include <iostat/mounts.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/mount.h>
#include <linux/nsproxy.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#define MAX_BYTES	SZ_16M

/* All of the text, and its length; NULL if it is too long or cannot be read. */
static char *read_text(struct file *file, size_t *len)
{
	for (size_t size = SZ_16K; size <= MAX_BYTES; size *= 2) {
		char *text = kvmalloc(size, GFP_KERNEL);
		loff_t pos = 0;
		ssize_t got;

		if (!text)
			return NULL;
		do
			got = kernel_read(file, text + pos, size - 1 - pos, &pos);
		while (got > 0);
		if (!got && pos < size - 1) {
			*len = pos;
			return text;
		}
		kvfree(text);
		if (got < 0)
			return NULL;
	}
	return NULL;
}

/* When this function returns, all I/O to the file system has ended; the device number is reused only after that. */
static struct iostat_function shutdown = { "generic_shutdown_super" };
static struct iostat_function *const shutdown_functions[] = { &shutdown };

static int on_shutdown(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
		       struct ftrace_regs *regs, void *data)
{
	const struct super_block *sb = (struct super_block *)iostat_function_argument(regs, 0);

	*(dev_t *)data = sb->s_dev;
	return 0;
}

static void after_shutdown(struct fprobe *probe, unsigned long ip, unsigned long ret_ip,
			   struct ftrace_regs *regs, void *data)
{
	iostat_mount_table_forget(*(dev_t *)data);
}

static struct fprobe probe;
static bool follows_shutdown;

static void follow_shutdown(bool is_on)
{
	if (follows_shutdown == is_on)
		return;
	if (!is_on) {
		iostat_functions_unhook(&probe, shutdown_functions, 1);
		follows_shutdown = false;
		return;
	}
	probe = (struct fprobe) {
		.entry_handler = on_shutdown,
		.exit_handler = after_shutdown,
		.entry_data_size = sizeof(dev_t),
	};
	follows_shutdown = !iostat_functions_hook(&probe, shutdown_functions, 1);
}

static void mounts_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, mounts_work);

/* Used by the work item only: the procfs instance, the file, and the wait queue of its changes. */
static struct vfsmount *proc;
static struct file *file;
static wait_queue_head_t *changes;
static struct wait_queue_entry entry;

/* When the table was last read, jiffies. */
static unsigned long read_at;

/* The table is read at most ten times a second, even if mounts change in a loop. */
#define INTERVAL	(HZ / 10)

static int changed(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	unsigned long next = READ_ONCE(read_at) + INTERVAL, now = jiffies;

	queue_delayed_work(system_dfl_wq, &work, time_in_range(now, next - INTERVAL, next) ?
			   next - now : 0);
	return 0;
}

static void listen(struct file *file, wait_queue_head_t *queue, struct poll_table_struct *poll)
{
	changes = queue;
	init_waitqueue_func_entry(&entry, changed);
	add_wait_queue(queue, &entry);
}

static void mounts_close(void)
{
	if (changes)
		remove_wait_queue(changes, &entry);
	changes = NULL;
	/*
	 * Synchronously, as the file pins the root directory of process 1, which fput() would
	 * release later.
	 */
	if (file)
		__fput_sync(file);
	file = NULL;
}

/* Whether process 1, which never exits, is in the initial mount namespace. */
static bool is_init_in_place(void)
{
	struct task_struct *init = READ_ONCE(init_pid_ns.child_reaper);
	bool is_in_place;

	task_lock(init);
	is_in_place = init->nsproxy && init->nsproxy->mnt_ns == init_task.nsproxy->mnt_ns;
	task_unlock(init);
	return is_in_place;
}

static int mount_proc(void)
{
	struct file_system_type *type;

	if (proc)
		return 0;
	/* procfs is never a module: there is no reference to be dropped. */
	type = get_fs_type("proc");
	if (!type)
		return -ENODEV;
	proc = kern_mount(type);
	if (IS_ERR(proc)) {
		int error = PTR_ERR(proc);

		proc = NULL;
		return error;
	}
	if (!WARN_ON_ONCE(proc_pid_ns(proc->mnt_sb) != &init_pid_ns))
		return 0;
	kern_unmount(proc);
	proc = NULL;
	return -EXDEV;
}

/*
 * Opens the file again each time, as it has the root directory that process 1 had when the file was
 * opened: one that was opened in an initramfs does not show the mounts of the system that is
 * started from there.
 */
static int mounts_open(void)
{
	struct poll_table_struct poll;
	int error = mount_proc();

	if (error)
		return error;
	file = file_open_root_mnt(proc, "1/mountinfo", O_RDONLY | O_NOFOLLOW, 0);
	if (IS_ERR(file)) {
		error = PTR_ERR(file);
		file = NULL;
		return error;
	}
	/* Polled before the text is read, so that no change is missed. */
	init_poll_funcptr(&poll, listen);
	vfs_poll(file, &poll);
	if (is_init_in_place())
		return 0;
	pr_warn_once("process 1 is not in the initial mount namespace; mount points of files will be <unknown>\n");
	return -EXDEV;
}

/* Whether the table is to be kept. */
static bool is_wanted;
/* The number of calls of iostat_mounts_switch(), and how many of them the work item has handled. */
static unsigned int asked, seen_to;
static DECLARE_WAIT_QUEUE_HEAD(settled);

static void mounts_work(struct work_struct *unused)
{
	/* Read before @is_wanted is. */
	unsigned int upto = smp_load_acquire(&asked);

	WRITE_ONCE(read_at, jiffies);
	mounts_close();
	follow_shutdown(READ_ONCE(is_wanted));
	if (READ_ONCE(is_wanted)) {
		char *text = NULL;
		size_t len = 0;
		bool has_table;

		/*
		 * Changes are reported from here on. If a device number is used again meanwhile, its
		 * lines in this table are marked as gone, and those in the next table are right.
		 */
		if (!mounts_open()) {
			iostat_mount_table_begin();
			text = read_text(file, &len);
		}
		has_table = iostat_mount_table_replace(text, len, follows_shutdown);
		kvfree(text);
		/*
		 * Reading may have failed for lack of memory. A table that may be wrong is worse
		 * than no table.
		 */
		if (!has_table) {
			mounts_close();
			queue_delayed_work(system_dfl_wq, &work, HZ);
		}
	} else {
		iostat_mount_table_replace(NULL, 0, false);
		if (proc)
			kern_unmount(proc);
		proc = NULL;
	}
	/* A reader of this number also sees the table: pairs with is_settled(). */
	smp_store_release(&seen_to, upto);
	wake_up_all(&settled);
}

void iostat_mounts_switch(bool is_on)
{
	WRITE_ONCE(is_wanted, is_on);
	/* A work item that sees this number also sees @is_wanted. */
	smp_store_release(&asked, asked + 1);
	mod_delayed_work(system_dfl_wq, &work, 0);
}

static bool is_settled(void)
{
	/* Pairs with the release in mounts_work(). */
	unsigned int upto = smp_load_acquire(&seen_to);

	return !READ_ONCE(is_wanted) || upto == READ_ONCE(asked);
}

void iostat_mounts_wait(void)
{
	wait_event_killable_timeout(settled, is_settled(), HZ);
}

void iostat_mounts_close(void)
{
	iostat_mounts_switch(false);
	flush_delayed_work(&work);
	/*
	 * A change of the mounts may have queued the work once more. No change queues it after the
	 * flush.
	 */
	cancel_delayed_work_sync(&work);
}

