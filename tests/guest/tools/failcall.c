// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a file after a call of direct I/O that failed in the kernel, in the same thread.
 *
 *	failcall DEVICE FILE [direct|vector]
 *
 * reads 16 KiB from byte 65536 of the device into memory that is not there. Then it reads the same range of the file, by
 * direct I/O if that is given, and for "vector" into two pieces of memory. Both stay open, so that a call that is taken for
 * the other has a path.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define BYTES	16384
#define OFFSET	65536

static int fail(const char *path)
{
	perror(path);
	return 1;
}

static ssize_t read_by(const char *path, int flags, char *memory, int pieces)
{
	const struct iovec vec[] = {
		{ memory, BYTES / pieces },
		{ memory + BYTES / 2, BYTES / 2 },
	};
	int fd = open(path, O_RDONLY | flags);

	return fd < 0 ? -1 : preadv(fd, vec, pieces, OFFSET);
}

int main(int argc, char **argv)
{
	char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int flags = argc > 3 ? O_DIRECT : 0;
	int pieces = argc > 3 && !strcmp(argv[3], "vector") ? 2 : 1;

	if (argc < 3 || memory == MAP_FAILED || munmap(memory + BYTES, BYTES))
		return fail("memory");
	if (read_by(argv[1], O_DIRECT, memory + BYTES, 1) != -1 || errno != EFAULT)
		return fail(argv[1]);
	return read_by(argv[2], flags, memory, pieces) == BYTES ? 0 : fail(argv[2]);
}
