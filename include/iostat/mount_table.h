/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between src/io/mounts.c, which reads where file systems are mounted, and src/io/mount_table.c,
 * which keeps the table.
 */
#ifndef _IOSTAT_MOUNT_TABLE_H
#define _IOSTAT_MOUNT_TABLE_H

#include <linux/types.h>

/*
 * To be called before the text of the next table is read. Only one caller at a time reads and
 * replaces.
 */
void iostat_mount_table_begin(void);

/**
 * iostat_mount_table_replace - replaces the table by a new one
 * @text: the text of mountinfo, or NULL for no table
 * @len: its length in bytes
 * @keeps_former: whether mounts that no longer exist stay in the table, until
 *	iostat_mount_table_forget()
 *
 * May sleep.
 *
 * Return: whether there is a table now.
 */
bool iostat_mount_table_replace(const char *text, size_t len, bool keeps_former);

/* To be called when the super block with this device number is gone. Any context but NMI. */
void iostat_mount_table_forget(dev_t dev);

/*
 * Returns a number that changes whenever lookups in the table may have other results. To be called before a
 * lookup. Any context.
 */
unsigned long iostat_mount_table_version(void);

/*
 * A table, which src/glue/mounts.rs allocates. The functions below return pointers into the table, or into the path
 * that they are given. They take no lock; the caller must exclude iostat_mounts_free().
 */
struct iostat_mounts;

/*
 * Creates a table from a text of mountinfo, with the mounts that have been unmounted since @old, which may be NULL.
 * May sleep. Return: NULL without memory.
 */
struct iostat_mounts *iostat_mounts_new(const char *text, size_t len, const struct iostat_mounts *old);
void iostat_mounts_free(struct iostat_mounts *mounts);

/*
 * Marks the lines of the super block with this device number, or all lines, as gone. Any context.
 */
void iostat_mounts_set_gone(const struct iostat_mounts *mounts, dev_t dev);
void iostat_mounts_set_all_gone(const struct iostat_mounts *mounts);

/* As the functions of include/iostat/mounts.h. Any context. */
const char *iostat_mounts_of(const struct iostat_mounts *mounts, dev_t dev, const char *path, const char **rest);
const char *iostat_mounts_of_all(const struct iostat_mounts *mounts, dev_t dev);
const char *iostat_mounts_at(const struct iostat_mounts *mounts, dev_t dev, const char *path, const char *name);

#endif /* _IOSTAT_MOUNT_TABLE_H */
