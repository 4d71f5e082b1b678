/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events io:start and io:done say of an I/O: bufinfo_t and devinfo_t
 * of the DTrace io provider, under their names.
 */
#ifndef _IOSTAT_IO_H
#define _IOSTAT_IO_H

#include <linux/types.h>

/* b_flags, with the values of illumos' sys/buf.h. */
#define IOSTAT_B_DONE	0x0002	/* the I/O is over (done only) */
#define IOSTAT_B_ERROR	0x0004	/* it failed: see b_error (done only) */
#define IOSTAT_B_PAGEIO	0x0010	/* to or from the page cache */
#define IOSTAT_B_PHYS	0x0020	/* to or from the caller's own memory */
#define IOSTAT_B_READ	0x0040	/* data comes from the device */
#define IOSTAT_B_WRITE	0x0100	/* everything else */
#define IOSTAT_B_ASYNC	0x0400	/* nobody waits for it */

#define IOSTAT_NAME_LEN	32

/**
 * struct iostat_io - one I/O, at its start or its end
 * @id: pairs a done with its start; 0 in a done whose start was not traced
 * @b_flags: IOSTAT_B_*
 * @b_bcount: bytes asked for
 * @b_bufsize: size of the buffer, bytes; on Linux the same
 * @b_resid: bytes not transferred (done only)
 * @b_addr: address of the buffer; 0, as a Linux I/O has no single one
 * @b_blkno: first sector of 512 bytes on the whole disk
 * @b_lblkno: the same within the partition, if there is one
 * @b_iodone: the function called when the I/O is over
 * @b_error: errno, positive, or 0 (done only)
 * @b_edev: device number, the kernel's dev_t
 * @dev_major: its major
 * @dev_minor: its minor
 * @dev_instance: the number the disk's name ends in
 * @dev_name: driver
 * @dev_statname: the kernel's name of disk or partition
 * @wait_ns: time in the wait queue (done only)
 * @service_ns: time in the run queue (done only)
 */
struct iostat_io {
	__u64 id;
	__u32 b_flags;
	__u32 b_bcount;
	__u32 b_bufsize;
	__u32 b_resid;
	__u64 b_addr;
	__u64 b_blkno;
	__u64 b_lblkno;
	__u64 b_iodone;
	__s32 b_error;
	__u32 b_edev;
	__u32 dev_major;
	__u32 dev_minor;
	__s32 dev_instance;
	char dev_name[IOSTAT_NAME_LEN];
	char dev_statname[IOSTAT_NAME_LEN];
	__u64 wait_ns;
	__u64 service_ns;
};

#endif /* _IOSTAT_IO_H */
