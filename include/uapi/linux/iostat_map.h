/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The memory that mmap() of /dev/iostat maps read-only: a struct iostat_map_header, and for each device a
 * struct iostat_map_device, a struct iostat_cpu_record that its CPUs share, and one for each CPU that has done
 * I/O on it. Include linux/iostat.h, which includes this file.
 */
#ifndef _UAPI_LINUX_IOSTAT_MAP_H
#define _UAPI_LINUX_IOSTAT_MAP_H

#define IOSTAT_MAP_MAGIC	0x70616d7461747369ULL	/* "istatmap" */

/**
 * struct iostat_map_clock - how the recorder reads the time
 * @seq: odd while the others change; read as a sequence count
 * @source: IOSTAT_CLOCK_*
 * @mult: ns per cycle, as a fixed-point number with 32 fractional bits
 * @tsc_offset: ns to add to the product
 * @raw_offset: ns to add to CLOCK_MONOTONIC_RAW
 */
struct iostat_map_clock {
	__aligned_u64 seq;
	__aligned_u64 source;
	__aligned_u64 mult;
	__aligned_u64 tsc_offset;
	__aligned_u64 raw_offset;
};
#define IOSTAT_CLOCK_RAW	0	/* CLOCK_MONOTONIC_RAW + raw_offset */
#define IOSTAT_CLOCK_TSC	1	/* (rdtsc * mult, in 128 bits, >> 32) + tsc_offset */
#define IOSTAT_CLOCK_CNTVCT	2	/* as IOSTAT_CLOCK_TSC, with arm64's cntvct_el0 */

/**
 * struct iostat_map_header - at the start of the file
 * @magic: IOSTAT_MAP_MAGIC
 * @version: IOSTAT_ABI_VERSION
 * @header_bytes: size of this structure, bytes
 * @page_bytes: size of a page, bytes: offsets and lengths of mappings are multiples of it
 * @records: maximum number of records of a device
 * @blocks_offset: offset of the memory of device number 0 in the file, bytes
 * @block_bytes: size of the memory of each device, bytes
 * @record_offset: offset of the first record in the memory of a device, bytes
 * @record_stride: distance between two records, bytes
 * @record_bytes: size of struct iostat_cpu_record, bytes
 * @latency_offset: offset of the first histogram in that structure, bytes
 * @classes: number of classes with histograms in a record, and in a struct iostat_map_device
 * @phases: number of histograms of each class
 * @buckets: number of buckets of each histogram
 * @histogram_bytes: distance between two histograms, bytes
 * @generation: generation of the list of devices; changes while mapped
 * @clock: how to read the clock; changes while mapped
 * @bases_offset: distance of a struct iostat_bases from its struct iostat_map_device or
 *	iostat_cpu_record, bytes
 * @base_shift: see struct iostat_bases
 * @reserved: 0
 * @bounds: bounds of the buckets, ns: bucket i holds times above bound i - 1 and up to bound i
 */
struct iostat_map_header {
	__aligned_u64 magic;
	__u32 version;
	__u32 header_bytes;
	__u32 page_bytes;
	__u32 records;
	__aligned_u64 blocks_offset;
	__aligned_u64 block_bytes;
	__u32 record_offset;
	__u32 record_stride;
	__u32 record_bytes;
	__u32 latency_offset;
	__u32 classes;
	__u32 phases;
	__u32 buckets;
	__u32 histogram_bytes;
	__aligned_u64 generation;
	struct iostat_map_clock clock;
	__u32 bases_offset;
	__u32 base_shift;
	__aligned_u64 reserved[7];
	__aligned_u64 bounds[IOSTAT_BUCKETS - 1];
};

/**
 * struct iostat_cpu_histogram - times of transactions
 * @counts: the low 32 bits of the number of transactions, by bucket: see struct iostat_bases
 * @shortest_negated: the shortest time, ns, negated modulo 2^64
 * @span: the longest time less the shortest, plus 1, ns; 0 if there was no time
 */
struct iostat_cpu_histogram {
	__u32 counts[IOSTAT_BUCKETS];
	__aligned_u64 shortest_negated;
	__aligned_u64 span;
};

/**
 * struct iostat_bases - numbers near which the counts of histograms are
 * @bases: by the number of the histogram and by bucket
 * @sizes: the bases of the histograms of sizes, by bucket, of the same two classes
 *
 * With base = (__u64)bases[][][] << base_shift, a count is base + (__s32)(counts[] - (__u32)base). Without a
 * struct iostat_bases, all bases are 0.
 */
struct iostat_bases {
	__u32 bases[2][IOSTAT_PHASES][IOSTAT_BUCKETS];
	__u32 sizes[IOSTAT_SIZES][2];
};

#define IOSTAT_PRESENT_WORDS	130

/**
 * struct iostat_map_device - at the start of a device's memory
 * @magic: IOSTAT_MAP_MAGIC
 * @state: IOSTAT_MAP_*; changes while mapped
 * @device: identity of the device. Members that a later version adds to struct iostat_device are not here
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
 * @latency: times of IOSTAT_CLASS_NONE and IOSTAT_CLASS_FREE, by enum iostat_phase: on all CPUs, under
 *	the sequence count of record 0
 * @sizes: the low 32 bits of the number of transactions of IOSTAT_CLASS_FREE, by bucket of their sizes, under the
 *	same sequence count
 * @padding: 0
 * @partitions: of a disk: in the upper half, the number of changes of the set of partitions whose records count
 *	for it; in the lower half, the number of partitions that have left the list, but whose records still count.
 *	Changes while mapped
 * @present: a bit for each record that exists; bits are set while mapped. The page of a record or of bases that
 *	does not exist cannot be read (SIGBUS)
 */
struct iostat_map_device {
	__aligned_u64 magic;
	__aligned_u64 state;
	struct iostat_device device;
	__aligned_u64 has_bases;
	struct iostat_cpu_histogram latency[2][IOSTAT_PHASES];
	__u32 sizes[IOSTAT_SIZES];
	__u32 padding;
	__aligned_u64 partitions;
	__aligned_u64 present[IOSTAT_PRESENT_WORDS];
};
#define IOSTAT_MAP_PRESENT	0
#define IOSTAT_MAP_GONE		1	/* removed: its counts no longer change */

/**
 * struct iostat_cpu_queue - entries to and exits from a queue, or rises and falls of a line that is 0 or 1
 * @n_in: entries
 * @t_in: sum of their times, ns
 * @n_out: exits
 * @t_out: sum of their times, ns
 * @last: time of the latest change, ns; 0 if there was none. Not kept for lines
 */
struct iostat_cpu_queue {
	__aligned_u64 n_in;
	__aligned_u64 t_in;
	__aligned_u64 n_out;
	__aligned_u64 t_out;
	__aligned_u64 last;
};

/**
 * struct iostat_cpu_record - a part of the counts of one device: record 0 is that of CPUs without a record of
 * their own, record 1 + n that of CPU n
 * @seq: odd while the others change; read as a sequence count
 * @start_count: transactions started
 * @merged: transactions that ended by becoming part of another request
 * @refused: transactions that ended because the device was busy
 * @abandoned: transactions whose end was not reported
 * @reserved: 0
 * @bytes: bytes transferred without error, by enum iostat_class
 * @duration: sum of the times of completed transactions, ns, by enum iostat_class
 * @service: sum of their times in the run queue, ns, by enum iostat_class
 * @completed: transactions completed, by IOSTAT_CLASSES * enum iostat_tag + enum iostat_class; those without a tag have
 *	IOSTAT_TAGS in place of the tag
 * @waitq: the wait queue
 * @runq: the run queue
 * @waitq_busy: whether the wait queue is not empty
 * @runq_busy: whether the run queue is not empty
 * @both_busy: whether both queues are not empty
 * @disk_waitq_busy: of a partition: to be added to @waitq_busy for its disk; all members may be negative,
 *	modulo 2^64
 * @disk_runq_busy: as @disk_waitq_busy, for @runq_busy
 * @disk_both_busy: as @disk_waitq_busy, for @both_busy
 * @disk_waited: of a partition: to be added to t_in of @waitq for its disk, ns
 * @latency: times of IOSTAT_CLASS_READ and IOSTAT_CLASS_WRITE, by enum iostat_phase
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
 * @sizes: the low 32 bits of the numbers of reads and of writes, by bucket of their sizes: see IOSTAT_SIZES
 * @padding: 0
 */
struct iostat_cpu_record {
	__aligned_u64 seq;
	__aligned_u64 start_count;
	__aligned_u64 merged;
	__aligned_u64 refused;
	__aligned_u64 abandoned;
	__aligned_u64 reserved[2];
	__aligned_u64 bytes[IOSTAT_CLASSES];
	__aligned_u64 duration[IOSTAT_CLASSES];
	__aligned_u64 service[IOSTAT_CLASSES];
	__aligned_u64 completed[4 * IOSTAT_CLASSES];
	struct iostat_cpu_queue waitq;
	struct iostat_cpu_queue runq;
	struct iostat_cpu_queue waitq_busy;
	struct iostat_cpu_queue runq_busy;
	struct iostat_cpu_queue both_busy;
	struct iostat_cpu_queue disk_waitq_busy;
	struct iostat_cpu_queue disk_runq_busy;
	struct iostat_cpu_queue disk_both_busy;
	__aligned_u64 disk_waited;
	struct iostat_cpu_histogram latency[2][IOSTAT_PHASES];
	__aligned_u64 has_bases;
	__u32 sizes[IOSTAT_SIZES][2];
	__aligned_u64 padding[6];
};

#endif /* _UAPI_LINUX_IOSTAT_MAP_H */
