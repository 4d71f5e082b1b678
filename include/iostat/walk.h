/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Looks up paths as texts during an I/O.
 */
#ifndef _IOSTAT_WALK_H
#define _IOSTAT_WALK_H

#include <linux/irqflags.h>
#include <linux/kconfig.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>

struct dentry;
struct path;

/* Longer than any of the arrays, so that a mount point can be found for more paths. */
#define IOSTAT_WALK_LEN	256

/**
 * struct iostat_walk - a path
 * @text: the path and a NUL; a path that does not fit begins with "..." instead of "/"
 * @len: its length
 * @buf: memory for the text, which is usually at its end
 */
struct iostat_walk {
	const char *text;
	size_t len;
	char buf[IOSTAT_WALK_LEN];
};

/*
 * Whether a path may be looked up here: that takes spinlocks which are not to be
 * taken with interrupts off, and which sleep with PREEMPT_RT.
 */
static inline bool iostat_may_walk(void)
{
	return in_task() && !irqs_disabled() && !softirq_count() &&
		(!IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible());
}

/*
 * Looks up a path as the current task sees it. A file that was deleted has its former path. To be called in an RCU
 * read-side critical section, where iostat_may_walk() returns true. Does not sleep.
 */
void iostat_walk_path(struct iostat_walk *walk, const struct path *path);

/* Looks up a path in the file system. As iostat_walk_path(). */
void iostat_walk_dentry(struct iostat_walk *walk, const struct dentry *dentry);

/*
 * Writes a mount point in front of the rest of a path, which begins at @rest in @walk->text. If the result does not
 * fit, its beginning is cut off. In src/glue/file_texts.rs.
 */
void iostat_walk_join(struct iostat_walk *walk, const char *rest, const char *point);

void iostat_walk_copy(struct iostat_walk *to, const struct iostat_walk *from);

#endif /* _IOSTAT_WALK_H */
