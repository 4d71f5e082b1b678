// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /dev/iostat in ways that a shell cannot.
 *
 *	textread hold FILES [MESSAGE]
 *
 * Opens /dev/iostat FILES times, in processes of 500 files each, writes the message to each if there is one, and
 * reads one byte of each. Prints the number of files, and the bytes of free memory that each has taken: by
 * being opened, and by being read.
 *
 *	textread at POSITION BYTES
 *
 * Reads standard input at a position, not at its current one.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define EACH 500

/* The pages of all zones that are free, with those in the lists of the CPUs, which MemFree of /proc/meminfo leaves out. */
static long free_bytes(void)
{
	char line[128];
	long pages = 0, n;
	FILE *file = fopen("/proc/zoneinfo", "r");

	if (!file)
		err(1, "/proc/zoneinfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " pages free %ld", &n) == 1 || sscanf(line, " count: %ld", &n) == 1)
			pages += n;
	}
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

static void say(int fd)
{
	if (write(fd, "x", 1) != 1)
		err(1, "write");
}

static void hear(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		err(1, "read");
}

static void process(int number, const char *message, int done, int go)
{
	int fds[EACH];
	char c;

	for (int i = 0; i < number; i++) {
		fds[i] = open("/dev/iostat", message ? O_RDWR : O_RDONLY);
		if (fds[i] < 0)
			err(1, "open");
	}
	say(done);
	hear(go);
	for (int i = 0; i < number; i++) {
		if (message && write(fds[i], message, strlen(message)) < 0)
			err(1, "%s", message);
		if (read(fds[i], &c, 1) != 1)
			err(1, "read");
	}
	say(done);
	/* Until the parent ends. */
	if (read(go, &c, 1) == 1)
		errx(1, "go where?");
	exit(0);
}

static int hold(int files, const char *message)
{
	int processes = (files + EACH - 1) / EACH, done[2], go[2];
	long before, opened, read_one;

	if (pipe(done) || pipe(go))
		err(1, "pipe");
	before = free_bytes();
	for (int i = 0; i < processes; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			close(go[1]);
			process(i < processes - 1 ? EACH : files - i * EACH, message, done[1], go[0]);
		}
	}
	/* Closed here, so that the parent sees the end when a process fails. */
	close(done[1]);
	for (int i = 0; i < processes; i++)
		hear(done[0]);
	opened = free_bytes();
	for (int i = 0; i < processes; i++)
		say(go[1]);
	for (int i = 0; i < processes; i++)
		hear(done[0]);
	read_one = free_bytes();
	printf("%d %ld %ld\n", files, (before - opened) / files, (opened - read_one) / files);
	close(go[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int at(off_t position, size_t bytes)
{
	static char buffer[1 << 20];
	ssize_t got = 0, more;

	if (bytes > sizeof(buffer))
		return 2;
	while ((more = pread(0, buffer + got, bytes - got, position + got)) > 0)
		got += more;
	if (more < 0)
		err(1, "pread");
	return fwrite(buffer, 1, got, stdout) != (size_t)got;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
	if (argc == 4 && !strcmp(argv[1], "at"))
		return at(atoll(argv[2]), atoll(argv[3]));
	return 2;
}
