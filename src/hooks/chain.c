// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of bios: see include/iostat/chain.h.
 */

#include <iostat/chain.h>
#include <linux/bio.h>

/* bio_chain_endio() is not exported, but bio_chain() stores its address. */
static noinline bio_end_io_t *find_end_io(void)
{
	struct bio bio = {}, parent = {};

	bio_chain(&bio, &parent);
	return bio.bi_end_io;
}

struct bio *iostat_bio_parent(const struct bio *bio)
{
	static bio_end_io_t *chain_end_io;
	bio_end_io_t *end_io = READ_ONCE(chain_end_io);

	if (unlikely(!end_io)) {
		end_io = find_end_io();
		WRITE_ONCE(chain_end_io, end_io);
	}
	/* Others are chained, too, as those of a large discard. */
	return bio->bi_end_io == end_io && bio_flagged(bio, BIO_CLONED) ? bio->bi_private : NULL;
}
