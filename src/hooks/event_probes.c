// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of what is only counted: whose disk it is, and on to Rust. (Merges of
 * bios are traced as well, while io:merge is on.)
 */

#include <iostat/event_probes.h>
#include <iostat/probes.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>
#include <trace/events/io.h>

static void notrace bio_merge(void *state, struct bio *bio, enum iostat_event event)
{
	const struct gendisk *disk = bio->bi_bdev->bd_disk;

	iostat_event(state, disk, event);
	if (!op_is_discard(bio_op(bio)))
		iostat_event(state, disk, op_is_write(bio_op(bio)) ? IOSTAT_EVENT_WRITE_MERGE :
								     IOSTAT_EVENT_READ_MERGE);
	if (trace_merge_enabled())
		iostat_bio_merge_trace(state, bio);
}

void notrace iostat_probe_bio_backmerge(void *state, struct bio *bio)
{
	bio_merge(state, bio, IOSTAT_EVENT_BIO_BACKMERGE);
}

void notrace iostat_probe_bio_frontmerge(void *state, struct bio *bio)
{
	bio_merge(state, bio, IOSTAT_EVENT_BIO_FRONTMERGE);
}

void notrace iostat_probe_split(void *state, struct bio *bio, unsigned int new_sector)
{
	iostat_event(state, bio->bi_bdev->bd_disk, IOSTAT_EVENT_SPLIT);
}

void notrace iostat_probe_bio_remap(void *state, struct bio *bio, dev_t dev, sector_t from)
{
	iostat_event(state, bio->bi_bdev->bd_disk, IOSTAT_EVENT_BIO_REMAP);
}

void notrace iostat_probe_rq_remap(void *state, struct request *rq, dev_t dev, sector_t from)
{
	iostat_event(state, READ_ONCE(rq->q->disk), IOSTAT_EVENT_RQ_REMAP);
}

void notrace iostat_probe_plug(void *state, struct request_queue *q)
{
	iostat_event(state, READ_ONCE(q->disk), IOSTAT_EVENT_PLUG);
}

void notrace iostat_probe_unplug(void *state, struct request_queue *q, unsigned int depth,
				 bool explicit)
{
	iostat_event(state, READ_ONCE(q->disk),
		     explicit ? IOSTAT_EVENT_UNPLUG : IOSTAT_EVENT_UNPLUG_SCHEDULE);
}

void notrace iostat_probe_zone_append(void *state, struct request *rq)
{
	iostat_event(state, READ_ONCE(rq->q->disk), IOSTAT_EVENT_ZONE_APPEND);
}

void notrace iostat_probe_zone_plug(void *state, struct request_queue *q, unsigned int zno,
				    sector_t sector, unsigned int nr_sectors)
{
	iostat_event(state, READ_ONCE(q->disk), IOSTAT_EVENT_ZONE_PLUG);
}

void notrace iostat_probe_zone_unplug(void *state, struct request_queue *q, unsigned int zno,
				      sector_t sector, unsigned int nr_sectors)
{
	iostat_event(state, READ_ONCE(q->disk), IOSTAT_EVENT_ZONE_UNPLUG);
}

/* Should a TP_PROTO change, this no longer compiles. It makes no code. */
static void __maybe_unused check(void)
{
	check_trace_callback_type_block_bio_backmerge(iostat_probe_bio_backmerge);
	check_trace_callback_type_block_bio_frontmerge(iostat_probe_bio_frontmerge);
	check_trace_callback_type_block_split(iostat_probe_split);
	check_trace_callback_type_block_bio_remap(iostat_probe_bio_remap);
	check_trace_callback_type_block_rq_remap(iostat_probe_rq_remap);
	check_trace_callback_type_block_plug(iostat_probe_plug);
	check_trace_callback_type_block_unplug(iostat_probe_unplug);
	check_trace_callback_type_blk_zone_append_update_request_bio(iostat_probe_zone_append);
	check_trace_callback_type_disk_zone_wplug_add_bio(iostat_probe_zone_plug);
	check_trace_callback_type_blk_zone_wplug_bio(iostat_probe_zone_unplug);
}
