/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of the events io:start and io:done: bufinfo_t, devinfo_t and fileinfo_t of the DTrace
 * io provider, under their names, and additional fields.
 *
 * In texts, bytes that would end a word or a line, and the backslash, are written as a backslash
 * and three octal digits, as in proc_pid_mountinfo(5): see iostat/text.h. A text that is too long
 * is replaced by "..." and its end, in which files differ. Unused bytes of an array are zero.
 *
 * The keys of a hist trigger have 504 bytes together, and a text that is not an array
 * takes 256 of them. So the names of the device, the thread and the file are arrays; bpftrace 0.23 cannot read others.
 */
#ifndef _IOSTAT_IO_H
#define _IOSTAT_IO_H

#include <linux/types.h>

/* b_flags, with the values of illumos' sys/buf.h. */
#define IOSTAT_B_DONE	0x0002	/* the I/O is over (done only) */
#define IOSTAT_B_ERROR	0x0004	/* it failed: see b_error (done only) */
#define IOSTAT_B_PAGEIO	0x0010	/* to or from the page cache, or swap */
#define IOSTAT_B_PHYS	0x0020	/* to or from other memory of the user or the kernel */
#define IOSTAT_B_READ	0x0040	/* data comes from the device */
#define IOSTAT_B_WRITE	0x0100	/* everything else, also I/O without data */
#define IOSTAT_B_ASYNC	0x0400	/* REQ_SYNC is not set */

/* How an I/O ended. */
#define IOSTAT_COMPLETED	0	/* the device has handled all of it */
#define IOSTAT_MERGED		1	/* merged into another I/O, which transfers its data */
#define IOSTAT_REFUSED		2	/* the device was busy; it is submitted again as another I/O */
#define IOSTAT_ABANDONED	3	/* its memory was used again, and no event has reported its end */

/* The longest names have 35 bytes: those of partitions. */
#define IOSTAT_STATNAME_LEN	36
#define IOSTAT_COMM_LEN		20
#define IOSTAT_FS_LEN		12
#define IOSTAT_PATH_LEN		68
#define IOSTAT_FUNCTION_LEN	32

/* The maximum lengths of texts that are not arrays, including a NUL. */
#define IOSTAT_DRIVER_LEN	32
#define IOSTAT_DEV_PATH_LEN	68
#define IOSTAT_MOUNT_LEN	40
#define IOSTAT_DIR_LEN		128

/* The maximum length of the texts of a device and of a file. They are copied in whole words. */
#define IOSTAT_DEV_BYTES	104
#define IOSTAT_FILE_BYTES	168

/**
 * struct iostat_bufinfo - the request of an I/O
 * @id: the same number in the start and the done of an I/O; 0 in a done whose start was not traced
 * @b_flags: IOSTAT_B_*
 * @b_bcount: requested bytes
 * @b_bufsize: size of the buffer, bytes; on Linux equal to @b_bcount
 * @b_edev: device number, the kernel's dev_t
 * @b_addr: address of the buffer; 0, as a Linux I/O has no single one
 * @b_blkno: first sector of 512 bytes on the whole disk
 * @b_lblkno: first sector within the partition, if there is one
 * @b_iodone: the function that is called at the end of the I/O, or of its first bio
 */
struct iostat_bufinfo {
	__u64 id;
	__u32 b_flags;
	__u32 b_bcount;
	__u32 b_bufsize;
	__u32 b_edev;
	__u64 b_addr;
	__u64 b_blkno;
	__u64 b_lblkno;
	__u64 b_iodone;
};

/**
 * struct iostat_devinfo - the disk or partition an I/O was submitted to
 * @dev_major: major number
 * @dev_minor: minor number
 * @dev_instance: the number the disk's name ends in
 * @dev_statname: the kernel's name of the disk or partition; MAJOR:MINOR if the name, with its escaped bytes, is
 *	longer than this array
 *
 * Blanks, backslashes and bytes that are not printable ASCII are written as a backslash and three octal digits, as
 * in /proc/self/mountinfo.
 */
struct iostat_devinfo {
	__u32 dev_major;
	__u32 dev_minor;
	__s32 dev_instance;
	char dev_statname[IOSTAT_STATNAME_LEN];
};

/*
 * The location of a text, in the format of a dynamic array of a trace event: its length, with the NUL, in the upper
 * half, and the offset of its first byte in the lower half.
 */
#define IOSTAT_LOC(offset, size)	((__u32)(size) << 16 | (offset))

/**
 * struct iostat_traced_device - a disk or partition as it is traced
 * @info: its numbers and its name
 * @dev_name: location of its driver in @texts
 * @dev_pathname: location of its path below /sys in @texts
 * @bytes: bytes of @texts in use, whole words
 * @texts: both texts
 */
struct iostat_traced_device {
	struct iostat_devinfo info;
	__u32 dev_name;
	__u32 dev_pathname;
	__u32 bytes;
	char texts[IOSTAT_DEV_BYTES] __aligned(8);
};

/**
 * struct iostat_task - the task that submitted an I/O
 * @cgroup: id of the cgroup that the I/O is charged to; 0 if there is none
 * @pid: id of the thread
 * @tgid: id of the process
 * @uid: real user id, in the initial user namespace; 2^32 - 1 if it is not known
 * @comm: name of the thread
 */
struct iostat_task {
	__u64 cgroup;
	__u32 pid;
	__u32 tgid;
	__u32 uid;
	char comm[IOSTAT_COMM_LEN];
};

/**
 * struct iostat_fileinfo - the file that an I/O belongs to
 * @fi_offset: offset in the file, bytes; -1 if it is not known
 * @fi_oflags: flags that the file was opened with; 0 if they are not known
 * @fi_name: location of the last component of its path in an event: the end of @fi_pathname
 * @fi_fs: type of its file system
 * @fi_pathname: its path
 */
struct iostat_fileinfo {
	__s64 fi_offset;
	__u32 fi_oflags;
	__u32 fi_name;
	char fi_fs[IOSTAT_FS_LEN];
	char fi_pathname[IOSTAT_PATH_LEN];
};

/**
 * struct iostat_where - locations of the texts without a fixed length in the event io:start
 * @fi_mount: mount point of the file system
 * @fi_dirname: path of the file without the last component
 * @dev_name: driver of the disk or partition
 * @dev_pathname: path of the disk or partition below /sys
 */
struct iostat_where {
	__u32 fi_mount;
	__u32 fi_dirname;
	__u32 dev_name;
	__u32 dev_pathname;
};

/**
 * struct iostat_result - how an I/O ended
 * @b_resid: bytes not transferred
 * @b_error: errno, positive, or 0
 * @wait_ns: time in the wait queue
 * @service_ns: time in the run queue
 * @outcome: IOSTAT_COMPLETED and so on
 * @b_bcount: length of the I/O at its end, without the bytes that failed before, bytes. The event io:done has
 *	      the members before this one
 */
struct iostat_result {
	__u32 b_resid;
	__s32 b_error;
	__u64 wait_ns;
	__u64 service_ns;
	__u32 outcome;
	__u32 b_bcount;
};

/**
 * struct iostat_io - one I/O; the members before @result are traced at its start
 * @buf: the request
 * @dev: the disk or partition
 * @task: its submitter
 * @file: the file that it belongs to
 * @where: locations of the texts of the file and the device
 * @result: how it ended
 * @period: the number of the period, during which io:start or io:done was enabled, that it started in; 0 after its
 *	    done was traced
 * @is_plain: whether nothing is escaped in the name of the task
 * @bytes: bytes of @texts in use, whole words
 * @texts: the texts of the file, followed by those of the device
 */
struct iostat_io {
	struct iostat_bufinfo buf;
	struct iostat_devinfo dev;
	struct iostat_task task;
	struct iostat_fileinfo file;
	struct iostat_where where;
	struct iostat_result result;
	__u64 period;
	__u32 is_plain;
	__u32 bytes;
	char texts[IOSTAT_FILE_BYTES + IOSTAT_DEV_BYTES] __aligned(8);
};

#endif /* _IOSTAT_IO_H */
