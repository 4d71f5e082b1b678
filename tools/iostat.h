/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reading the statistics of disks without a system call, unless partitions come or go: the memory of /dev/iostat, mapped.
 *
 *	struct iostat_map map;
 *	struct iostat_mapped disk;
 *	struct iostat_snapshot now;
 *
 *	iostat_map_open(&map, "/dev/iostat");		once
 *	iostat_map_device(&map, &disk, offset);		once a device; map_offset of IOSTAT_IOC_LIST
 *	iostat_map_read(&map, &disk, &now);		as often as one likes
 *
 *	struct iostat_times times;
 *
 *	iostat_map_histogram(&map, &disk, IOSTAT_CLASS_READ, IOSTAT_PHASE_TOTAL, &times);
 *
 * Needs linux/iostat.h before it and no library; a 32-bit program, _FILE_OFFSET_BITS=64, and one in strict C,
 * _POSIX_C_SOURCE=200809L. C++ will do as well. A struct iostat_mapped is one thread's; any number of programs may map a
 * device. Functions return 0, or -1 with errno.
 */
#ifndef IOSTAT_TOOLS_H
#define IOSTAT_TOOLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct iostat_map {
	int fd;
	const struct iostat_map_header *header;
	size_t bytes;
};

struct iostat_mapped {
	const struct iostat_map_device *owner;
	/* Of a disk: its partitions, and how often they had changed. */
	const struct iostat_map_device **partitions;
	__u32 count;
	__u32 changes;
	/* Of which the next snapshot must be no less. */
	struct iostat_snapshot last;
};

/*
 * The words of a record that are added up: behind its sequence count, up to those that only a partition has, and these,
 * up to its histograms.
 */
#define IOSTAT_WORD(member) (offsetof(struct iostat_cpu_record, member) / sizeof(__u64) - 1)
#define IOSTAT_WORDS IOSTAT_WORD(disk_waitq_busy)
#define IOSTAT_DISK_WORDS (IOSTAT_WORD(latency) - IOSTAT_WORDS)
#define IOSTAT_QUEUES 5

struct iostat_sum {
	__u64 seq;
	__u64 word[IOSTAT_WORDS + IOSTAT_DISK_WORDS];
};

static inline struct iostat_cpu_queue *iostat_queue(struct iostat_sum *sum, int which)
{
	__u64 *word = sum->word + IOSTAT_WORD(waitq) + which * (IOSTAT_WORD(runq) - IOSTAT_WORD(waitq));

	return (struct iostat_cpu_queue *)word;
}

static inline __u64 iostat_load(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void iostat_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* cycles * mult >> 32, in halves: 32-bit programs have no 128 bits. */
static inline __u64 iostat_cycles_to_ns(__u64 cycles, __u64 mult)
{
	__u64 low = (__u32)cycles, high = cycles >> 32;

	return low * (mult >> 32) + high * mult + (low * (__u32)mult >> 32);
}

/*
 * The counter of the CPU, which source names: IOSTAT_CLOCK_TSC or IOSTAT_CLOCK_CNTVCT. It is read
 * neither before what was read, nor after what will be.
 */
static inline __u64 iostat_cycles(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int low, high;

	__asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a" (low), "=d" (high) : : "memory");
	return (__u64)high << 32 | low;
#elif defined(__aarch64__)
	__u64 cycles;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r" (cycles) : : "memory");
	return cycles;
#elif defined(__arm__) && __ARM_ARCH >= 7
	__u64 cycles;

	/* A 32-bit program under arm64 reads the same counter. */
	__asm__ __volatile__("isb\n\tmrrc p15, 1, %Q0, %R0, c14\n\tisb" : "=r" (cycles) : : "memory");
	return cycles;
#else
	return 0;
#endif
}

/* The time as the recorder reads it, ns. */
static inline __u64 iostat_now(const struct iostat_map_header *header)
{
	const struct iostat_map_clock *clock = &header->clock;
	struct timespec raw;
	__u64 seq, now;

	for (;; iostat_relax()) {
		seq = __atomic_load_n(&clock->seq, __ATOMIC_ACQUIRE);
		if (seq & 1)
			continue;
		if (iostat_load(&clock->source) != IOSTAT_CLOCK_RAW) {
			now = iostat_cycles_to_ns(iostat_cycles(), iostat_load(&clock->mult)) +
				iostat_load(&clock->tsc_offset);
		} else {
			clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
			now = raw.tv_sec * 1000000000ULL + raw.tv_nsec +
				iostat_load(&clock->raw_offset);
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (iostat_load(&clock->seq) == seq)
			return now;
	}
}

/* The record of an index, which must be there. */
static inline const struct iostat_cpu_record *
iostat_record(const struct iostat_map_header *header, const struct iostat_map_device *owner, __u32 index)
{
	const char *at = (const char *)owner + header->record_offset + (size_t)index * header->record_stride;

	return (const struct iostat_cpu_record *)at;
}

/* The next record that is there, from index *at on, which is then behind it; NULL if there is none. */
static inline const struct iostat_cpu_record *
iostat_next_record(const struct iostat_map_header *header, const struct iostat_map_device *owner, __u32 *at)
{
	while (*at < header->records) {
		__u32 index = *at;
		/* Acquire: the record was there before its bit. */
		__u64 rest = __atomic_load_n(owner->present + index / 64, __ATOMIC_ACQUIRE) >> index % 64;

		if (!rest) {
			*at = (index | 63) + 1;
			continue;
		}
		index += __builtin_ctzll(rest);
		*at = index + 1;
		return iostat_record(header, owner, index);
	}
	return NULL;
}

/* A device, or one of its partitions. */
static inline const struct iostat_map_device *iostat_owner(const struct iostat_mapped *disk, __u32 which)
{
	return which ? disk->partitions[which - 1] : disk->owner;
}

/* The larger of two. */
static inline void iostat_later(__u64 *into, __u64 from)
{
	if (from > *into)
		*into = from;
}

/* Words of a record as they were at one instant; the sequence count then. */
static inline __u64 iostat_copy(__u64 *to, const struct iostat_cpu_record *record, const __u64 *from,
				size_t words)
{
	for (;; iostat_relax()) {
		__u64 seq = __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);

		if (seq & 1)
			continue;
		for (size_t i = 0; i < words; i++)
			to[i] = iostat_load(from + i);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (iostat_load(&record->seq) == seq)
			return seq;
	}
}

static inline void iostat_add(struct iostat_sum *sum, struct iostat_sum *copy)
{
	__u64 last[IOSTAT_QUEUES];
	int i;

	/* Times of the latest change are not added up. */
	for (i = 0; i < IOSTAT_QUEUES; i++) {
		last[i] = iostat_queue(sum, i)->last;
		iostat_later(last + i, iostat_queue(copy, i)->last);
	}
	for (i = 0; i < (int)IOSTAT_WORDS; i++)
		sum->word[i] += copy->word[i];
	for (i = 0; i < IOSTAT_QUEUES; i++)
		iostat_queue(sum, i)->last = last[i];
	sum->seq += copy->seq;
}

/* Makes of a copy of a partition's record one of its disk's. */
static inline void iostat_for_disk(struct iostat_sum *copy)
{
	const __u64 *more = copy->word + IOSTAT_WORDS;
	int i;

	for (i = IOSTAT_WORD(waitq_busy); i < (int)IOSTAT_WORDS; i++)
		copy->word[i] += *more++;
	iostat_queue(copy, 0)->t_in += *more;
}

static inline void iostat_pass(const struct iostat_map_header *header,
			       const struct iostat_mapped *disk, struct iostat_sum *sum)
{
	const struct iostat_cpu_record *record;
	struct iostat_sum copy, *to = sum;
	__u32 which, at;

	for (which = 0; which <= disk->count; which++) {
		size_t words = IOSTAT_WORDS + (which ? IOSTAT_DISK_WORDS : 0);

		for (at = 0; (record = iostat_next_record(header, iostat_owner(disk, which), &at)); ) {
			/* Nothing was ever written. */
			if (!iostat_load(&record->seq))
				continue;
			to->seq = iostat_copy(to->word, record, &record->start_count, words);
			if (which)
				iostat_for_disk(to);
			if (to != sum)
				iostat_add(sum, to);
			to = &copy;
		}
	}
	if (to == sum)
		memset(sum, 0, sizeof(*sum));
}

static inline bool iostat_unchanged(const struct iostat_map_header *header,
				    const struct iostat_mapped *disk, __u64 seqs)
{
	const struct iostat_cpu_record *record;
	__u32 which, at;

	/* Orders the clock, or what was read before it, before these. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (which = 0; which <= disk->count; which++)
		for (at = 0; (record = iostat_next_record(header, iostat_owner(disk, which), &at)); )
			seqs -= iostat_load(&record->seq);
	return !seqs;
}

static inline void iostat_take_entries(struct iostat_sum *sum, struct iostat_sum *later)
{
	sum->word[IOSTAT_WORD(start_count)] = later->word[IOSTAT_WORD(start_count)];
	for (int i = 0; i < IOSTAT_QUEUES; i++) {
		struct iostat_cpu_queue *queue = iostat_queue(sum, i), *from = iostat_queue(later, i);

		queue->n_in = from->n_in;
		queue->t_in = from->t_in;
		queue->last = from->last;
	}
}

/* Queue length integrated over time. */
static inline __u64 iostat_lentime(const struct iostat_cpu_queue *queue, __u64 now)
{
	return queue->t_out - queue->t_in + (queue->n_in - queue->n_out) * now;
}

static inline __u64 iostat_min(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/* On the circle of 64 bits; 0 if it is behind. */
static inline __u64 iostat_growth(__u64 value, __u64 last)
{
	return (value - last) >> 63 ? 0 : value - last;
}

/* No less than last in any time, no busier since than time, nor than the queue was long. */
static inline void iostat_settle(struct iostat_snapshot *s, const struct iostat_snapshot *last)
{
	__u64 elapsed = s->snaptime > last->snaptime ? s->snaptime - last->snaptime : 0;
	__u64 wlen = iostat_growth(s->wlentime, last->wlentime);
	__u64 rlen = iostat_growth(s->rlentime, last->rlentime);
	__u64 wbusy = iostat_min(iostat_min(iostat_growth(s->wtime, last->wtime), elapsed), wlen);
	__u64 rbusy = iostat_min(iostat_min(iostat_growth(s->rtime, last->rtime), elapsed), rlen);
	__u64 busy = iostat_min(iostat_min(iostat_growth(s->busy_time, last->busy_time), elapsed),
				wbusy + rbusy);

	s->wlentime = last->wlentime + wlen;
	s->rlentime = last->rlentime + rlen;
	s->wtime = last->wtime + wbusy;
	s->rtime = last->rtime + rbusy;
	s->busy_time = last->busy_time + busy;
	iostat_later(&s->busy_time, s->wtime);
	iostat_later(&s->busy_time, s->rtime);
	s->busy_time = iostat_min(s->busy_time, last->busy_time + elapsed);
}

static inline void iostat_fill(struct iostat_snapshot *s, struct iostat_sum *sum,
				__u32 number, __u64 now)
{
	const struct iostat_cpu_queue *waitq = iostat_queue(sum, 0), *runq = iostat_queue(sum, 1);
	const __u64 *word = sum->word;

	memset(s, 0, sizeof(*s));
	s->number = number;
	s->snaptime = now;
	s->start_count = word[IOSTAT_WORD(start_count)];
	/* The counters from here to bytes, and the reserved words behind them, are the same in both. */
	memcpy((char *)s + offsetof(struct iostat_snapshot, merged), word + IOSTAT_WORD(merged),
	       offsetof(struct iostat_snapshot, bytes) - offsetof(struct iostat_snapshot, merged));
	s->end_count = s->merged + s->refused + s->abandoned;
	for (int c = 0; c < IOSTAT_CLASSES; c++) {
		s->bytes[c] = word[IOSTAT_WORD(bytes) + c];
		s->duration[c] = word[IOSTAT_WORD(duration) + c];
		s->service[c] = word[IOSTAT_WORD(service) + c];
		for (int tag = 0; tag < 4; tag++) {
			__u64 completed = word[IOSTAT_WORD(completed) + IOSTAT_CLASSES * tag + c];

			s->operations[c] += completed;
			s->end_count += completed;
			if (tag < IOSTAT_TAGS)
				s->tag_types[tag] += completed;
		}
	}
	s->wlentime = iostat_lentime(waitq, now);
	s->rlentime = iostat_lentime(runq, now);
	s->wtime = iostat_lentime(iostat_queue(sum, 2), now);
	s->rtime = iostat_lentime(iostat_queue(sum, 3), now);
	s->busy_time = s->wtime + s->rtime - iostat_lentime(iostat_queue(sum, 4), now);
	s->wcnt = waitq->n_in - waitq->n_out;
	s->rcnt = runq->n_in - runq->n_out;
	/* Under load, the last entry may have come after the time of the snapshot. */
	s->wlastupdate = s->wcnt || waitq->last > now ? now : waitq->last;
	s->rlastupdate = s->rcnt || runq->last > now ? now : runq->last;
}

/* How often the partitions of a disk have changed; *missing is whether not all that count can be mapped. */
static inline __u32 iostat_changes(const struct iostat_mapped *disk, bool *missing)
{
	__u64 partitions = __atomic_load_n(&disk->owner->partitions, __ATOMIC_ACQUIRE);

	*missing = (__u32)partitions;
	return partitions >> 32;
}

static inline void iostat_unmap_partitions(const struct iostat_map *map, struct iostat_mapped *disk)
{
	while (disk->count)
		munmap((void *)disk->partitions[--disk->count], map->header->block_bytes);
	__builtin_free(disk->partitions);
	disk->partitions = NULL;
}

/* Maps these devices, as far as they are partitions of the disk. */
static inline int iostat_map_these(const struct iostat_map *map, struct iostat_mapped *disk,
				   const struct iostat_device *devices, __u32 count)
{
	disk->partitions = (const struct iostat_map_device **)__builtin_calloc(count + 1, sizeof(*disk->partitions));
	if (!disk->partitions)
		return -1;
	for (; count--; devices++) {
		void *at;

		if (devices->parent != disk->owner->device.number)
			continue;
		at = mmap(NULL, map->header->block_bytes, PROT_READ, MAP_SHARED, map->fd, devices->map_offset);
		if (at == MAP_FAILED)
			return -1;
		disk->partitions[disk->count++] = (const struct iostat_map_device *)at;
	}
	return 0;
}

/* Maps the partitions that there are now; -1 if that are not all that count, or with errno. */
static inline int iostat_map_partitions(const struct iostat_map *map, struct iostat_mapped *disk)
{
	struct iostat_device *devices = NULL;
	struct iostat_list list;
	bool missing, more;
	__u32 changes = iostat_changes(disk, &missing), room = 0;
	int result = -1;

	iostat_unmap_partitions(map, disk);
	disk->changes = changes - 1;
	if (missing)
		return -1;
	do {
		memset(&list, 0, sizeof(list));
		list.size = sizeof(list);
		list.entry_size = sizeof(*devices);
		list.count = room;
		list.devices = (uintptr_t)devices;
		if (ioctl(map->fd, IOSTAT_IOC_LIST, &list)) {
			__builtin_free(devices);
			return -1;
		}
		more = list.count > room;
		if (more) {
			__builtin_free(devices);
			room = list.count + 8;
			devices = (struct iostat_device *)__builtin_calloc(room, sizeof(*devices));
			if (!devices)
				return -1;
		}
	} while (more);
	if (!iostat_map_these(map, disk, devices, list.count) &&
	    iostat_changes(disk, &missing) == changes && !missing) {
		disk->changes = changes;
		result = 0;
	}
	__builtin_free(devices);
	return result;
}

/* Whether all that counts for a disk is mapped, or has been now. */
static inline bool iostat_has_partitions(const struct iostat_map *map, struct iostat_mapped *disk)
{
	bool missing;

	return iostat_changes(disk, &missing) == disk->changes || !iostat_map_partitions(map, disk);
}

/* Whether what was read before this was of the partitions that are mapped. */
static inline bool iostat_had_partitions(const struct iostat_mapped *disk)
{
	bool missing;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return iostat_changes(disk, &missing) == disk->changes;
}

/* While partitions come and go, a read is tried so often again before it is a call. */
#define IOSTAT_ATTEMPTS 8

static inline int iostat_by_call(const struct iostat_map *map, struct iostat_mapped *disk,
				 struct iostat_snapshot *snapshot)
{
	struct iostat_get get;

	memset(&get, 0, sizeof(get));
	get.size = sizeof(get);
	get.entry_size = sizeof(*snapshot);
	get.count = 1;
	get.snapshots = (uintptr_t)snapshot;
	get.number = disk->owner->device.number;
	return ioctl(map->fd, IOSTAT_IOC_SNAPSHOT, &get);
}

/* What is mapped at one instant. */
static inline void iostat_read_mapped(const struct iostat_map_header *header, const struct iostat_mapped *disk,
				      struct iostat_snapshot *snapshot)
{
	struct iostat_sum sum, entries;
	__u64 now, before = iostat_now(header);

	for (int attempt = 0; attempt < 8; attempt++) {
		iostat_pass(header, disk, &sum);
		now = iostat_now(header);
		if (iostat_unchanged(header, disk, sum.seq))
			break;
		iostat_pass(header, disk, &entries);
		iostat_take_entries(&sum, &entries);
		now = before;
		before = iostat_now(header);
	}
	iostat_fill(snapshot, &sum, disk->owner->device.number, now);
}

/*
 * A snapshot as consistent as that of IOSTAT_IOC_SNAPSHOT; Documentation/abi.rst has the why. ENXIO if the device has left,
 * and its partitions have left so shortly before that their counts cannot be read.
 */
static inline int iostat_map_read(const struct iostat_map *map, struct iostat_mapped *disk,
				  struct iostat_snapshot *snapshot)
{
	bool is_read = false;

	for (int attempt = 0; !is_read && attempt < IOSTAT_ATTEMPTS && iostat_has_partitions(map, disk); attempt++) {
		iostat_read_mapped(map->header, disk, snapshot);
		is_read = iostat_had_partitions(disk);
	}
	if (!is_read && iostat_by_call(map, disk, snapshot))
		return -1;
	iostat_settle(snapshot, &disk->last);
	disk->last = *snapshot;
	return 0;
}

/* Of all CPUs. */
struct iostat_times {
	__u64 counts[IOSTAT_BUCKETS];
	__u64 longest;
	/* ns, with all bits inverted; 0 if there was none. */
	__u64 shortest_inverted;
};

/* Adds the times of one histogram, with the base of each bucket if there are bases. */
static inline void iostat_add_times(struct iostat_times *sum, const struct iostat_map_header *header,
				    const struct iostat_cpu_record *record,
				    const struct iostat_cpu_histogram *own, const __u32 *bases)
{
	struct iostat_cpu_histogram copy;

	for (;; iostat_relax()) {
		__u64 seq = __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);

		if (seq & 1)
			continue;
		for (int i = 0; i < IOSTAT_BUCKETS; i++)
			copy.counts[i] = __atomic_load_n(own->counts + i, __ATOMIC_RELAXED);
		copy.shortest_negated = iostat_load(&own->shortest_negated);
		copy.span = iostat_load(&own->span);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (iostat_load(&record->seq) == seq)
			break;
	}
	for (int i = 0; i < IOSTAT_BUCKETS; i++) {
		__u64 base = 0;

		if (bases)
			base = (__u64)__atomic_load_n(bases + i, __ATOMIC_RELAXED) << header->base_shift;
		sum->counts[i] += base + (__s32)(copy.counts[i] - (__u32)base);
	}
	if (copy.span) {
		iostat_later(&sum->longest, copy.span - 1 - copy.shortest_negated);
		iostat_later(&sum->shortest_inverted, copy.shortest_negated - 1);
	}
}

/* The bases of what is at an address, if there are any. */
static inline const struct iostat_bases *iostat_all_bases(const struct iostat_map_header *header, const void *at,
							  const __u64 *has_bases)
{
	if (!__atomic_load_n(has_bases, __ATOMIC_ACQUIRE))
		return NULL;
	return (const struct iostat_bases *)((const char *)at + header->bases_offset);
}

/* Those of one of its histograms of times. */
static inline const __u32 *iostat_bases(const struct iostat_map_header *header, const void *at,
					const __u64 *has_bases, int which, enum iostat_phase phase)
{
	const struct iostat_bases *all = iostat_all_bases(header, at, has_bases);

	return all ? all->bases[which][phase] : NULL;
}

/* Adds the times of one class and phase of a device. */
static inline void iostat_add_device(struct iostat_times *sum, const struct iostat_map_header *header,
				     const struct iostat_map_device *owner, enum iostat_class io_class,
				     enum iostat_phase phase)
{
	const struct iostat_cpu_record *record;
	int which = io_class == IOSTAT_CLASS_WRITE || io_class == IOSTAT_CLASS_FREE;

	if (io_class == IOSTAT_CLASS_NONE || io_class == IOSTAT_CLASS_FREE) {
		/* They change with the record that CPUs share. */
		iostat_add_times(sum, header, iostat_record(header, owner, 0), &owner->latency[which][phase],
				 iostat_bases(header, owner, &owner->has_bases, which, phase));
		return;
	}
	for (__u32 at = 0; (record = iostat_next_record(header, owner, &at)); ) {
		if (!iostat_load(&record->seq))
			continue;
		iostat_add_times(sum, header, record, &record->latency[which][phase],
				 iostat_bases(header, record, &record->has_bases, which, phase));
	}
}

static inline int iostat_times_by_call(const struct iostat_map *map, const struct iostat_mapped *disk,
				       enum iostat_class io_class, enum iostat_phase phase, struct iostat_times *sum)
{
	struct iostat_histogram call;

	memset(&call, 0, sizeof(call));
	call.size = sizeof(call);
	call.number = disk->owner->device.number;
	call.io_class = io_class;
	call.phase = phase;
	call.buckets = IOSTAT_BUCKETS;
	call.counts = (uintptr_t)sum->counts;
	if (ioctl(map->fd, IOSTAT_IOC_HISTOGRAM, &call))
		return -1;
	sum->longest = call.max;
	sum->shortest_inverted = call.min || call.max ? ~call.min : 0;
	return 0;
}

#ifdef IOSTAT_SIZES
/* Adds counts of sizes, which are at each @step-th place, with their bases, if there are bases. */
static inline void iostat_add_counts(__u64 *sum, const struct iostat_map_header *header,
				     const struct iostat_cpu_record *record, const __u32 *own, int step,
				     const struct iostat_bases *bases, int which)
{
	__u32 copy[IOSTAT_SIZES];

	for (;; iostat_relax()) {
		__u64 seq = __atomic_load_n(&record->seq, __ATOMIC_ACQUIRE);

		if (seq & 1)
			continue;
		for (int i = 0; i < IOSTAT_SIZES; i++)
			copy[i] = __atomic_load_n(own + i * step, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (iostat_load(&record->seq) == seq)
			break;
	}
	for (int i = 0; i < IOSTAT_SIZES; i++) {
		__u64 base = 0;

		if (bases)
			base = (__u64)__atomic_load_n(&bases->sizes[i][which], __ATOMIC_RELAXED) << header->base_shift;
		sum[i] += base + (__s32)(copy[i] - (__u32)base);
	}
}

/* Adds the sizes of one class of a device. */
static inline void iostat_add_sizes(__u64 *sum, const struct iostat_map_header *header,
				    const struct iostat_map_device *owner, enum iostat_class io_class)
{
	const struct iostat_cpu_record *record;
	int which = io_class == IOSTAT_CLASS_WRITE;

	if (io_class == IOSTAT_CLASS_FREE) {
		/* They change with the record that CPUs share. */
		iostat_add_counts(sum, header, iostat_record(header, owner, 0), owner->sizes, 1,
				  iostat_all_bases(header, owner, &owner->has_bases), 1);
		return;
	}
	for (__u32 at = 0; (record = iostat_next_record(header, owner, &at)); )
		iostat_add_counts(sum, header, record, &record->sizes[0][which], 2,
				  iostat_all_bases(header, record, &record->has_bases), which);
}

/*
 * How the sizes of one class are distributed, as IOSTAT_IOC_HISTOGRAM returns it with IOSTAT_PHASE_OF_SIZES: of each
 * CPU at one instant. @counts are IOSTAT_SIZES. Errors as of iostat_map_read().
 */
static inline int iostat_map_sizes(const struct iostat_map *map, struct iostat_mapped *disk,
				   enum iostat_class io_class, __u64 *counts)
{
	struct iostat_histogram call;

	for (int attempt = 0; attempt < IOSTAT_ATTEMPTS && iostat_has_partitions(map, disk); attempt++) {
		memset(counts, 0, IOSTAT_SIZES * sizeof(*counts));
		for (__u32 which = 0; which <= disk->count && io_class != IOSTAT_CLASS_NONE; which++)
			iostat_add_sizes(counts, map->header, iostat_owner(disk, which), io_class);
		if (iostat_had_partitions(disk))
			return 0;
	}
	memset(&call, 0, sizeof(call));
	call.size = sizeof(call);
	call.number = disk->owner->device.number;
	call.io_class = io_class;
	call.phase = IOSTAT_PHASE_OF_SIZES;
	call.buckets = IOSTAT_SIZES;
	call.counts = (uintptr_t)counts;
	return ioctl(map->fd, IOSTAT_IOC_HISTOGRAM, &call);
}
#endif

/*
 * How the times of one class and phase are distributed, as IOSTAT_IOC_HISTOGRAM returns it: of each CPU at one
 * instant. The shortest is ~shortest_inverted, if there was any. Errors as of iostat_map_read().
 */
static inline int iostat_map_histogram(const struct iostat_map *map, struct iostat_mapped *disk,
				       enum iostat_class io_class, enum iostat_phase phase,
				       struct iostat_times *sum)
{
	for (int attempt = 0; attempt < IOSTAT_ATTEMPTS && iostat_has_partitions(map, disk); attempt++) {
		memset(sum, 0, sizeof(*sum));
		for (__u32 which = 0; which <= disk->count; which++)
			iostat_add_device(sum, map->header, iostat_owner(disk, which), io_class, phase);
		if (iostat_had_partitions(disk))
			return 0;
	}
	return iostat_times_by_call(map, disk, io_class, phase, sum);
}

#ifdef IOSTAT_IOC_HISTOGRAMS
/*
 * A histogram of times of IOSTAT_IOC_HISTOGRAMS with all its buckets, as iostat_map_histogram() returns it. @counts is the array
 * that the kernel wrote @count of the counts to.
 */
static inline void iostat_expand(const struct iostat_latency *latency, const __u64 *counts, __u32 count,
				 struct iostat_times *times)
{
	memset(times, 0, sizeof(*times));
	times->longest = latency->max;
	times->shortest_inverted = ~latency->min;
	for (__u32 i = 0; i < latency->buckets; i++)
		if (latency->first_bucket + i < IOSTAT_BUCKETS && latency->first_count + i < count)
			times->counts[latency->first_bucket + i] = counts[latency->first_count + i];
}
#endif

/* Whether the device has left: what can be read is its end. */
static inline bool iostat_map_gone(const struct iostat_mapped *disk)
{
	return __atomic_load_n(&disk->owner->state, __ATOMIC_ACQUIRE) == IOSTAT_MAP_GONE;
}

/* Changes when devices come or go: time for IOSTAT_IOC_LIST. */
static inline __u64 iostat_map_generation(const struct iostat_map *map)
{
	return __atomic_load_n(&map->header->generation, __ATOMIC_ACQUIRE);
}

/* ENODEV if path is not a character device, EPROTO if the module is of another version; and those of open() and mmap(). */
static inline int iostat_map_open(struct iostat_map *map, const char *path)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct iostat_map_header *header;
	struct stat status;
	void *at;

	map->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (map->fd < 0)
		return -1;
	/* The memory of an empty plain file cannot be read: SIGBUS. */
	if (fstat(map->fd, &status) || !S_ISCHR(status.st_mode)) {
		close(map->fd);
		errno = ENODEV;
		return -1;
	}
	map->bytes = (sizeof(*header) + page - 1) / page * page;
	at = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, map->fd, 0);
	if (at == MAP_FAILED) {
		close(map->fd);
		return -1;
	}
	map->header = header = (const struct iostat_map_header *)at;
	if (header->magic == IOSTAT_MAP_MAGIC && header->version == IOSTAT_ABI_VERSION)
		return 0;
	munmap(at, map->bytes);
	close(map->fd);
	errno = EPROTO;
	return -1;
}

/* ENXIO if the device has left. */
static inline int iostat_map_device(const struct iostat_map *map, struct iostat_mapped *disk,
				    __u64 map_offset)
{
	void *at = mmap(NULL, map->header->block_bytes, PROT_READ, MAP_SHARED, map->fd, map_offset);

	memset(disk, 0, sizeof(*disk));
	if (at == MAP_FAILED)
		return -1;
	disk->owner = (const struct iostat_map_device *)at;
	return 0;
}

static inline void iostat_unmap_device(const struct iostat_map *map, struct iostat_mapped *disk)
{
	iostat_unmap_partitions(map, disk);
	munmap((void *)disk->owner, map->header->block_bytes);
}

static inline void iostat_map_close(struct iostat_map *map)
{
	munmap((void *)map->header, map->bytes);
	close(map->fd);
}

#endif /* IOSTAT_TOOLS_H */
