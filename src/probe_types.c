// SPDX-License-Identifier: GPL-2.0
/*
 * Holds the types of our probes against the kernel's tracepoints: should a
 * TP_PROTO change, this file no longer compiles. It makes no code.
 */

#include <iostat/probes.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

static void __maybe_unused check(iostat_rq_probe_t rq, iostat_rq_complete_probe_t rq_complete,
				 iostat_bio_probe_t bio,
				 iostat_bio_complete_probe_t bio_complete)
{
	check_trace_callback_type_block_io_start(rq);
	check_trace_callback_type_block_rq_issue(rq);
	check_trace_callback_type_block_rq_requeue(rq);
	check_trace_callback_type_block_rq_merge(rq);
	check_trace_callback_type_block_rq_complete(rq_complete);
	check_trace_callback_type_block_bio_queue(bio);
	check_trace_callback_type_block_bio_complete(bio_complete);
}
