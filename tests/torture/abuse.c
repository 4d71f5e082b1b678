// SPDX-License-Identifier: GPL-2.0
/*
 * Calls every system call that takes a file, with invalid arguments, on the files named on standard
 * input, until the file UNTIL does not exist any more.
 * usage: abuse SEED UNTIL UID <list
 *
 * All calls must be harmless, and none may write anything: the status is 1 if
 * one did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FILES 4096
#define OPEN 8
#define AREA 8192
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t state;
static char *files[FILES];
static int nfiles, failures;
static int fds[OPEN], which[OPEN];
/* Longer than any of the files, so that no read overwrites other variables. */
static char page[1 << 20];
static int pipes[2], null;

/* splitmix64 */
static uint64_t any(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static int below(int n)
{
	return any() % n;
}

/* Values near the limits of types, and small ones. */
static int64_t number(void)
{
	static const int64_t odd[] = {
		0, 1, -1, 2, 7, 511, 512, 4095, 4096, 4097, 8192, 65536, INT32_MAX,
		INT32_MIN, UINT32_MAX, 1L << 32, INT64_MAX, INT64_MAX - 1, INT64_MIN,
	};

	return below(4) ? odd[below(COUNT(odd))] : (int64_t)any();
}

static void *address(void)
{
	void *odd[] = {
		page, page + 1, page + AREA - 3, NULL, (void *)1,
		(void *)0xffff888000000000, (void *)0x7ffffffff000, (void *)number(),
	};

	return odd[below(2) ? 0 : below(COUNT(odd))];
}

/* A length that fits what address() returns, or not. */
static size_t length(void)
{
	return below(2) ? (size_t)below(AREA) : (size_t)number();
}

static void written(int slot, const char *call, ssize_t result)
{
	if (result <= 0)
		return;
	printf("abuse: %s on %s wrote %zd\n", call, files[which[slot]], result);
	failures++;
}

static void reopen(int slot)
{
	static const int flags[] = {
		O_RDONLY, O_RDONLY, O_RDONLY, O_RDONLY | O_NONBLOCK, O_RDONLY | O_DIRECT,
		O_RDWR, O_WRONLY, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND, O_PATH,
		O_RDONLY | O_DIRECTORY, O_RDONLY | O_SYNC | O_NOATIME, 3,
	};

	if (fds[slot] >= 0)
		close(fds[slot]);
	which[slot] = below(nfiles);
	fds[slot] = open(files[which[slot]], flags[below(COUNT(flags))] | O_CLOEXEC);
}

static void vectors(int fd)
{
	struct iovec iov[64];
	int n = below(COUNT(iov));

	for (int i = 0; i < n; i++) {
		iov[i].iov_base = address();
		iov[i].iov_len = length();
	}
	if (below(2))
		readv(fd, iov, n);
	else
		preadv2(fd, iov, n, number(), below(64));
}

/* Numbers near those of /dev/iostat's calls; see include/uapi/linux/iostat.h. */
static void call(int fd)
{
	static const uint32_t sizes[] = { 0, 4, 32, 40, 48, 64, 72, 80, 4096, 4097 };
	static const uint32_t elements[] = { 0, 4, 8, 64, 128, 132, 256, 4096, 8192 };
	uint32_t *word = (uint32_t *)page;
	uint64_t pointers[] = { (uintptr_t)page + 4096, (uintptr_t)page + 4097, 0, 0xffff888000000000 };

	memset(word, 0, 128);
	word[0] = sizes[below(COUNT(sizes))];
	word[1] = below(4) ? (uint32_t)below(2) : (uint32_t)number();
	word[2] = elements[below(COUNT(elements))];
	word[3] = below(2) ? (uint32_t)below(64) : (uint32_t)number();
	for (int i = 4; i < 12; i += 2)
		*(uint64_t *)(word + i) = pointers[below(COUNT(pointers))];
	if (below(2))
		word[8] = below(8);
	/* The calls of kstats have numbers from 16 on, and a kid in place of an element's size. */
	if (below(2))
		word[2] = below(8);
	if (below(2)) {
		word[9] = elements[below(COUNT(elements))];
		word[10] = number();
		word[11] = number();
		*(uint64_t *)(word + 12) = pointers[below(COUNT(pointers))];
		*(uint64_t *)(word + 14) = pointers[below(COUNT(pointers))];
	}
	ioctl(fd, 0xa800 | below(2) << 4 | below(8), below(8) ? page : address());
}

static void map(int fd)
{
	static const int protections[] = { PROT_READ, PROT_WRITE, PROT_EXEC, PROT_READ | PROT_WRITE };
	void *p = mmap(NULL, 1 + below(65536), protections[below(COUNT(protections))],
		       below(2) ? MAP_SHARED : MAP_PRIVATE, fd, below(2) ? 0 : number() & ~4095L);

	if (p != MAP_FAILED)
		munmap(p, 65536);
}

static void wait_for(int fd)
{
	struct pollfd p = { .fd = fd, .events = any() };

	poll(&p, 1, 0);
}

static void move_on(int fd)
{
	char drain[4096];

	if (below(2))
		sendfile(null, fd, NULL, below(65536));
	else if (splice(fd, NULL, pipes[1], NULL, below(8192), SPLICE_F_NONBLOCK) > 0)
		while (read(pipes[0], drain, sizeof(drain)) > 0)
			;
}

static void inode(int slot)
{
	int fd = fds[slot];
	struct stat st;

	switch (below(6)) {
	case 0:
		fstat(fd, &st);
		break;
	case 1:
		fgetxattr(fd, "security.x", page, sizeof(page));
		break;
	case 2:
		fcntl(fd, F_SETFL, any() & (O_NONBLOCK | O_DIRECT | O_APPEND));
		break;
	case 3:
		flock(fd, LOCK_NB | (below(2) ? LOCK_EX : LOCK_UN));
		break;
	case 4:
		fsync(fd);
		break;
	case 5:
		posix_fadvise(fd, number(), number(), below(8));
		break;
	}
}

static void one(int slot)
{
	int fd = fds[slot];

	switch (below(16)) {
	case 0:
	case 1:
	case 2:
		read(fd, address(), length());
		break;
	case 3:
		pread(fd, address(), length(), number());
		break;
	case 4:
		lseek(fd, number(), below(7));
		break;
	case 5:
		lseek(fd, 0, SEEK_SET);
		read(fd, page, sizeof(page));
		break;
	case 6:
		vectors(fd);
		break;
	case 7:
		written(slot, "write", write(fd, address(), length()));
		break;
	case 8:
		written(slot, "pwrite", pwrite(fd, address(), length(), number()));
		break;
	case 9:
		if (below(2))
			call(fd);
		else
			ioctl(fd, (unsigned long)any(), address());
		break;
	case 10:
		map(fd);
		break;
	case 11:
		wait_for(fd);
		break;
	case 12:
		move_on(fd);
		break;
	case 13:
		inode(slot);
		break;
	case 14:
		if (fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
			ftruncate(fd, number());
		break;
	case 15:
		reopen(slot);
		break;
	}
}

int main(int argc, char **argv)
{
	char line[512];
	int status;
	uid_t uid;

	if (argc != 4)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	uid = atoi(argv[3]);
	while (nfiles < FILES && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		files[nfiles++] = strdup(line);
	}
	if (!nfiles || pipe2(pipes, O_NONBLOCK))
		return 2;
	null = open("/dev/null", O_WRONLY);
	if (uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
		return 2;
	for (int slot = 0; slot < OPEN; slot++) {
		fds[slot] = -1;
		reopen(slot);
	}
	/* Two more processes with the same open files, so that calls run at the same time. */
	for (int child = 0; child < 2; child++) {
		if (!fork()) {
			state += child + 1;
			break;
		}
	}
	while (!access(argv[2], F_OK))
		for (int i = 0; i < 64; i++)
			one(below(OPEN));
	while (wait(&status) > 0)
		failures += status != 0;
	return failures != 0;
}
