// SPDX-License-Identifier: GPL-2.0
/*
 * Where file systems are mounted: the text of proc_pid_mountinfo(5), to be looked up by device.
 *
 * A file system that is mounted in other mount namespaces only is not in it. One that was in it stays,
 * as it was mounted last, until its super block is gone: a lazy unmount leaves it in use, and the last
 * unmount writes back what is dirty.
 */

#include <iostat/mount_table.h>
#include <iostat/mounts.h>
#include <linux/array_size.h>
#include <linux/kdev_t.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/string_helpers.h>

/* Of what is not mounted any more. */
#define MAX_FORMER		256
#define MAX_FORMER_BYTES	SZ_64K

struct mounted {
	dev_t dev;
	unsigned int line;
	/* No longer in the text. */
	bool is_former;
	/* Its super block is gone: the device may be that of another by now. */
	bool is_gone;
	/* What of the file system is mounted, and where. */
	const char *root;
	const char *point;
};

/* By device, and then as in the text, what is not in the text behind the rest. */
struct mounts {
	char *text;
	char *former_text;
	size_t count;
	struct mounted mounted[];
};

static struct mounts __rcu *table;
static unsigned long version;

unsigned long iostat_mount_table_version(void)
{
	/* Pairs with changed(). */
	return smp_load_acquire(&version);
}

/* Called with table_lock held, after the table was changed. */
static void changed(void)
{
	/* Pairs with iostat_mount_table_version(). */
	smp_store_release(&version, version + 1);
}

static void mounts_free(struct mounts *mounts)
{
	if (mounts) {
		kvfree(mounts->text);
		kvfree(mounts->former_text);
	}
	kvfree(mounts);
}

/* The first of those of a device. */
static struct mounted *first_of(struct mounts *mounts, dev_t dev)
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
	for (struct mounted *mounted = first_of(mounts, dev);				\
	     mounted < (mounts)->mounted + (mounts)->count && mounted->dev == (dev);	\
	     mounted++)

static bool has(struct mounts *mounts, dev_t dev)
{
	for_each_mounted(mounted, mounts, dev)
		return true;
	return false;
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

/*
 * What of a table that is replaced is to stay: what @mounts, which is in order, does not name, newest first.
 * Returns how many there are, with their places in @former.
 */
static size_t find_former(struct mounts *mounts, struct mounts *old, struct mounted **former,
			  size_t *bytes)
{
	size_t count = 0;

	*bytes = 0;
	for (int is_former = 0; is_former < 2; is_former++) {
		for (size_t i = 0; i < old->count; i++) {
			struct mounted *mounted = &old->mounted[i];
			size_t len = strlen(mounted->root) + strlen(mounted->point) + 2;

			if (mounted->is_former != is_former || READ_ONCE(mounted->is_gone) ||
			    has(mounts, mounted->dev))
				continue;
			if (count == MAX_FORMER || *bytes + len > MAX_FORMER_BYTES)
				return count;
			*bytes += len;
			former[count++] = mounted;
		}
	}
	return count;
}

static const char *copy_text(char **to, const char *text)
{
	size_t size = strlen(text) + 1;
	const char *copy = memcpy(*to, text, size);

	*to += size;
	return copy;
}

/* Without memory for it, nothing is kept. */
static void keep_former(struct mounts *mounts, struct mounts *old)
{
	struct mounted **former __free(kfree) = kmalloc_array(MAX_FORMER, sizeof(*former), GFP_KERNEL);
	size_t count, bytes, lines = mounts->count;
	char *text;

	if (!old || !former)
		return;
	count = find_former(mounts, old, former, &bytes);
	mounts->former_text = kvmalloc(bytes, GFP_KERNEL);
	if (!count || !mounts->former_text)
		return;
	text = mounts->former_text;
	for (size_t i = 0; i < count; i++)
		mounts->mounted[mounts->count++] = (struct mounted) {
			.dev = former[i]->dev,
			.line = lines + i,
			.is_former = true,
			.root = copy_text(&text, former[i]->root),
			.point = copy_text(&text, former[i]->point),
		};
	sort(mounts->mounted, mounts->count, sizeof(struct mounted), compare, NULL);
}

/* @text is its own from here on. @old is what it will replace, or NULL. */
static struct mounts *mounts_of(char *text, struct mounts *old)
{
	char *rest = text, *line;
	struct mounts *mounts;
	size_t lines = 0;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	mounts = kvmalloc(struct_size(mounts, mounted, lines + MAX_FORMER), GFP_KERNEL);
	if (!mounts) {
		kvfree(text);
		return NULL;
	}
	mounts->text = text;
	mounts->former_text = NULL;
	mounts->count = 0;
	while ((line = strsep(&rest, "\n")) && mounts->count < lines) {
		struct mounted *mounted = &mounts->mounted[mounts->count];

		*mounted = (struct mounted) { .line = mounts->count };
		mounts->count += parse(line, mounted);
	}
	sort(mounts->mounted, mounts->count, sizeof(struct mounted), compare, NULL);
	keep_former(mounts, old);
	return mounts;
}

/*
 * Super blocks that have gone since the text was begun to be read: what it says of their devices may be what was
 * before. With more than have room here, all may have.
 */
static dev_t gone[64];
static unsigned int nr_gone;
/* Of these, and between them and the table. */
static DEFINE_RAW_SPINLOCK(table_lock);

void iostat_mount_table_begin(void)
{
	guard(raw_spinlock_irqsave)(&table_lock);
	nr_gone = 0;
}

static void mark_gone(struct mounts *mounts, dev_t dev)
{
	for_each_mounted(mounted, mounts, dev)
		WRITE_ONCE(mounted->is_gone, true);
}

void iostat_mount_table_forget(dev_t dev)
{
	struct mounts *mounts;

	guard(raw_spinlock_irqsave)(&table_lock);
	mounts = rcu_dereference_protected(table, lockdep_is_held(&table_lock));
	if (mounts)
		mark_gone(mounts, dev);
	changed();
	if (nr_gone < ARRAY_SIZE(gone))
		gone[nr_gone] = dev;
	if (nr_gone <= ARRAY_SIZE(gone))
		nr_gone++;
}

static void mark_all_gone(struct mounts *mounts)
{
	if (nr_gone <= ARRAY_SIZE(gone)) {
		for (unsigned int i = 0; i < nr_gone; i++)
			mark_gone(mounts, gone[i]);
		return;
	}
	for (size_t i = 0; i < mounts->count; i++)
		mounts->mounted[i].is_gone = true;
}

bool iostat_mount_table_replace(char *text, bool keeps_former)
{
	/* Replaced by the caller alone. */
	struct mounts *old = rcu_dereference_protected(table, true);
	struct mounts *mounts = text ? mounts_of(text, keeps_former ? old : NULL) : NULL;

	scoped_guard(raw_spinlock_irqsave, &table_lock) {
		if (mounts)
			mark_all_gone(mounts);
		rcu_assign_pointer(table, mounts);
		changed();
	}
	synchronize_rcu();
	mounts_free(old);
	return mounts;
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

const char *iostat_mount_of_all(dev_t dev)
{
	struct mounts *mounts = rcu_dereference(table);

	if (!mounts)
		return NULL;
	for_each_mounted(mounted, mounts, dev)
		if (!mounted->root[1] && !READ_ONCE(mounted->is_gone))
			return mounted->point;
	return NULL;
}

const char *iostat_mount_of(dev_t dev, const char *path, const char **rest)
{
	struct mounts *mounts = rcu_dereference(table);
	const char *point = NULL;

	if (!mounts)
		return NULL;
	/* The whole file system rather than a part of it. */
	for_each_mounted(mounted, mounts, dev) {
		const char *left = below(path, mounted->root);

		if (READ_ONCE(mounted->is_gone))
			continue;
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
	struct mounts *mounts = rcu_dereference(table);

	if (!mounts)
		return NULL;
	for_each_mounted(mounted, mounts, dev) {
		const char *left = mounted->is_former ? NULL : below(path, mounted->root);

		if (left && is_name_of(name, mounted->point, left))
			return mounted->point;
	}
	return NULL;
}
