/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of src/kapi/exports/devstat.rs that src/hooks/transactions.c
 * calls for the transactions of a client, after it has disabled interrupts and
 * read the time.
 */
#ifndef _IOSTAT_TRANSACTIONS_H
#define _IOSTAT_TRANSACTIONS_H

#include <iostat/devstat.h>
#include <iostat/probes.h>

/**
 * struct iostat_end - the arguments of the end of a transaction
 * @bytes: bytes transferred
 * @tag_type: DEVSTAT_TAG_*
 * @flags: DEVSTAT_READ and so on
 * @then: when it started, or NULL
 */
struct iostat_end {
	u64 bytes;
	u32 tag_type;
	u32 flags;
	const u64 *then;
};

/* Called with interrupts off. */
int iostat_start(const struct devstat *ds, struct iostat_probe_ctx here);
int iostat_end(const struct devstat *ds, const struct iostat_end *end, struct iostat_probe_ctx here);
/* DEVSTAT_READ and so on, for an operation on so many bytes. */
u32 iostat_class(u8 op, u32 bytes);

#endif /* _IOSTAT_TRANSACTIONS_H */
