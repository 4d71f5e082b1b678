// SPDX-License-Identifier: GPL-2.0
/*
 * The mount table of the initial mount namespace, from the text of
 * proc_pid_mountinfo(5). It is read when the events are turned on, and again
 * after each change, of which the kernel notifies those who poll the file.
 *
 * No function to walk a mount namespace is exported; this text is all there is.
 * How it is opened matters, since an unprivileged user may be the one who turns
 * an event on, by perf_event_open() and from namespaces of his own:
 *
 * - By no path that starts at anybody's root directory: that of the caller is
 *   shaped by the caller, and that of kernel threads is empty since 7.3. The
 *   file is looked up in a procfs instance of our own, which is mounted nowhere,
 *   as process_sysctl_arg() does at boot. Nothing can be mounted over its files.
 * - By a work item, which runs in the initial namespaces whoever has queued it:
 *   so that instance is one of the initial pid namespace. Nothing that is done
 *   there can delay the caller, who holds mutexes of the tracing subsystem.
 * - The table is that of process 1, since the one of a kernel thread has no root
 *   directory from which anything can be reached. Should process 1 have moved to
 *   another mount namespace, there is no table.
 *
 * A file system that is mounted in other mount namespaces only is not in it.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <iostat/mounts.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
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
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#define MAX_BYTES	SZ_16M

struct mounted {
	dev_t dev;
	unsigned int line;
	/* What of the file system is mounted, and where. */
	const char *root;
	const char *point;
};

/* By device, and then as in the text. */
struct mounts {
	char *text;
	size_t count;
	struct mounted mounted[];
};

static struct mounts __rcu *table;

static void mounts_free(struct mounts *mounts)
{
	if (mounts)
		kvfree(mounts->text);
	kvfree(mounts);
}

/* All of the text, with a NUL behind it; NULL if it is too long or cannot be read. */
static char *read_text(struct file *file)
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
		if (got < 0 || pos < size - 1) {
			text[pos] = '\0';
			if (!got)
				return text;
		}
		kvfree(text);
		if (got < 0)
			return NULL;
	}
	return NULL;
}

/* "36 35 98:0 /root /point options...": the words behind the second. */
static bool parse(char *line, struct mounted *mounted)
{
	unsigned int major, minor;
	char *device;

	strsep(&line, " ");
	strsep(&line, " ");
	device = strsep(&line, " ");
	mounted->root = strsep(&line, " ");
	mounted->point = strsep(&line, " ");
	if (!line || sscanf(device, "%u:%u", &major, &minor) != 2)
		return false;
	mounted->dev = MKDEV(major, minor);
	string_unescape_inplace((char *)mounted->root, UNESCAPE_OCTAL);
	string_unescape_inplace((char *)mounted->point, UNESCAPE_OCTAL);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct mounted *left = a, *right = b;

	return cmp_int(left->dev, right->dev) ?: cmp_int(left->line, right->line);
}

static struct mounts *mounts_read(struct file *file)
{
	char *text = read_text(file), *rest = text, *line;
	struct mounts *mounts;
	size_t lines = 0;

	if (!text)
		return NULL;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	mounts = kvmalloc(struct_size(mounts, mounted, lines), GFP_KERNEL);
	if (!mounts) {
		kvfree(text);
		return NULL;
	}
	mounts->text = text;
	mounts->count = 0;
	while ((line = strsep(&rest, "\n")) && mounts->count < lines) {
		struct mounted *mounted = &mounts->mounted[mounts->count];

		mounted->line = mounts->count;
		mounts->count += parse(line, mounted);
	}
	sort(mounts->mounted, mounts->count, sizeof(struct mounted), compare, NULL);
	return mounts;
}

static void mounts_replace(struct mounts *mounts)
{
	mounts = rcu_replace_pointer(table, mounts, true);
	synchronize_rcu();
	mounts_free(mounts);
}

static void mounts_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, mounts_work);

/* What only the work item uses: our procfs, the file, and where its changes are announced. */
static struct vfsmount *proc;
static struct file *file;
static wait_queue_head_t *changes;
static struct wait_queue_entry entry;

/* When it was last read. */
static unsigned long read_at;

/* Mounting and unmounting in a loop has the table read ten times a second, and not more often. */
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
	/* At once, as it pins the root directory of process 1: a task worker would be later. */
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
	return WARN_ON_ONCE(proc_pid_ns(proc->mnt_sb) != &init_pid_ns) ? -EXDEV : 0;
}

/*
 * Anew each time, as the file has the root directory that process 1 had when it
 * was opened: one that is opened in an initramfs shows nothing of the system that
 * is started from there.
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
	/* Before the text is read: no change is missed. */
	init_poll_funcptr(&poll, listen);
	vfs_poll(file, &poll);
	if (is_init_in_place())
		return 0;
	pr_warn_once("process 1 is not in the initial mount namespace; mount points of files will be <unknown>\n");
	return -EXDEV;
}

/* Switches that were asked for, and those that the work item has seen to. */
static bool is_wanted;
static unsigned int asked, seen_to;
static DECLARE_WAIT_QUEUE_HEAD(settled);

static void mounts_work(struct work_struct *unused)
{
	/* Before the switch is looked at. */
	unsigned int upto = smp_load_acquire(&asked);

	WRITE_ONCE(read_at, jiffies);
	mounts_close();
	if (READ_ONCE(is_wanted)) {
		int error = mounts_open();
		struct mounts *mounts = error ? NULL : mounts_read(file);

		/* For want of memory, perhaps. A table that may not be true is worse than none. */
		if (!mounts) {
			mounts_close();
			queue_delayed_work(system_dfl_wq, &work, HZ);
		}
		mounts_replace(mounts);
	} else {
		mounts_replace(NULL);
		if (proc)
			kern_unmount(proc);
		proc = NULL;
	}
	WRITE_ONCE(seen_to, upto);
	wake_up_all(&settled);
}

void iostat_mounts_switch(bool is_on)
{
	WRITE_ONCE(is_wanted, is_on);
	/* The work item that sees the number sees what is wanted. */
	smp_store_release(&asked, asked + 1);
	mod_delayed_work(system_dfl_wq, &work, 0);
}

void iostat_mounts_wait(void)
{
	wait_event_killable_timeout(settled, !READ_ONCE(is_wanted) ||
				    READ_ONCE(seen_to) == READ_ONCE(asked), HZ);
}

void iostat_mounts_close(void)
{
	iostat_mounts_switch(false);
	flush_delayed_work(&work);
	/* A change just before has queued it once more; there will be none after. */
	cancel_delayed_work_sync(&work);
}

/* What is left of a path below root; NULL if it is not there. */
static const char *below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (len == 1)
		return path;
	if (strncmp(path, root, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

/* The first of those of a device. */
static const struct mounted *first_of(const struct mounts *mounts, dev_t dev)
{
	size_t first = 0, end = mounts->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (mounts->mounted[middle].dev < dev)
			first = middle + 1;
		else
			end = middle;
	}
	return &mounts->mounted[first];
}

/* Those of one device. */
#define for_each_mounted(mounted, mounts, dev)						\
	for (const struct mounted *mounted = first_of(mounts, dev);			\
	     mounted < (mounts)->mounted + (mounts)->count && mounted->dev == (dev);	\
	     mounted++)

const char *iostat_mount_of(dev_t dev, const char *path, const char **rest)
{
	const struct mounts *mounts = rcu_dereference(table);
	const char *point = NULL;

	if (!mounts)
		return NULL;
	/* The whole file system rather than a part of it. */
	for_each_mounted(mounted, mounts, dev) {
		const char *left = below(path, mounted->root);

		if (left && (!point || !mounted->root[1])) {
			point = mounted->point;
			*rest = left;
			if (!mounted->root[1])
				break;
		}
	}
	return point;
}

/* Whether a name is that of a path below a mount point, which is "/" or does not end in one. */
static bool is_name_of(const char *name, const char *point, const char *left)
{
	size_t len = point[1] ? strlen(point) : 0;

	if (strncmp(name, point, len))
		return false;
	name += len;
	return !strcmp(name, left) || (!len && !*left && !strcmp(name, "/"));
}

const char *iostat_mount_at(dev_t dev, const char *path, const char *name)
{
	const struct mounts *mounts = rcu_dereference(table);

	if (!mounts)
		return NULL;
	for_each_mounted(mounted, mounts, dev) {
		const char *left = below(path, mounted->root);

		if (left && is_name_of(name, mounted->point, left))
			return mounted->point;
	}
	return NULL;
}
