/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts about a file: type of file system, mount point, and path.
 */
#ifndef _IOSTAT_FILE_TEXTS_H
#define _IOSTAT_FILE_TEXTS_H

#include <iostat/io.h>
#include <linux/types.h>

struct block_device;
struct file;
struct inode;

/*
 * Each of these functions sets the file of an I/O, and the texts of the file. The caller holds a reference to the
 * argument, and is in an RCU read-side critical section.
 */

/* An open file. Its fi_offset is not known. */
void iostat_file_texts(struct iostat_io *io, const struct file *filp);

/* A file that need not be open. Its fi_offset is not known. */
void iostat_file_texts_of_inode(struct iostat_io *io, struct inode *inode);

/*
 * A block device: the path of its node, or <none> while the device is claimed, for example by a
 * file system.
 */
void iostat_file_texts_of_bdev(struct iostat_io *io, const struct block_device *bdev, loff_t pos);

/**
 * iostat_set_file - sets the file of an I/O. In src/glue/file_texts.rs
 * @io: the I/O. The offset and the flags of the file become 0
 * @fs: type of the file system
 * @mount: mount point, or NULL if it is not known
 * @path: path of the file, or NULL if it is not known
 * @len: length of @path
 *
 * Context: Any context.
 */
void iostat_set_file(struct iostat_io *io, const char *fs, const char *mount, const char *path,
		     size_t len);

#endif /* _IOSTAT_FILE_TEXTS_H */
