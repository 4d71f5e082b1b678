/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of bindgen: the types and functions of this module. The kernel's types
 * that they use are those of kernel::bindings.
 */

#include <iostat/cgroups.h>
#include <iostat/chain.h>
#include <iostat/clients.h>
#include <iostat/clock.h>
#include <iostat/devstat.h>
#include <iostat/evcnt.h>
#include <iostat/file_texts.h>
#include <iostat/fileinfo.h>
#include <iostat/io.h>
#include <iostat/kstat.h>
#include <iostat/mount_table.h>
#include <iostat/nfs.h>
#include <iostat/peek.h>
#include <iostat/probes.h>
#include <iostat/submitter.h>
#include <iostat/text.h>
#include <iostat/transactions.h>
#include <iostat/waits.h>
#include <iostat/walk.h>
#include <iostat/io_trace.h>
#include <linux/blk-cgroup.h>
#include <linux/blk_types.h>
#include <linux/tracepoint.h>
#include <uapi/linux/iostat.h>

/* Defined by the trace events: see include/trace/events/io.h. */
extern struct tracepoint __tracepoint_done;
extern struct tracepoint __tracepoint_merge;

/* Numbers that are casts or come from macros: bindgen converts them only if they are in an enum. */
enum iostat_blk_status {
	IOSTAT_STS_OK = (__force u8)BLK_STS_OK,
	IOSTAT_STS_NOTSUPP = (__force u8)BLK_STS_NOTSUPP,
	IOSTAT_STS_TIMEOUT = (__force u8)BLK_STS_TIMEOUT,
	IOSTAT_STS_NOSPC = (__force u8)BLK_STS_NOSPC,
	IOSTAT_STS_TRANSPORT = (__force u8)BLK_STS_TRANSPORT,
	IOSTAT_STS_TARGET = (__force u8)BLK_STS_TARGET,
	IOSTAT_STS_RESV_CONFLICT = (__force u8)BLK_STS_RESV_CONFLICT,
	IOSTAT_STS_MEDIUM = (__force u8)BLK_STS_MEDIUM,
	IOSTAT_STS_PROTECTION = (__force u8)BLK_STS_PROTECTION,
	IOSTAT_STS_RESOURCE = (__force u8)BLK_STS_RESOURCE,
	IOSTAT_STS_IOERR = (__force u8)BLK_STS_IOERR,
	IOSTAT_STS_DM_REQUEUE = (__force u8)BLK_STS_DM_REQUEUE,
	IOSTAT_STS_AGAIN = (__force u8)BLK_STS_AGAIN,
	IOSTAT_STS_DEV_RESOURCE = (__force u8)BLK_STS_DEV_RESOURCE,
	IOSTAT_STS_ZONE_OPEN_RESOURCE = (__force u8)BLK_STS_ZONE_OPEN_RESOURCE,
	IOSTAT_STS_ZONE_ACTIVE_RESOURCE = (__force u8)BLK_STS_ZONE_ACTIVE_RESOURCE,
	IOSTAT_STS_OFFLINE = (__force u8)BLK_STS_OFFLINE,
	IOSTAT_STS_DURATION_LIMIT = (__force u8)BLK_STS_DURATION_LIMIT,
	IOSTAT_STS_INVAL = (__force u8)BLK_STS_INVAL,
};

enum iostat_which {
	IOSTAT_WHICH_READ_TOTAL = IOSTAT_HISTOGRAM(IOSTAT_CLASS_READ, IOSTAT_PHASE_TOTAL),
	IOSTAT_WHICH_READ_SIZES = IOSTAT_HISTOGRAM_SIZES(IOSTAT_CLASS_READ),
	IOSTAT_WHICH_ALL = IOSTAT_HISTOGRAM_ALL,
	IOSTAT_WHICH_PHASE_OF_SIZES = IOSTAT_PHASE_OF_SIZES,
};

enum iostat_call {
	IOSTAT_CALL_INFO = IOSTAT_IOC_INFO,
	IOSTAT_CALL_LIST = IOSTAT_IOC_LIST,
	IOSTAT_CALL_SNAPSHOT = IOSTAT_IOC_SNAPSHOT,
	IOSTAT_CALL_HISTOGRAM = IOSTAT_IOC_HISTOGRAM,
	IOSTAT_CALL_MESSAGE = IOSTAT_IOC_MESSAGE,
	IOSTAT_CALL_HISTOGRAMS = IOSTAT_IOC_HISTOGRAMS,
	IOSTAT_CALL_SLOW = IOSTAT_IOC_SLOW,
	IOSTAT_CALL_CGROUPS = IOSTAT_IOC_CGROUPS,
	IOSTAT_CALL_KSTAT_LIST = IOSTAT_IOC_KSTAT_LIST,
	IOSTAT_CALL_KSTAT_READ = IOSTAT_IOC_KSTAT_READ,
	IOSTAT_CALL_KSTAT_WRITE = IOSTAT_IOC_KSTAT_WRITE,
};
