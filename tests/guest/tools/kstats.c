// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the binary calls of /dev/iostat for kstats and prints their results.
 *
 *	kstats list			as @kstat_list
 *	kstats headers			the same list, from the bytes of unix:0:kstat_headers
 *	kstats print [KID]		as @kstat, in the order of the data, with the type of each
 *	kstats room KID COUNT BYTES	result of a read with this much room, and the room needed
 *	kstats write KID NAME TYPE VALUE	result of the write
 *	kstats bytes KID TEXT		result of writing all bytes of a raw kstat
 *	kstats numbers KID [NAME:]NUMBER...	result of writing a kstat of interrupts, I/O or timers, in the order in
 *					which they are read; NAME is that of a timer, before its first number
 *	kstats raw KID			bytes of a raw kstat
 *	kstats wrong KID		invalid arguments for a writable kstat: prints what is wrong
 */
#define _GNU_SOURCE
#include <linux/iostat.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "device.h"
#include "escape.h"
#include "kstat-bytes.h"

#define MOST 4096

/* Characters that are also escaped in a module or name: see kstat.rst. */
#define PART " :*?["

/* The layout is the same for 32-bit programs: no pointers, no implicit padding. */
#define AT(type, member, offset) \
	_Static_assert(offsetof(struct iostat_kstat_##type, member) == (offset), #type "." #member)
#define SIZE(type, size) _Static_assert(sizeof(struct iostat_kstat_##type) == (size), #type)

SIZE(header, 224);
AT(header, crtime, 24);
AT(header, module, 32);
AT(header, name, 96);
AT(header, kstat_class, 160);
SIZE(list, 32);
AT(list, headers, 24);
SIZE(value, 64);
AT(value, type, 48);
AT(value, value, 56);
SIZE(read, 72);
AT(read, snaptime, 16);
AT(read, type, 32);
AT(read, values, 56);
SIZE(write, 80);
AT(write, value, 24);
AT(write, name, 32);
SIZE(intr_bytes, 20);
AT(intr_bytes, multiple_service, 16);
SIZE(io_bytes, 80);
AT(io_bytes, writes, 20);
AT(io_bytes, wtime, 24);
AT(io_bytes, rlastupdate, 64);
AT(io_bytes, rcnt, 76);
SIZE(timer_bytes, 80);
AT(timer_bytes, num_events, 32);
AT(timer_bytes, stop_time, 72);

static int fd;
static struct iostat_kstat_header headers[MOST];
static struct iostat_kstat_value values[MOST];
static char data[1 << 20];

static const char *outcome(int result)
{
	return result ? strerrorname_np(errno) : "0";
}

static struct iostat_kstat_list chain(void)
{
	struct iostat_kstat_list list = {
		.size = sizeof(list), .entry_size = sizeof(headers[0]), .count = MOST,
		.headers = (uintptr_t)headers,
	};

	if (ioctl(fd, IOSTAT_IOC_KSTAT_LIST, &list)) {
		printf("list: %s\n", strerrorname_np(errno));
		exit(1);
	}
	return list;
}

static struct iostat_kstat_read room(__u32 kid, __u32 count, __u32 bytes)
{
	return (struct iostat_kstat_read) {
		.size = sizeof(struct iostat_kstat_read), .kid = kid, .entry_size = sizeof(values[0]),
		.count = count, .bytes = bytes, .values = (uintptr_t)values, .data = (uintptr_t)data,
	};
}

static void show_id(const struct iostat_kstat_header *h)
{
	put_escaped(h->module, strlen(h->module), PART);
	printf(":%d:", h->instance);
	put_escaped(h->name, strlen(h->name), PART);
}

static void show_headers(const struct iostat_kstat_header *h, __u32 count)
{
	static const char *const types[] = { "raw", "name=value", "interrupt", "i/o", "event_timer" };

	printf("kid type flags ndata crtime class module:instance:name\n");
	for (; count--; h++) {
		printf("%u %s 0x%x %u %llu %s ", h->kid, types[h->type], h->flags, h->ndata,
		       (unsigned long long)h->crtime, h->kstat_class);
		show_id(h);
		putchar('\n');
	}
}

static void show_text(const char *text, __u32 len)
{
	put_escaped(text, len, "");
	if (text[len])
		printf("and no NUL");
}

static void show_value(const struct iostat_kstat_value *v)
{
	switch (v->type) {
	case IOSTAT_KSTAT_DATA_INT32:
	case IOSTAT_KSTAT_DATA_INT64:
		printf("%lld", (long long)v->value);
		break;
	case IOSTAT_KSTAT_DATA_UINT32:
	case IOSTAT_KSTAT_DATA_UINT64:
		printf("%llu", (unsigned long long)v->value);
		break;
	case IOSTAT_KSTAT_DATA_FLOAT:
	case IOSTAT_KSTAT_DATA_DOUBLE:
		printf("%#llx", (unsigned long long)v->value);
		break;
	case IOSTAT_KSTAT_DATA_CHAR:
	case IOSTAT_KSTAT_DATA_STRING:
		show_text(data + v->value, v->len);
		break;
	default:
		printf("no such type");
	}
}

static void show_number(const struct iostat_kstat_header *h, const char *name, __u64 value)
{
	show_id(h);
	printf(":%s\t%llu\t4\n", name, (unsigned long long)value);
}

static void print(const struct iostat_kstat_header *h)
{
	struct iostat_kstat_read r = room(h->kid, MOST, sizeof(data));

	memset(data, 'x', sizeof(data));
	if (ioctl(fd, IOSTAT_IOC_KSTAT_READ, &r)) {
		show_id(h);
		printf(": %s\n", strerrorname_np(errno));
		return;
	}
	if (r.type != h->type || r.kstat_flags != h->flags || r.crtime != h->crtime)
		printf("kid %u: not what the list says\n", h->kid);
	for (__u32 i = 0; i < r.count; i++) {
		show_id(h);
		putchar(':');
		put_escaped(values[i].name, strlen(values[i].name), "");
		putchar('\t');
		show_value(values + i);
		printf("\t%u\n", values[i].type);
	}
	if (r.type == IOSTAT_KSTAT_RAW)
		show_number(h, "data_size", r.bytes);
	show_id(h);
	printf(":class\t%s\t9\n", h->kstat_class);
	show_number(h, "crtime", r.crtime);
	show_number(h, "snaptime", r.snaptime);
}

static int write_statistic(__u32 kid, const char *name, __u32 type, const char *value)
{
	int is_text = type == IOSTAT_KSTAT_DATA_CHAR || type == IOSTAT_KSTAT_DATA_STRING;
	struct iostat_kstat_write w = { .size = sizeof(w), .kid = kid, .type = type };

	w.len = is_text ? strlen(value) : 0;
	w.value = is_text ? (uintptr_t)value : strtoull(value, NULL, 0);
	memcpy(w.name, name, strnlen(name, sizeof(w.name)));
	if (ioctl(fd, IOSTAT_IOC_KSTAT_WRITE, &w))
		return -1;
	if (w.chain_id != chain().chain_id)
		printf("write: another chain\n");
	return 0;
}

static void expect(const char *what, unsigned int call, void *argument, int error)
{
	int got = ioctl(fd, call, argument) ? errno : 0;

	if (got != error)
		printf("%s: %s, not %s\n", what, strerrorname_np(got), strerrorname_np(error));
}

/* Checks the result of a call with one invalid member. */
#define WRONG(call, good, member, bad, error) do { \
	__typeof__(good) it = (good); \
	it.member = (bad); \
	expect(#call ": " #member " = " #bad, IOSTAT_IOC_KSTAT_##call, &it, error); \
} while (0)

static void wrong_sizes(unsigned int call, const char *name, const void *good, __u32 size)
{
	static char page[8192];
	__u32 *it = (__u32 *)page;

	memset(page, 0, sizeof(page));
	memcpy(page, good, size);
	*it = size - 8;
	expect(name, call, page, EINVAL);
	*it = 4097;
	expect(name, call, page, E2BIG);
	*it = size + 64;
	page[size + 63] = 1;
	expect(name, call, page, E2BIG);
	page[size + 63] = 0;
	page[size + 64] = 1;
	expect(name, call, page, 0);
	if (*it != size)
		printf("%s: %u filled\n", name, *it);
	/* At an odd address. */
	memmove(page + 1, good, size);
	expect(name, call, page + 1, 0);
	expect(name, call, NULL, EFAULT);
	expect(name, call, (void *)0xffff888000000000, EFAULT);
}

static void wrong(__u32 kid)
{
	const __u64 odd = 0xffff888000000000;
	struct iostat_info info = { .size = sizeof(info) };
	char *edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct { struct iostat_kstat_value v; __u64 more[2]; } wide[8];
	struct iostat_kstat_list l = {
		.size = sizeof(l), .entry_size = sizeof(headers[0]), .count = 1,
		.headers = (uintptr_t)headers,
	};
	struct iostat_kstat_read r = room(kid, MOST, sizeof(data));
	struct iostat_kstat_write w = {
		.size = sizeof(w), .kid = kid, .type = IOSTAT_KSTAT_DATA_INT64, .value = 5, .name = "n",
	};

	expect("info", IOSTAT_IOC_INFO, &info, 0);
	if (!(info.features & IOSTAT_FEATURE_KSTAT))
		printf("info: without kstats\n");
	wrong_sizes(IOSTAT_IOC_KSTAT_LIST, "list", &l, sizeof(l));
	WRONG(LIST, l, flags, 1, EINVAL);
	WRONG(LIST, l, reserved, 1, EINVAL);
	WRONG(LIST, l, entry_size, sizeof(headers[0]) - 8, EINVAL);
	WRONG(LIST, l, entry_size, sizeof(headers[0]) + 4, EINVAL);
	WRONG(LIST, l, headers, 0, EFAULT);
	WRONG(LIST, l, headers, odd, EFAULT);
	wrong_sizes(IOSTAT_IOC_KSTAT_READ, "read", &r, sizeof(r));
	WRONG(READ, r, flags, 1, EINVAL);
	WRONG(READ, r, kid, 0x7fffffff, ENXIO);
	WRONG(READ, r, kid, -1, ENXIO);
	WRONG(READ, r, entry_size, 56, EINVAL);
	WRONG(READ, r, entry_size, 68, EINVAL);
	WRONG(READ, r, entry_size, 8192, EINVAL);
	WRONG(READ, r, values, 0, EFAULT);
	WRONG(READ, r, values, odd, EFAULT);
	WRONG(READ, r, data, 1, EFAULT);
	WRONG(READ, r, data, odd, EFAULT);
	WRONG(READ, r, count, 0, ENOMEM);
	WRONG(READ, r, bytes, 0, ENOMEM);
	memset(wide, 0xff, sizeof(wide));
	r.entry_size = sizeof(wide[0]);
	r.values = (uintptr_t)wide;
	expect("read: wide values", IOSTAT_IOC_KSTAT_READ, &r, 0);
	if (wide[0].more[0] || wide[r.count - 1].more[1] || ~wide[r.count].more[0])
		printf("read: wide values are not cleared\n");
	/* Nothing after the data is accessed, however much room is claimed. */
	munmap(edge + 4096, 4096);
	edge += 4096 - r.bytes;
	r = room(kid, -1, -1);
	r.data = (uintptr_t)edge;
	expect("read: to the edge", IOSTAT_IOC_KSTAT_READ, &r, 0);
	r = room(kid, -1, -1);
	r.data = (uintptr_t)edge + 1;
	expect("read: over the edge", IOSTAT_IOC_KSTAT_READ, &r, EFAULT);
	wrong_sizes(IOSTAT_IOC_KSTAT_WRITE, "write", &w, sizeof(w));
	WRONG(WRITE, w, flags, 1, EINVAL);
	WRONG(WRITE, w, kid, -1, ENXIO);
	WRONG(WRITE, w, len, 1, EINVAL);
	WRONG(WRITE, w, len, 65537, E2BIG);
	WRONG(WRITE, w, type, IOSTAT_KSTAT_DATA_UINT64, EINVAL);
	WRONG(WRITE, w, type, 7, EINVAL);
	WRONG(WRITE, w, type, IOSTAT_KSTAT_DATA_CHAR, EINVAL);
	WRONG(WRITE, w, name[0], 'm', ENOENT);
	WRONG(WRITE, w, name[0], 0, EINVAL);
	memset(w.name, 'n', sizeof(w.name));
	expect("write: a name without end", IOSTAT_IOC_KSTAT_WRITE, &w, ENOENT);
	memcpy(w.name, "text", 5);
	w.type = IOSTAT_KSTAT_DATA_CHAR;
	w.len = 4;
	WRONG(WRITE, w, value, 0, EFAULT);
	WRONG(WRITE, w, value, odd, EFAULT);
	w.value = (uintptr_t)"seventeen letters";
	WRONG(WRITE, w, len, 17, EINVAL);
	WRONG(WRITE, w, len, 16, 0);
	expect("no call", _IO(IOSTAT_IOC_MAGIC, 0x13), &w, ENOTTY);
	fd = open("/dev/iostat", O_RDONLY);
	expect("write: of a file to read", IOSTAT_IOC_KSTAT_WRITE, &w, EBADF);
	fd = open("/dev/iostat", O_WRONLY);
	expect("list: of a file to write", IOSTAT_IOC_KSTAT_LIST, &l, EBADF);
	expect("read: of a file to write", IOSTAT_IOC_KSTAT_READ, &r, EBADF);
	expect("write: of a file to write", IOSTAT_IOC_KSTAT_WRITE, &w, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	__u32 kid = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	fd = open_device(O_RDWR);
	if (fd < 0) {
		perror("open");
		return 1;
	}
	if (!strcmp(what, "list")) {
		struct iostat_kstat_list l = chain();

		printf("chain_id %u\n", l.chain_id);
		show_headers(headers, l.count);
	} else if (!strcmp(what, "headers")) {
		struct iostat_kstat_read r = room(0, 0, sizeof(data));

		if (ioctl(fd, IOSTAT_IOC_KSTAT_READ, &r) || r.bytes != r.ndata * sizeof(headers[0]))
			return 1;
		printf("chain_id %u\n", r.chain_id);
		show_headers((void *)data, r.ndata);
	} else if (!strcmp(what, "print")) {
		__u32 count = chain().count;

		for (__u32 i = 0; i < count && i < MOST; i++)
			if (argc == 2 || headers[i].kid == kid)
				print(headers + i);
	} else if (!strcmp(what, "room") && argc == 5) {
		struct iostat_kstat_read r = room(kid, atoi(argv[3]), atoi(argv[4]));
		int result = ioctl(fd, IOSTAT_IOC_KSTAT_READ, &r);

		printf("%s %u %u\n", outcome(result), r.count, r.bytes);
	} else if (!strcmp(what, "write") && argc == 6) {
		printf("%s\n", outcome(write_statistic(kid, argv[3], atoi(argv[4]), argv[5])));
	} else if (!strcmp(what, "bytes") && argc == 4) {
		printf("%s\n", outcome(write_bytes(fd, kid, argv[3], strlen(argv[3]))));
	} else if (!strcmp(what, "numbers") && argc > 3) {
		printf("%s\n", outcome(write_numbers(fd, kid, argv + 3, argc - 3)));
	} else if (!strcmp(what, "raw") && argc == 3) {
		struct iostat_kstat_read r = room(kid, 0, sizeof(data));

		if (!ioctl(fd, IOSTAT_IOC_KSTAT_READ, &r))
			show_text(data, r.bytes);
		putchar('\n');
	} else if (!strcmp(what, "wrong") && argc == 3) {
		wrong(kid);
	} else {
		return 2;
	}
	return 0;
}
