/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between src/io/mounts.c, which reads where file systems are mounted, and src/io/mount_table.c, which keeps it.
 */
#ifndef _IOSTAT_MOUNT_TABLE_H
#define _IOSTAT_MOUNT_TABLE_H

#include <linux/types.h>

/* The text of the next table is about to be read. Only one caller at a time reads and replaces. */
void iostat_mount_table_begin(void);

/**
 * iostat_mount_table_replace - a new table in place of the one there is
 * @text: that of mountinfo, or NULL for no table
 * @len: its length in bytes
 * @keeps_former: whether what is no longer mounted stays, until iostat_mount_table_forget()
 *
 * May sleep.
 *
 * Return: whether there is a table now.
 */
bool iostat_mount_table_replace(const char *text, size_t len, bool keeps_former);

/* The super block with this device number is gone. From any context but NMI. */
void iostat_mount_table_forget(dev_t dev);

/*
 * Another number when something else may be found in the table: to be asked before it is looked at. From any
 * context.
 */
unsigned long iostat_mount_table_version(void);

/*
 * A table, which src/glue/mounts.rs allocates. What the functions below return is a part of it, or of a path that they get.
 * They take no lock, so that the caller excludes iostat_mounts_free().
 */
struct iostat_mounts;

/* A table of a text of mountinfo, with what has been unmounted since @old, which may be NULL. May sleep. Return: NULL without memory. */
struct iostat_mounts *iostat_mounts_new(const char *text, size_t len, const struct iostat_mounts *old);
void iostat_mounts_free(struct iostat_mounts *mounts);

/* The super block with this device number is gone; those of all. Any context. */
void iostat_mounts_set_gone(const struct iostat_mounts *mounts, dev_t dev);
void iostat_mounts_set_all_gone(const struct iostat_mounts *mounts);

/* As the functions of include/iostat/mounts.h. Any context. */
const char *iostat_mounts_of(const struct iostat_mounts *mounts, dev_t dev, const char *path, const char **rest);
const char *iostat_mounts_of_all(const struct iostat_mounts *mounts, dev_t dev);
const char *iostat_mounts_at(const struct iostat_mounts *mounts, dev_t dev, const char *path, const char *name);

#endif /* _IOSTAT_MOUNT_TABLE_H */
