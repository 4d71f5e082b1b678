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
 * @text: that of mountinfo, from kvmalloc(), which is given away; or NULL for no table
 * @keeps_former: whether what is no longer mounted stays, until iostat_mount_table_forget()
 *
 * May sleep.
 *
 * Return: whether there is a table now.
 */
bool iostat_mount_table_replace(char *text, bool keeps_former);

/* The super block with this device number is gone. From any context but NMI. */
void iostat_mount_table_forget(dev_t dev);

/*
 * Another number when something else may be found in the table: to be asked before it is looked at. From any
 * context.
 */
unsigned long iostat_mount_table_version(void);

#endif /* _IOSTAT_MOUNT_TABLE_H */
