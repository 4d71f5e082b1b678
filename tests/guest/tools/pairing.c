// SPDX-License-Identifier: GPL-2.0
/*
 * Reads io:start and io:done from the ring buffer, and pairs them.
 *
 *	pairing TRACEFS
 *
 * For each line of standard input it reads the events and prints the sums since the last line. The caller
 * writes a line when no I/O is in flight, because a reader loses events of a CPU that writes meanwhile:
 * __rb_get_reader_page() compares what it has read with the size of its page, and then looks whether that is
 * the page of the writer. An event that ends the page between the two is never read, and is not counted as
 * lost. For each disk there is a line
 *
 *	DISK STARTS COMPLETED MERGED REFUSED ABANDONED BYTES WAIT_NS SERVICE_NS ERRORS
 *
 * and at the end the sums since the program started:
 *
 *	. STARTS DONES OPEN BAD UNSEEN LOST
 *
 * OPEN are starts without a done. BAD are ids that started or ended twice, or ended without a
 * start, and pairs that are not of one disk. UNSEEN are dones with id 0. LOST is not 0 if the ring buffer overran.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_CPUS	64
#define MAX_DISKS	64
#define MAX_IDS		(4 << 20)
#define NAME_LEN	64
#define PAGE_HEADER	16
#define MISSED		(3u << 30)

enum { COMPLETED, MERGED, REFUSED, ABANDONED, OUTCOMES };

struct disk {
	char name[NAME_LEN];
	uint64_t starts, outcomes[OUTCOMES], bytes, wait_ns, service_ns, errors;
};

struct seen {
	uint8_t starts, dones, disk;
};

/* Offsets of the fields that both events have, and of those of done. */
struct offsets {
	int event, id, bcount, name, resid, error, wait, service, outcome;
};

static struct disk disks[MAX_DISKS];
static int disk_count;
static struct seen *seen;
static uint64_t starts, dones, bad, unseen, lost, last_id;
static struct offsets start_at, done_at;
/* Of the field dev_statname. */
static int name_bytes;

static int fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Returns the number after a text in an event's format. */
static int number_after(const char *format, const char *text, const char *key)
{
	const char *at = strstr(format, text);

	at = at ? strstr(at, key) : NULL;
	if (!at) {
		fprintf(stderr, "pairing: no %s\n", text);
		exit(1);
	}
	return atoi(at + strlen(key));
}

static void read_format(const char *tracefs, const char *event, struct offsets *at, int is_done)
{
	static char format[16384];
	char path[256];
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "%s/events/io/%s/format", tracefs, event);
	fd = open(path, O_RDONLY);
	bytes = fd < 0 ? -1 : read(fd, format, sizeof(format) - 1);
	if (bytes < 0)
		fail(path);
	format[bytes] = '\0';
	close(fd);
	at->event = number_after(format, "ID:", ":");
	at->id = number_after(format, " id;", "offset:");
	at->bcount = number_after(format, " b_bcount;", "offset:");
	at->name = number_after(format, " dev_statname[", "offset:");
	name_bytes = number_after(format, " dev_statname[", "[");
	if (name_bytes < 1 || name_bytes > NAME_LEN) {
		fprintf(stderr, "pairing: names of %d bytes\n", name_bytes);
		exit(1);
	}
	if (!is_done)
		return;
	at->resid = number_after(format, " b_resid;", "offset:");
	at->error = number_after(format, " b_error;", "offset:");
	at->wait = number_after(format, " wait_ns;", "offset:");
	at->service = number_after(format, " service_ns;", "offset:");
	at->outcome = number_after(format, " outcome;", "offset:");
}

static uint32_t u32_at(const uint8_t *data, int offset)
{
	uint32_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

static uint64_t u64_at(const uint8_t *data, int offset)
{
	uint64_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

static int disk_of(const uint8_t *name)
{
	int index;

	for (index = 0; index < disk_count; index++)
		if (!memcmp(disks[index].name, name, name_bytes))
			return index;
	if (index == MAX_DISKS) {
		fprintf(stderr, "pairing: too many disks\n");
		exit(1);
	}
	memcpy(disks[disk_count++].name, name, name_bytes);
	return index;
}

static void record(const uint8_t *data)
{
	uint16_t event;
	int is_done, index;
	struct disk *disk;
	struct offsets *at;
	struct seen *io;
	uint64_t id;

	memcpy(&event, data, sizeof(event));
	is_done = event == done_at.event;
	if (!is_done && event != start_at.event)
		return;
	at = is_done ? &done_at : &start_at;
	index = disk_of(data + at->name);
	disk = &disks[index];
	id = u64_at(data, at->id);
	if (is_done) {
		dones++;
		disk->outcomes[u32_at(data, at->outcome) % OUTCOMES]++;
		disk->bytes += u32_at(data, at->bcount) - u32_at(data, at->resid);
		disk->wait_ns += u64_at(data, at->wait);
		disk->service_ns += u64_at(data, at->service);
		disk->errors += !!u32_at(data, at->error);
	} else {
		starts++;
		disk->starts++;
	}
	if (!id || id >= MAX_IDS) {
		unseen++;
		return;
	}
	if (id > last_id)
		last_id = id;
	/* The events of one CPU may be read before earlier events of another CPU. */
	io = &seen[id];
	if (io->starts + io->dones && io->disk != index)
		bad++;
	io->disk = index;
	if (is_done ? io->dones++ : io->starts++)
		bad++;
}

/* One page of the ring buffer: see its events/header_page and events/header_event. */
static void page(const uint8_t *data)
{
	uint32_t commit = u32_at(data, 8), at = PAGE_HEADER, end;

	if (commit & MISSED)
		lost++;
	end = PAGE_HEADER + (commit & 0xfffff);
	while (at < end) {
		uint32_t header = u32_at(data, at), kind = header & 31;

		at += 4;
		switch (kind) {
		case 0:	/* the length is in the next word, and includes that word */
			record(data + at + 4);
			at += u32_at(data, at);
			break;
		case 29: /* padding: the rest of the page, or the length in the next word */
			at = header >> 5 ? at + u32_at(data, at) : end;
			break;
		case 30: /* time stamps */
		case 31:
			at += 4;
			break;
		default:
			record(data + at);
			at += kind * 4;
		}
	}
}

static void drain(const int *fds, int count)
{
	static uint8_t data[65536];
	int cpu;

	for (cpu = 0; cpu < count; cpu++)
		while (read(fds[cpu], data, getpagesize()) > 0)
			page(data);
}

static void report(void)
{
	uint64_t open = 0, unstarted = 0, id;
	int index, outcome;

	for (index = 0; index < disk_count; index++) {
		struct disk *disk = &disks[index];

		printf("%.*s %lu", NAME_LEN, disk->name, disk->starts);
		for (outcome = 0; outcome < OUTCOMES; outcome++)
			printf(" %lu", disk->outcomes[outcome]);
		printf(" %lu %lu %lu %lu\n", disk->bytes, disk->wait_ns, disk->service_ns, disk->errors);
		memset(&disk->starts, 0, sizeof(*disk) - NAME_LEN);
	}
	for (id = 1; id <= last_id; id++) {
		open += seen[id].starts > seen[id].dones;
		unstarted += seen[id].dones > seen[id].starts;
	}
	printf(". %lu %lu %lu %lu %lu %lu\n", starts, dones, open, bad + unstarted, unseen,
	       lost);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int fds[MAX_CPUS], count = 0;
	char path[256], line[16];

	if (argc != 2)
		return 2;
	seen = calloc(MAX_IDS, sizeof(*seen));
	if (!seen)
		fail("pairing");
	read_format(argv[1], "start", &start_at, 0);
	read_format(argv[1], "done", &done_at, 1);
	for (; count < MAX_CPUS; count++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", argv[1], count);
		fds[count] = open(path, O_RDONLY | O_NONBLOCK);
		if (fds[count] < 0)
			break;
	}
	if (!count)
		fail(path);
	while (read(0, line, sizeof(line)) > 0) {
		drain(fds, count);
		report();
	}
	return 0;
}
