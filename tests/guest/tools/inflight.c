// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the list of I/Os in flight again and again, under a load of reads of 4 KiB in the first half of a disk and
 * writes of 8 KiB in the second, all by fio: prints lines that are wrong, and how many there were.
 *
 *	inflight NAME N SECTORS		N lists of a disk of so many sectors
 *	inflight NAME N			N lists, without operations, sectors and submitters
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 20];

static bool is_right(const char *line, const char *name, unsigned long long sectors)
{
	char device[64], phase[16], op[16], comm[65], end;
	unsigned long long age, service, sector, bytes;
	unsigned int number, pid;

	if (sscanf(line, "%63s %u %15s %llu %llu %15s", device, &number, phase, &age, &service, op) != 6 ||
	    strcmp(device, name) || (strcmp(phase, "waiting") && strcmp(phase, "running")))
		return false;
	/* A minute is more than the load may last. */
	if (service > age || age > 60000000000ULL || (!strcmp(phase, "waiting") && service))
		return false;
	if (!sectors)
		return !strcmp(line + strlen(line) - strlen(" - - - - -"), " - - - - -");
	if (sscanf(line, "%*s %*u %*s %*u %*u %*s %llu %llu %u %64s%c", &sector, &bytes, &pid, comm, &end) != 4 ||
	    strcmp(comm, "fio"))
		return false;
	if (!strcmp(op, "read"))
		return sector + 8 <= sectors / 2 && !(sector % 8) && bytes == 4096;
	return !strcmp(op, "write") && sector >= sectors / 2 && sector + 16 <= sectors && !(sector % 16) &&
	       bytes == 8192;
}

int main(int argc, char **argv)
{
	static const char header[] = "device number phase age_ns service_ns op sector bytes pid comm\n";
	unsigned long long sectors = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	long lists = argc > 2 ? atol(argv[2]) : 0, lines = 0, wrong = 0, waiting = 0;
	int fd = open("/dev/iostat", O_RDWR);

	if (fd < 0 || argc < 3)
		return 2;
	for (long i = 0; i < lists; i++) {
		size_t len = 0;
		ssize_t got;

		if (dprintf(fd, "@inflight %s", argv[1]) < 0)
			return 1;
		while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
			len += got;
		text[len] = 0;
		if (got < 0 || strncmp(text, header, strlen(header)) || text[len - 1] != '\n') {
			printf("no list: %s: %.80s\n", strerrorname_np(errno), text);
			return 1;
		}
		for (char *line = text + strlen(header), *end; (end = strchr(line, '\n')); line = end + 1) {
			*end = 0;
			lines++;
			waiting += !!strstr(line, " waiting ");
			if (!is_right(line, argv[1], sectors) && wrong++ < 10)
				printf("wrong: %s\n", line);
		}
	}
	printf("%ld lists, %ld wrong, %d\n", lists, wrong, lines > lists);
	fprintf(stderr, "# %ld lines, %ld of them waiting\n", lines, waiting);
	return 0;
}
