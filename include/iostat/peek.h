/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads requests and bios that the caller does not own.
 */
#ifndef _IOSTAT_PEEK_H
#define _IOSTAT_PEEK_H

#include <linux/types.h>

/**
 * struct iostat_peeked - the values read at the address of a request or bio
 * @disk: address of the disk that it is sent to
 * @sector: first sector that remains
 * @bytes: bytes that remain
 * @op: REQ_OP_*
 */
struct iostat_peeked {
	u64 disk;
	u64 sector;
	u32 bytes;
	u8 op;
};

/**
 * iostat_peek_request - reads members of what may be a request
 * @address: any number
 * @peeked: the values at the address; undefined if they cannot be read
 *
 * The request may be freed at any time, before the call or during it, and its memory used for something else: no
 * pointer is followed but by copy_from_kernel_nofault(). The caller has to find out whether what was read was a
 * request at that time. In any context.
 *
 * Return: whether the memory could be read.
 */
bool iostat_peek_request(u64 address, struct iostat_peeked *peeked);

/* As iostat_peek_request(), for what may be a bio. */
bool iostat_peek_bio(u64 address, struct iostat_peeked *peeked);

#endif /* _IOSTAT_PEEK_H */
