// SPDX-License-Identifier: GPL-2.0
/*
 * Copies a file by direct I/O out of a mapping of it that is not in memory: the kernel reads the file into the page cache
 * during the call.
 *
 *	faultcall FROM TO
 *
 * copies 64 KiB. TO exists.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES	65536

int main(int argc, char **argv)
{
	int from = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	int to = argc == 3 ? open(argv[2], O_WRONLY | O_DIRECT) : -1;
	char *memory = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, from, 0);

	if (to < 0 || memory == MAP_FAILED || pwrite(to, memory, BYTES, 0) != BYTES) {
		perror("faultcall");
		return 1;
	}
	return 0;
}
