// SPDX-License-Identifier: GPL-2.0
/*
 * Does one thing while its n-th allocation in the kernel fails, and prints how
 * that ended and the rest of n. A shell cannot do so: its own allocations would
 * be counted.
 *
 *	nth N load FILE		insmod
 *	nth N unload NAME	rmmod
 *	nth N read FILE		open, read all, close
 *	nth N ask MESSAGE	write MESSAGE to /dev/iostat, read the reply
 *	nth N send FILE		write standard input
 *	nth N add|remove NUMBER	a loop disk, without losetup's other calls
 *	nth N churn NUMBER	add and remove a loop disk, ten times
 *	nth N part|unpart DISK	add or remove partition 1, 8 MiB at offset 1 MiB
 *
 * N = 0: nothing fails. Prints "ERRNO LEFT": LEFT = 0 means that the n-th allocation
 * was made and failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buf[1 << 20], line[256];

/* Reads to the end, after writing a message if there is one. */
static int read_all(const char *name, const char *message)
{
	ssize_t len;
	int err = 0;
	int fd = open(name, message ? O_RDWR : O_RDONLY);

	if (fd < 0)
		return errno;
	if (message && write(fd, message, strlen(message)) < 0)
		err = errno;
	do {
		len = read(fd, buf, sizeof(buf));
		if (len < 0)
			err = errno;
	} while (len > 0);
	close(fd);
	return err;
}

static long churn(int fd, long number)
{
	long ret = 0;

	for (int i = 0; i < 10 && ret >= 0; i++) {
		ret = ioctl(fd, LOOP_CTL_ADD, number);
		if (ret >= 0)
			ret = ioctl(fd, LOOP_CTL_REMOVE, number);
	}
	return ret;
}

/* The partition is added to the kernel without a table, as partx does. */
static long partition(int fd, int op)
{
	struct blkpg_partition part = {.start = 1 << 20, .length = 8 << 20, .pno = 1};
	struct blkpg_ioctl_arg arg = {.op = op, .datalen = sizeof(part), .data = &part};

	return ioctl(fd, BLKPG, &arg);
}

static int act(const char *what, int fd, const char *name)
{
	long ret = -1;

	errno = EINVAL;
	if (!strcmp(what, "read"))
		return read_all(name, NULL);
	if (!strcmp(what, "ask"))
		return read_all("/dev/iostat", name);
	if (!strcmp(what, "send"))
		ret = write(fd, line, strlen(line));
	else if (!strcmp(what, "load"))
		ret = syscall(SYS_finit_module, fd, "", 0);
	else if (!strcmp(what, "unload"))
		ret = syscall(SYS_delete_module, name, O_NONBLOCK);
	else if (!strcmp(what, "add"))
		ret = ioctl(fd, LOOP_CTL_ADD, atol(name));
	else if (!strcmp(what, "remove"))
		ret = ioctl(fd, LOOP_CTL_REMOVE, atol(name));
	else if (!strcmp(what, "churn"))
		ret = churn(fd, atol(name));
	else if (!strcmp(what, "part"))
		ret = partition(fd, BLKPG_ADD_PARTITION);
	else if (!strcmp(what, "unpart"))
		ret = partition(fd, BLKPG_DEL_PARTITION);
	return ret < 0 ? errno : 0;
}

int main(int argc, char **argv)
{
	const char *left = "0";
	char rest[16] = "";
	int on_file, writes, nth, fd, err;

	if (argc != 4)
		return 2;
	on_file = argv[3][0] == '/' && strcmp(argv[2], "read");
	writes = !strcmp(argv[2], "send");
	if (writes && !fgets(line, sizeof(line), stdin))
		return 2;
	fd = open(on_file ? argv[3] : "/dev/loop-control", (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	nth = open("/proc/thread-self/fail-nth", O_RDWR);
	memset(buf, 0, sizeof(buf));	/* no page fault while allocations are counted */
	if (nth >= 0 && write(nth, argv[1], strlen(argv[1])) < 0) {
		perror("fail-nth");
		return 2;
	}
	err = act(argv[2], fd, argv[3]);
	if (nth >= 0) {
		if (pread(nth, rest, sizeof(rest) - 1, 0) > 0)
			left = rest;
		if (write(nth, "0", 1) < 0)
			perror("fail-nth");
	}
	printf("%d %d\n", err, atoi(left));
	return 0;
}
