// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a file after a call of direct I/O that failed in the kernel, in the same thread.
 *
 *	failcall DEVICE FILE [direct]
 *
 * reads 16 KiB from byte 65536 of the device into memory that is not there, and closes the device. Then it reads the
 * same range of the file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES	16384
#define OFFSET	65536

static int fail(const char *path)
{
	perror(path);
	return 1;
}

static ssize_t read_by(const char *path, int flags, void *memory)
{
	int fd = open(path, O_RDONLY | flags), error;
	ssize_t got;

	if (fd < 0)
		return -1;
	got = pread(fd, memory, BYTES, OFFSET);
	error = errno;
	close(fd);
	errno = error;
	return got;
}

int main(int argc, char **argv)
{
	char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc < 3 || memory == MAP_FAILED || munmap(memory + BYTES, BYTES))
		return fail("memory");
	if (read_by(argv[1], O_DIRECT, memory + BYTES) != -1 || errno != EFAULT)
		return fail(argv[1]);
	return read_by(argv[2], argc > 3 ? O_DIRECT : 0, memory) == BYTES ? 0 : fail(argv[2]);
}
