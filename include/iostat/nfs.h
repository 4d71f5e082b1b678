/* SPDX-License-Identifier: GPL-2.0 */
/*
 * I/O of NFS clients, from the tracepoints of nfs.ko to the recorder, and
 * notifications of mounts.
 */
#ifndef _IOSTAT_NFS_H
#define _IOSTAT_NFS_H

#include <iostat/probes.h>
#include <linux/types.h>

struct inode;

/**
 * struct iostat_nfs_io - a call of READ, WRITE or COMMIT
 * @key: address of the client's structure for the call
 * @mount: address of the backing_dev_info of its file system
 * @offset: offset in the file, bytes
 * @bytes: requested bytes; 0 for a COMMIT
 * @op: REQ_OP_READ, REQ_OP_WRITE, or REQ_OP_FLUSH for a COMMIT
 * @is_direct: whether it is direct I/O
 */
struct iostat_nfs_io {
	u64 key;
	u64 mount;
	s64 offset;
	u32 bytes;
	u8 op;
	bool is_direct;
};

/*
 * The functions that the probes of src/hooks/nfs.c call, the first and the last with interrupts
 * off.
 */
typedef void (*iostat_nfs_start_fn)(const void *state, const struct iostat_nfs_io *io,
				    struct iostat_probe_ctx here);
typedef void (*iostat_nfs_traced_fn)(const void *state, const struct iostat_nfs_io *io,
				     struct inode *inode);
typedef void (*iostat_nfs_done_fn)(const void *state, const struct iostat_nfs_io *io,
				   struct iostat_probe_ctx here, u32 bytes, int error);

void iostat_nfs_start(const void *state, const struct iostat_nfs_io *io, struct iostat_probe_ctx here);
/* Called while io:start or io:done is enabled, with interrupts as at the tracepoint. */
void iostat_nfs_start_trace(const void *state, const struct iostat_nfs_io *io,
			     struct inode *inode);
/* @bytes were transferred; @error is a positive errno, or 0. */
void iostat_nfs_done(const void *state, const struct iostat_nfs_io *io, struct iostat_probe_ctx here,
		     u32 bytes, int error);

/**
 * struct iostat_nfs_mounts - a listener for mounts of NFS file systems
 * @mounted: a file system with this key and device number was mounted; it has done no I/O,
 *	unless it was mounted before iostat_nfs_open(). May sleep, and must not start I/O to get
 *	memory.
 * @unmounted: the file system with this key, if there is one, has done its last I/O. May
 *	sleep.
 * @state: first argument of both functions
 */
struct iostat_nfs_mounts {
	void (*mounted)(const void *state, u64 key, u32 dev);
	void (*unmounted)(const void *state, u64 key);
	const void *state;
};

/**
 * iostat_nfs_open - trace nfs.ko, now or once it is loaded
 * @mounts: copied
 * @probe_state: the first argument of the functions that the probes call
 *
 * May sleep. Must not be called again before iostat_nfs_close().
 *
 * Return: 0, or the error of register_tracepoint_module_notifier().
 */
int iostat_nfs_open(const struct iostat_nfs_mounts *mounts, const void *probe_state);

/* Calls unmounted() for all file systems. When it returns, no probe runs. May sleep. */
void iostat_nfs_close(void);

#endif /* _IOSTAT_NFS_H */
