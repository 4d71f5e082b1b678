// SPDX-License-Identifier: GPL-2.0
/*
 * Publishes the table of mounts: src/glue/mounts.rs has its memory, and src/abi/mountinfo.rs what is found in it.
 *
 * A file system that is mounted in other mount namespaces only is not in the table. One that was in the table
 * stays there, with its last mounts, until its super block is gone: a lazy unmount leaves it in use, and the
 * last unmount writes back dirty data.
 */

#include <iostat/mount_table.h>
#include <iostat/mounts.h>
#include <linux/array_size.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

static struct iostat_mounts __rcu *table;
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

/*
 * The devices of super blocks that have gone since the text began to be read: their lines in the text may be
 * outdated. If there are more than this array has room for, all lines may be.
 */
static dev_t gone[64];
static unsigned int nr_gone;
/* Protects these, and changes of the table. */
static DEFINE_RAW_SPINLOCK(table_lock);

void iostat_mount_table_begin(void)
{
	guard(raw_spinlock_irqsave)(&table_lock);
	nr_gone = 0;
}

void iostat_mount_table_forget(dev_t dev)
{
	struct iostat_mounts *mounts;

	guard(raw_spinlock_irqsave)(&table_lock);
	mounts = rcu_dereference_protected(table, lockdep_is_held(&table_lock));
	if (mounts)
		iostat_mounts_set_gone(mounts, dev);
	changed();
	if (nr_gone < ARRAY_SIZE(gone))
		gone[nr_gone] = dev;
	if (nr_gone <= ARRAY_SIZE(gone))
		nr_gone++;
}

static void set_gone(struct iostat_mounts *mounts)
{
	if (nr_gone > ARRAY_SIZE(gone)) {
		iostat_mounts_set_all_gone(mounts);
		return;
	}
	for (unsigned int i = 0; i < nr_gone; i++)
		iostat_mounts_set_gone(mounts, gone[i]);
}

bool iostat_mount_table_replace(const char *text, size_t len, bool keeps_former)
{
	/* Only the caller replaces the table. */
	struct iostat_mounts *old = rcu_dereference_protected(table, true);
	struct iostat_mounts *mounts = text ? iostat_mounts_new(text, len, keeps_former ? old : NULL) : NULL;

	scoped_guard(raw_spinlock_irqsave, &table_lock) {
		if (mounts)
			set_gone(mounts);
		rcu_assign_pointer(table, mounts);
		changed();
	}
	synchronize_rcu();
	if (old)
		iostat_mounts_free(old);
	return mounts;
}

const char *iostat_mount_of_all(dev_t dev)
{
	struct iostat_mounts *mounts = rcu_dereference(table);

	return mounts ? iostat_mounts_of_all(mounts, dev) : NULL;
}

const char *iostat_mount_of(dev_t dev, const char *path, const char **rest)
{
	struct iostat_mounts *mounts = rcu_dereference(table);

	return mounts ? iostat_mounts_of(mounts, dev, path, rest) : NULL;
}

const char *iostat_mount_at(dev_t dev, const char *path, const char *name)
{
	struct iostat_mounts *mounts = rcu_dereference(table);

	return mounts ? iostat_mounts_at(mounts, dev, path, name) : NULL;
}
