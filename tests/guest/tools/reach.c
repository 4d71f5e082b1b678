// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses a file in ways that no other program of the guest offers.
 *
 *	reach sendfile FILE OFFSET BYTES	sends a part of the file to /dev/null
 *	reach map-read FILE OFFSET BYTES	maps it, and reads or writes a byte of each page
 *	reach map-write FILE OFFSET BYTES
 *	reach swapped FILE OFFSET BYTES RECLAIM	swaps memory out and in, and writes it, while it is in the swap
 *						cache, to the file with O_DIRECT; RECLAIM is the file
 *						memory.reclaim of its cgroup
 *	reach thread FILE OFFSET BYTES [UID]	reads it with O_DIRECT in a second thread, as this user; prints the
 *						process's id and the thread's
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

static const char *path;
static off_t offset;
static size_t bytes;

static void check(long result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static int open_file(int flags)
{
	int fd = open(path, flags);

	check(fd, path);
	return fd;
}

static char *memory(void)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(memory == MAP_FAILED ? -1 : 0, "mmap");
	return memory;
}

static void send_file(void)
{
	int to = open("/dev/null", O_WRONLY), from = open_file(O_RDONLY);
	size_t left = bytes;

	check(to, "/dev/null");
	while (left) {
		ssize_t sent = sendfile(to, from, &offset, left);

		check(sent > 0 ? 0 : -1, "sendfile");
		left -= sent;
	}
}

/* Keeps the compiler from removing the reads. */
char sum;

static void map(int is_write)
{
	int fd = open_file(O_RDWR);
	char *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	size_t at;

	check(file == MAP_FAILED ? -1 : 0, "mmap");
	for (at = 0; at < bytes; at += 4096) {
		if (is_write)
			file[at] = 'x';
		else
			sum += file[at];
	}
}

/* Fails if the memory was not swapped out. */
static void write_swapped(const char *reclaim)
{
	int reclaim_fd = open(reclaim, O_WRONLY);
	char *from = memory();
	uint64_t entry;
	int pagemap = open("/proc/self/pagemap", O_RDONLY), fd = open_file(O_WRONLY | O_DIRECT);
	size_t at;

	check(pagemap, "pagemap");
	memset(from, 'x', bytes);
	check(madvise(from, bytes, MADV_PAGEOUT), "MADV_PAGEOUT");
	for (at = 0; at < bytes; at += 4096) {
		check(pread(pagemap, &entry, 8, ((uintptr_t)from + at) / 4096 * 8), "pagemap");
		if (!(entry >> 62 & 1)) {
			fprintf(stderr, "reach: not swapped out: page %zu\n", at / 4096);
			exit(1);
		}
	}
	/* Written pages are still in the swap cache, until they are reclaimed. */
	usleep(200000);
	check(reclaim_fd, reclaim);
	if (write(reclaim_fd, "4M", 2) < 0)
		perror("reach: reclaim");
	/* Reading leaves it in the swap cache. */
	for (at = 0; at < bytes; at += 4096)
		sum += from[at];
	check(pwrite(fd, from, bytes, offset) == (ssize_t)bytes ? 0 : -1, "pwrite");
}

static void *read_direct(void *unused)
{
	int fd = open_file(O_RDONLY | O_DIRECT);

	printf("%d %ld\n", getpid(), syscall(SYS_gettid));
	check(pread(fd, memory(), bytes, offset) == (ssize_t)bytes ? 0 : -1, "pread");
	return unused;
}

static void read_in_thread(const char *uid)
{
	pthread_t thread;

	if (uid)
		check(setuid(atoi(uid)), "setuid");
	check(-pthread_create(&thread, NULL, read_direct, NULL), "pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	path = argv[2];
	offset = atoll(argv[3]);
	bytes = atoll(argv[4]);
	if (!strcmp(argv[1], "sendfile"))
		send_file();
	else if (!strcmp(argv[1], "map-read"))
		map(0);
	else if (!strcmp(argv[1], "map-write"))
		map(1);
	else if (!strcmp(argv[1], "swapped"))
		write_swapped(argv[5]);
	else if (!strcmp(argv[1], "thread"))
		read_in_thread(argv[5]);
	else
		return 2;
	return 0;
}
