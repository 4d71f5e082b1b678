// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/walk.h.
 */

#include <iostat/walk.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <linux/sched.h>
#include <linux/string.h>

/*
 * Stores the result of d_path() or a similar function. They write the text from the end of the
 * buffer to its start, so the buffer is full if the text did not fit.
 */
static void walked(struct iostat_walk *walk, const char *text)
{
	if (!IS_ERR(text)) {
		walk->text = text;
		/* The NUL is the last byte of the buffer. */
		walk->len = walk->buf + sizeof(walk->buf) - text - 1;
	} else if (PTR_ERR(text) == -ENAMETOOLONG && walk->buf[0]) {
		memcpy(walk->buf, "...", 3);
		walk->text = walk->buf;
		walk->len = sizeof(walk->buf) - 1;
	} else {
		walk->text = "<unknown>";
		walk->len = strlen(walk->text);
	}
}

/* Cuts off the text that d_path() appends to the name of a file that was unlinked. */
static void cut_deleted(struct iostat_walk *walk, const struct dentry *dentry)
{
	static const char deleted[] = " (deleted)";
	const size_t len = sizeof(deleted) - 1;

	if (unlikely(d_unlinked(dentry)) && walk->len >= len &&
	    !memcmp(walk->text + walk->len - len, deleted, len)) {
		walk->len -= len;
		walk->buf[sizeof(walk->buf) - 1 - len] = '\0';
	}
}

void iostat_walk_path(struct iostat_walk *walk, const struct path *path)
{
	/* A task that exits has no root directory that a path could begin at. */
	if (unlikely(!current->fs))
		return walked(walk, ERR_PTR(-ESRCH));
	walk->buf[0] = '\0';
	walked(walk, d_path(path, walk->buf, sizeof(walk->buf)));
	cut_deleted(walk, path->dentry);
}

void iostat_walk_dentry(struct iostat_walk *walk, const struct dentry *dentry)
{
	walk->buf[0] = '\0';
	walked(walk, dentry_path_raw(dentry, walk->buf, sizeof(walk->buf)));
}

void iostat_walk_copy(struct iostat_walk *to, const struct iostat_walk *from)
{
	*to = *from;
	if (from->text >= from->buf && from->text < from->buf + sizeof(from->buf))
		to->text = to->buf + (from->text - from->buf);
}
