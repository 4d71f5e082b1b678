// SPDX-License-Identifier: GPL-2.0
/*
 * The mount table of process 1, by the text the kernel gives everybody:
 * proc_pid_mountinfo(5). It is read when the events are turned on, and again
 * whenever the kernel tells those who poll it that it has changed.
 *
 * What is mounted in other mount namespaces only is not in it.
 */

#include <iostat/mounts.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/magic.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
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
static struct file *file;
static wait_queue_head_t *changes;

static void mounts_free(struct mounts *mounts)
{
	if (mounts)
		kvfree(mounts->text);
	kvfree(mounts);
}

/* All of the text, with a NUL behind it; NULL if it is too long or cannot be read. */
static char *read_text(void)
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

static struct mounts *mounts_read(void)
{
	char *text = read_text(), *rest = text, *line;
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

static void mounts_work(struct work_struct *work)
{
	mounts_replace(mounts_read());
}

static DECLARE_WORK(work, mounts_work);

static int changed(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	schedule_work(&work);
	return 0;
}

static struct wait_queue_entry entry;

static void listen(struct file *file, wait_queue_head_t *queue, struct poll_table_struct *poll)
{
	changes = queue;
	init_waitqueue_func_entry(&entry, changed);
	add_wait_queue(queue, &entry);
}

/*
 * The file is read with the tracepoints' mutex held, which may not be said of
 * others of its kind (all of sysfs): nobody but us takes this one's lock.
 */
static struct lock_class_key file_lock;

void iostat_mounts_start(void)
{
	struct poll_table_struct poll;
	struct seq_file *text;

	file = filp_open("/proc/1/mountinfo", O_RDONLY, 0);
	/* In a chroot it may be anything. */
	if (!IS_ERR(file) && file_inode(file)->i_sb->s_magic != PROC_SUPER_MAGIC) {
		fput(file);
		file = ERR_PTR(-ENOENT);
	}
	if (IS_ERR(file)) {
		file = NULL;
		return;
	}
	text = file->private_data;
	lockdep_set_class(&text->lock, &file_lock);
	init_poll_funcptr(&poll, listen);
	vfs_poll(file, &poll);
	/* By the one who always does; waited for, so that the first I/O finds it. */
	schedule_work(&work);
	flush_work(&work);
}

void iostat_mounts_stop(void)
{
	if (!file)
		return;
	if (changes)
		remove_wait_queue(changes, &entry);
	changes = NULL;
	cancel_work_sync(&work);
	mounts_replace(NULL);
	fput(file);
	file = NULL;
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

const char *iostat_mount_of(dev_t dev, const char *path, const char **rest)
{
	const struct mounts *mounts = rcu_dereference(table);
	size_t first = 0, end;
	const char *point = NULL;

	if (!mounts)
		return NULL;
	for (end = mounts->count; first < end;) {
		size_t middle = first + (end - first) / 2;

		if (mounts->mounted[middle].dev < dev)
			first = middle + 1;
		else
			end = middle;
	}
	/* The whole file system rather than a part of it. */
	for (; first < mounts->count && mounts->mounted[first].dev == dev; first++) {
		const struct mounted *mounted = &mounts->mounted[first];
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
