// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/recent.h.
 *
 * No references are held, so an address in a key may meanwhile be that of another object:
 *
 * - A dentry, and those above it. So their names are compared each time, up to the root of the file
 *   system: these names form the path.
 * - A mount. One in the initial mount namespace is not removed without a new mount table, which has
 *   a new version. Until that is read, files have the names of the former table anyway.
 * - A super block. Its device number is not used again before
 *   iostat_mount_table_forget(), which makes a new version as well.
 * - A root directory, or a mount in another mount namespace. These decide only which name is taken
 *   of a file that has several names in the initial namespace.
 */

#include <iostat/mount_table.h>
#include <iostat/recent.h>
#include <iostat/walk.h>
#include <iostat/io_trace.h>
#include <linux/compiler.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/gfp.h>
#include <linux/hash.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/word-at-a-time.h>

/* log2 of the number of entries of each CPU, which are found by the address of the dentry. */
#define BITS		2
/* Longer paths are not kept. */
#define MAX_LEN		160

struct recent {
	struct iostat_recent_key key;
	/* The path in the file system, and its length, which is 0 for the root. */
	u32 len;
	/* Read in whole words, up to one word beyond its end. */
	char path[MAX_LEN + sizeof(long)];
	/* As in struct iostat_io. */
	struct {
		struct iostat_fileinfo file;
		struct iostat_where where;
	} of;
	u32 bytes;
	char texts[IOSTAT_FILE_BYTES] __aligned(sizeof(u64));
};

struct cpu {
	struct recent recent[1 << BITS];
};

static struct cpu __percpu *cpus;

void iostat_recent_open(void)
{
	/* A zeroed entry matches no key, as the dentry of a key is not NULL. */
	if (!cpus)
		/* Published after the zeroes; pairs with the readers of @cpus. */
		smp_store_release(&cpus, alloc_percpu(struct cpu));
}

void iostat_recent_close(void)
{
	free_percpu(cpus);
	cpus = NULL;
}

static unsigned int renames(void)
{
	/* Not by read_seqbegin(), which waits. Read before all names; pairs with the writers' barriers. */
	return smp_load_acquire(&rename_lock.seqcount.seqcount.sequence);
}

void iostat_recent_key(struct iostat_recent_key *key, const struct dentry *dentry,
		       const struct path *path)
{
	const struct fs_struct *fs = path ? current->fs : NULL;

	key->mounts = iostat_mount_table_version();
	key->renames = renames();
	key->dentry = dentry;
	key->mnt = path ? path->mnt : NULL;
	/* Another thread may be changing the root: the key then matches no task. */
	key->root_mnt = fs ? READ_ONCE(fs->root.mnt) : NULL;
	key->root_dentry = fs ? READ_ONCE(fs->root.dentry) : NULL;
	key->type = dentry->d_sb->s_type;
	key->dev = dentry->d_sb->s_dev;
}

/* Whether there was a rename since the key was made, of any file. */
static bool was_renamed(const struct iostat_recent_key *key)
{
	/* Orders all reads of names before that of the count. */
	smp_rmb();
	return key->renames & 1 || key->renames != READ_ONCE(rename_lock.seqcount.seqcount.sequence);
}

static bool is_same(const struct iostat_recent_key *a, const struct iostat_recent_key *b)
{
	return a->dentry == b->dentry && a->mnt == b->mnt && a->root_mnt == b->root_mnt &&
		a->root_dentry == b->root_dentry && a->type == b->type &&
		a->mounts == b->mounts && a->dev == b->dev;
}

/*
 * Whether a name equals that of a path at @part. The name may be changing, but has a NUL before its memory ends. The
 * path has none, so no word behind the one with the NUL is read.
 */
static __always_inline bool is_name(const char *part, const struct qstr *qstr, u32 len)
{
	const unsigned char *name = READ_ONCE(qstr->name);

#ifdef CONFIG_DCACHE_WORD_ACCESS
	for (; len >= sizeof(long); len -= sizeof(long), name += sizeof(long), part += sizeof(long))
		if (read_word_at_a_time(name) != get_unaligned((const unsigned long *)part))
			return false;
	return !len || !((read_word_at_a_time(name) ^ get_unaligned((const unsigned long *)part)) &
			 bytemask_from_count(len));
#else
	for (; len; len--, name++, part++)
		if (READ_ONCE(*name) != (unsigned char)*part)
			return false;
	return true;
#endif
}

/* Whether the names of a dentry and of those above it are those of the path. */
static bool has_path(const struct iostat_recent_key *key, const struct recent *recent)
{
	const struct dentry *dentry = key->dentry;
	u32 len = recent->len;

	for (;;) {
		const struct dentry *parent = READ_ONCE(dentry->d_parent);
		u32 name_len;

		if (parent == dentry)
			break;
		name_len = READ_ONCE(dentry->d_name.len);
		if (name_len >= len || !is_name(recent->path + len - name_len, &dentry->d_name, name_len))
			return false;
		len -= name_len + 1;
		if (recent->path[len] != '/')
			return false;
		dentry = parent;
	}
	return !len && !was_renamed(key);
}

static struct recent *place_of(struct cpu __percpu *of, const struct dentry *dentry)
{
	return &this_cpu_ptr(of)->recent[hash_ptr(dentry, BITS)];
}

bool iostat_recent_find(const struct iostat_recent_key *key, struct iostat_io *io)
{
	/* Pairs with iostat_recent_open(). */
	struct cpu __percpu *of = smp_load_acquire(&cpus);
	const struct recent *recent;
	bool is_found;

	if (unlikely(!of))
		return false;
	/* Interrupts do not come here, so this excludes all others. */
	guard(preempt)();
	recent = place_of(of, key->dentry);
	is_found = is_same(key, &recent->key) && has_path(key, recent);
	if (is_found) {
		BUILD_BUG_ON(offsetof(struct iostat_io, where) - offsetof(struct iostat_io, file) !=
			     offsetof(struct recent, of.where) - offsetof(struct recent, of.file));
		iostat_copy(&io->file, &recent->of, sizeof(recent->of));
		io->bytes = recent->bytes;
		iostat_copy_words(io->texts, recent->texts, recent->bytes);
	}
	return is_found;
}

void iostat_recent_keep(const struct iostat_recent_key *key, const struct iostat_walk *walk,
			const struct iostat_io *io)
{
	/* Pairs with iostat_recent_open(). */
	struct cpu __percpu *of = smp_load_acquire(&cpus);
	struct recent *recent;

	/*
	 * Not kept: a path whose beginning was cut off, and one of a file whose name is made at
	 * each lookup (d_dname).
	 */
	if (!of || walk->text[0] != '/' || walk->len > MAX_LEN ||
	    (key->dentry->d_op && key->dentry->d_op->d_dname) || was_renamed(key))
		return;
	guard(preempt)();
	recent = place_of(of, key->dentry);
	recent->key = *key;
	recent->len = walk->len > 1 ? walk->len : 0;
	memcpy(recent->path, walk->text, recent->len);
	recent->of.file = io->file;
	recent->of.where = io->where;
	recent->bytes = io->bytes;
	memcpy(recent->texts, io->texts, io->bytes);
}
