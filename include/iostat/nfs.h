/* SPDX-License-Identifier: GPL-2.0 */
/*
 * I/O of NFS clients: from the tracepoints of nfs.ko to the recorder, and which
 * file systems there are.
 */
#ifndef _IOSTAT_NFS_H
#define _IOSTAT_NFS_H

#include <iostat/probes.h>
#include <linux/types.h>

struct inode;

/**
 * struct iostat_nfs_io - a call of READ, WRITE or COMMIT
 * @key: address of what the client keeps of it
 * @mount: address of the backing_dev_info of its file system
 * @offset: where in the file, bytes
 * @bytes: how many are asked for; 0 of a COMMIT
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

/* What the probes of src/hooks/nfs.c call, the first and the last with interrupts off. */
typedef void (*iostat_nfs_start_fn)(const void *state, const struct iostat_nfs_io *io,
				    struct iostat_probe_ctx here);
typedef void (*iostat_nfs_traced_fn)(const void *state, const struct iostat_nfs_io *io,
				     struct inode *inode);
typedef void (*iostat_nfs_done_fn)(const void *state, const struct iostat_nfs_io *io,
				   struct iostat_probe_ctx here, u32 bytes, int error);

void iostat_nfs_start(const void *state, const struct iostat_nfs_io *io, struct iostat_probe_ctx here);
/* While io:start or io:done is on, with interrupts as the tracepoint had them. */
void iostat_nfs_start_trace(const void *state, const struct iostat_nfs_io *io,
			     struct inode *inode);
/* @bytes were transferred; @error is a positive errno, or 0. */
void iostat_nfs_done(const void *state, const struct iostat_nfs_io *io, struct iostat_probe_ctx here,
		     u32 bytes, int error);

/**
 * struct iostat_nfs_mounts - who keeps the accounts of NFS file systems
 * @mounted: there is one, at this key, of this number; it has done no I/O, unless it was there
 *	before. May sleep, and must not start I/O to get memory.
 * @unmounted: what was there at this key, if anything, has done its last I/O. May sleep.
 * @state: their first argument
 */
struct iostat_nfs_mounts {
	void (*mounted)(const void *state, u64 key, u32 dev);
	void (*unmounted)(const void *state, u64 key);
	const void *state;
};

/**
 * iostat_nfs_open - trace nfs.ko, now or once it is loaded
 * @mounts: copied
 * @probe_state: the first argument of what the probes call
 *
 * May sleep. Once, until iostat_nfs_close().
 *
 * Return: 0, or what register_tracepoint_module_notifier() says.
 */
int iostat_nfs_open(const struct iostat_nfs_mounts *mounts, const void *probe_state);

/* All file systems are unmounted as far as @mounts knows, and no probe runs. May sleep. */
void iostat_nfs_close(void);

#endif /* _IOSTAT_NFS_H */
