// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a module and says how many nanoseconds the system call took.
 *
 * usage: loadtime MODULE
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "marks.h"

int main(int argc, char **argv)
{
	struct timespec start, end;
	int fd;

	if (argc != 2)
		errx(2, "usage: loadtime MODULE");
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(1, "%s", argv[1]);
	mark_start();
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (syscall(SYS_finit_module, fd, "", 0))
		err(1, "finit_module");
	clock_gettime(CLOCK_MONOTONIC, &end);
	mark_end();
	printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
	return 0;
}
