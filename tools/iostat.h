/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Reading the statistics of disks without a system call: the memory of /dev/iostat, mapped.
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
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct iostat_map {
	int fd;
	const struct iostat_map_header *header;
	size_t bytes;
};

struct iostat_mapped {
	const struct iostat_map_device *owner;
	/* Of which the next snapshot must be no less. */
	struct iostat_snapshot last;
};

/* The words of a record that are added up: all between its sequence count and its histograms. */
#define IOSTAT_WORD(member) (offsetof(struct iostat_cpu_record, member) / sizeof(__u64) - 1)
#define IOSTAT_WORDS IOSTAT_WORD(latency)
#define IOSTAT_QUEUES 5

struct iostat_sum {
	__u64 seq;
	__u64 word[IOSTAT_WORDS];
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
		if (iostat_load(&clock->source) == IOSTAT_CLOCK_TSC) {
#if defined(__x86_64__) || defined(__i386__)
			unsigned int low, high;

			/* Neither before what was read, nor after what will be. */
			__asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a" (low), "=d" (high) : : "memory");
			now = iostat_cycles_to_ns((__u64)high << 32 | low, iostat_load(&clock->mult)) +
				iostat_load(&clock->tsc_offset);
#else
			now = 0;
#endif
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
iostat_record(const struct iostat_map_header *header, const struct iostat_mapped *disk, __u32 index)
{
	const char *at = (const char *)disk->owner + header->record_offset + (size_t)index * header->record_stride;

	return (const struct iostat_cpu_record *)at;
}

/* The next record that is there, from index *at on, which is then behind it; NULL if there is none. */
static inline const struct iostat_cpu_record *
iostat_next_record(const struct iostat_map_header *header, const struct iostat_mapped *disk, __u32 *at)
{
	while (*at < header->records) {
		__u32 index = *at;
		/* Acquire: the record was there before its bit. */
		__u64 rest = __atomic_load_n(disk->owner->present + index / 64, __ATOMIC_ACQUIRE) >> index % 64;

		if (!rest) {
			*at = (index | 63) + 1;
			continue;
		}
		index += __builtin_ctzll(rest);
		*at = index + 1;
		return iostat_record(header, disk, index);
	}
	return NULL;
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

static inline void iostat_pass(const struct iostat_map_header *header,
			       const struct iostat_mapped *disk, struct iostat_sum *sum)
{
	const struct iostat_cpu_record *record;
	struct iostat_sum copy, *to = sum;

	for (__u32 at = 0; (record = iostat_next_record(header, disk, &at)); ) {
		/* Nothing was ever written. */
		if (!iostat_load(&record->seq))
			continue;
		to->seq = iostat_copy(to->word, record, &record->start_count, IOSTAT_WORDS);
		if (to != sum)
			iostat_add(sum, to);
		to = &copy;
	}
	if (to == sum)
		memset(sum, 0, sizeof(*sum));
}

static inline bool iostat_unchanged(const struct iostat_map_header *header,
				    const struct iostat_mapped *disk, __u64 seqs)
{
	const struct iostat_cpu_record *record;

	/* Orders the clock, or what was read before it, before these. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (__u32 at = 0; (record = iostat_next_record(header, disk, &at)); )
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
	s->merged = word[IOSTAT_WORD(merged)];
	s->refused = word[IOSTAT_WORD(refused)];
	s->abandoned = word[IOSTAT_WORD(abandoned)];
	s->end_count = s->merged + s->refused + s->abandoned;
	for (int c = 0; c < IOSTAT_CLASSES; c++) {
		s->bytes[c] = word[IOSTAT_WORD(bytes) + c];
		s->duration[c] = word[IOSTAT_WORD(duration) + c];
		for (int tag = 0; tag < 4; tag++) {
			__u64 completed = word[IOSTAT_WORD(completed) + 4 * c + tag];

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
	s->wlastupdate = s->wcnt ? now : waitq->last;
	s->rlastupdate = s->rcnt ? now : runq->last;
}

/* A snapshot as consistent as that of IOSTAT_IOC_SNAPSHOT; Documentation/abi.rst has the why. */
static inline void iostat_map_read(const struct iostat_map *map, struct iostat_mapped *disk,
				   struct iostat_snapshot *snapshot)
{
	const struct iostat_map_header *header = map->header;
	struct iostat_sum sum, entries;
	__u64 now;

	for (int attempt = 0; attempt < 8; attempt++) {
		iostat_pass(header, disk, &sum);
		now = iostat_now(header);
		if (iostat_unchanged(header, disk, sum.seq))
			break;
		iostat_pass(header, disk, &entries);
		iostat_take_entries(&sum, &entries);
		now = iostat_now(header);
	}
	iostat_fill(snapshot, &sum, disk->owner->device.number, now);
	iostat_settle(snapshot, &disk->last);
	disk->last = *snapshot;
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
		copy.longest = iostat_load(&own->longest);
		copy.shortest_inverted = iostat_load(&own->shortest_inverted);
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
	iostat_later(&sum->longest, copy.longest);
	iostat_later(&sum->shortest_inverted, copy.shortest_inverted);
}

/* The bases of one of the histograms that are at an address, if there are any. */
static inline const __u32 *iostat_bases(const struct iostat_map_header *header, const void *at,
					const __u64 *has_bases, int which, enum iostat_phase phase)
{
	if (!__atomic_load_n(has_bases, __ATOMIC_ACQUIRE))
		return NULL;
	return ((const struct iostat_bases *)((const char *)at + header->bases_offset))->bases[which][phase];
}

/*
 * How the times of one class and phase are distributed, as IOSTAT_IOC_HISTOGRAM tells it: of each CPU at one
 * instant. The shortest is ~shortest_inverted, if there was any.
 */
static inline void iostat_map_histogram(const struct iostat_map *map, const struct iostat_mapped *disk,
					enum iostat_class io_class, enum iostat_phase phase,
					struct iostat_times *sum)
{
	const struct iostat_map_header *header = map->header;
	const struct iostat_map_device *owner = disk->owner;
	const struct iostat_cpu_record *record;
	int which = io_class == IOSTAT_CLASS_WRITE || io_class == IOSTAT_CLASS_FREE;

	memset(sum, 0, sizeof(*sum));
	if (io_class == IOSTAT_CLASS_NONE || io_class == IOSTAT_CLASS_FREE) {
		/* They change with the record that CPUs share. */
		iostat_add_times(sum, header, iostat_record(header, disk, 0), &owner->latency[which][phase],
				 iostat_bases(header, owner, &owner->has_bases, which, phase));
		return;
	}
	for (__u32 at = 0; (record = iostat_next_record(header, disk, &at)); ) {
		if (!iostat_load(&record->seq))
			continue;
		iostat_add_times(sum, header, record, &record->latency[which][phase],
				 iostat_bases(header, record, &record->has_bases, which, phase));
	}
}

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

static inline int iostat_map_open(struct iostat_map *map, const char *path)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct iostat_map_header *header;
	void *at;

	map->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (map->fd < 0)
		return -1;
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
	munmap((void *)disk->owner, map->header->block_bytes);
}

static inline void iostat_map_close(struct iostat_map *map)
{
	munmap((void *)map->header, map->bytes);
	close(map->fd);
}

#endif /* IOSTAT_TOOLS_H */
