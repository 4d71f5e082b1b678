// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files from begin to end and says how many TSC cycles it took; under
 * QEMU's -icount a cycle is an instruction.
 *
 * usage: readall REPEATS FILE...
 *
 * Prints a line per repeat, after a warm-up: cycles, bytes read.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

static char buffer[1 << 20];

static unsigned long read_file(const char *name)
{
	int fd = open(name, O_RDONLY);
	unsigned long bytes = 0;
	ssize_t got;

	if (fd < 0)
		err(1, "%s", name);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		bytes += got;
	if (got < 0)
		err(1, "%s", name);
	close(fd);
	return bytes;
}

int main(int argc, char **argv)
{
	unsigned long long start;
	unsigned long bytes;
	int repeats, i, file;

	if (argc < 3)
		errx(2, "usage: readall REPEATS FILE...");
	repeats = atoi(argv[1]);
	for (i = 0; i <= repeats; i++) {
		bytes = 0;
		start = __rdtsc();
		for (file = 2; file < argc; file++)
			bytes += read_file(argv[file]);
		start = __rdtsc() - start;
		if (i)
			printf("%llu %lu\n", start, bytes);
	}
	return 0;
}
