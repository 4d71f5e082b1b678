// SPDX-License-Identifier: GPL-2.0
/*
 * Does what an unprivileged user can do to the module and to tracing users: opens, enables, filters and
 * closes events of the io provider by perf_event_open(), keeps files half read and counters mapped, and
 * issues I/O that these events trace, LAP times or until the file UNTIL does not exist any more.
 * usage: nobody SEED UNTIL LAP DISK <ids of events
 *
 * All of it runs as uid 65534, in mount namespaces where /proc is replaced by what such a user can
 * create: FIFOs without a writer, invalid texts, directories, or nothing. With user namespaces in the
 * kernel, the user creates them; otherwise root creates the same before it becomes that user.
 *
 * Prints how many events and files it opened and how many bytes it read of the disk; the status is 1 if
 * anything failed that must succeed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define IDS 8
#define SLOTS 24
#define HELD 128
#define RING (3 * 4096)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t state;
static unsigned long ids[IDS];
static int nids, disk, device_dir, sysfs_dir;
static struct {
	int fd;
	void *ring;
} events[SLOTS];
static struct {
	int fd;
	void *map;
} held[HELD];
static unsigned long opened, files, bytes;
static char *block;

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

static void fatal(const char *what)
{
	printf("nobody: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0666);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fatal(path);
	close(fd);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		fatal("setuid");
	/* Otherwise its own files in /proc belong to root. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Creates namespaces that allow mounts; true if they belong to the user. */
static int own_namespaces(void)
{
	int flags = CLONE_NEWUSER | CLONE_NEWNS;
	char map[32];

	if (below(2))
		flags |= CLONE_NEWPID;
	if (!access("/proc/self/ns/user", F_OK)) {
		become_nobody();
		if (unshare(flags))
			fatal("unshare");
		snprintf(map, sizeof(map), "0 %d 1", NOBODY);
		put("/proc/self/setgroups", "deny");
		put("/proc/self/uid_map", map);
		put("/proc/self/gid_map", map);
		return 1;
	}
	if (unshare(CLONE_NEWNS))
		fatal("unshare");
	return 0;
}

/* Replaces /proc/1/mountinfo in this namespace. */
static void shape_proc(void)
{
	char way = below(7);

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		fatal("private mounts");
	if (!way)
		return;
	if (mount("tmpfs", "/proc", "tmpfs", 0, NULL))
		fatal("tmpfs on /proc");
	if (way == 1)
		return;
	if (mkdir("/proc/1", 0755) || mkdir("/proc/self", 0755))
		fatal("mkdir");
	switch (way) {
	case 2:
	case 3:
		if (mkfifo("/proc/1/mountinfo", 0666) || mkfifo("/proc/self/mountinfo", 0666))
			fatal("mkfifo");
		break;
	case 4:
		put("/proc/1/mountinfo", "1 1 0:1 / / rw - tmpfs false rw\n");
		put("/proc/self/mountinfo", "no line at all");
		break;
	case 5:
		if (mkdir("/proc/1/mountinfo", 0755) || symlink("self", "/proc/self/mountinfo"))
			fatal("mkdir");
		break;
	case 6:
		if (mkdir("/proc/root", 0755) || mount("/", "/proc/root", NULL, MS_BIND | MS_REC, NULL) ||
		    chroot("/proc/root") || chdir("/"))
			fatal("chroot");
		break;
	}
}

static void close_event(int slot)
{
	if (events[slot].ring)
		munmap(events[slot].ring, RING);
	if (events[slot].fd >= 0)
		close(events[slot].fd);
	events[slot].fd = -1;
	events[slot].ring = NULL;
}

static void open_event(int slot)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.exclude_kernel = 1,
		.disabled = below(2),
		.inherit = below(2),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.wakeup_events = 1,
	};

	close_event(slot);
	if (!nids)
		return;
	attr.config = ids[below(nids)];
	attr.sample_period = below(4);
	/* The module may have been unloaded, and the event's id with it. */
	events[slot].fd = syscall(SYS_perf_event_open, &attr, 0, below(2) ? -1 : 0, -1,
				  PERF_FLAG_FD_CLOEXEC);
	if (events[slot].fd < 0) {
		if (errno == EACCES || errno == EPERM)
			fatal("perf_event_open");
		return;
	}
	opened++;
	if (below(3) || attr.inherit)
		return;
	events[slot].ring = mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, events[slot].fd, 0);
	if (events[slot].ring == MAP_FAILED)
		events[slot].ring = NULL;
}

static void use_event(int slot)
{
	static const char *const filters[] = {
		"b_bcount > 4096", "dev_statname ~ \"n*\"", "b_bcount > 0 && b_error == 0",
		"no_such_field == 1", "b_bcount >", "((((((((", "",
	};
	uint64_t count[4];
	int fd = events[slot].fd;

	switch (below(6)) {
	case 0:
	case 1:
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		break;
	case 2:
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		break;
	case 3:
		ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filters[below(COUNT(filters))]);
		break;
	case 4:
		ioctl(fd, PERF_EVENT_IOC_REFRESH, below(3));
		break;
	case 5:
		if (read(fd, count, sizeof(count)) < 0)
			ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		break;
	}
}

static void release(int slot)
{
	if (held[slot].map)
		munmap(held[slot].map, 65536);
	if (held[slot].fd >= 0)
		close(held[slot].fd);
	held[slot].fd = -1;
	held[slot].map = NULL;
}

/* Opens a file, reads a part of it and keeps it open. */
static void hold(int slot)
{
	static const char *const names[] = {
		"block/nb0/iostat/stat", "block/nb1/iostat/latency/read_total",
		"block/vda/iostat/devstat/operations_read", "class/misc/iostat/numdevs",
	};
	char text[4096];
	int which = below(2 * COUNT(names));

	release(slot);
	if (which < (int)COUNT(names))
		held[slot].fd = openat(sysfs_dir, names[which], O_RDONLY | O_CLOEXEC);
	else
		held[slot].fd = openat(device_dir, "iostat", O_RDONLY | O_CLOEXEC);
	if (held[slot].fd < 0)
		return;
	files++;
	if (below(4) && read(held[slot].fd, text, 1 + below(sizeof(text))) < 0)
		return;
	if (which < (int)COUNT(names) || below(2))
		return;
	held[slot].map = mmap(NULL, 4096 << below(5), PROT_READ, MAP_SHARED, held[slot].fd, 0);
	if (held[slot].map == MAP_FAILED)
		held[slot].map = NULL;
}

static void read_disk(void)
{
	ssize_t got = pread(disk, block, 4096 << below(3), (off_t)below(2048) * 4096);

	if (got > 0)
		bytes += got;
}

/* A child that inherits the events exists for a moment. */
static void have_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		read_disk();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void lap(const char *until_dir, int until, long turns)
{
	while (turns-- && !faccessat(until, until_dir, F_OK, 0)) {
		switch (below(8)) {
		case 0:
		case 1:
			open_event(below(SLOTS));
			break;
		case 2:
		case 3:
			use_event(below(SLOTS));
			break;
		case 4:
			hold(below(HELD));
			break;
		case 5:
		case 6:
			read_disk();
			break;
		case 7:
			if (below(4))
				close_event(below(SLOTS));
			else
				have_child();
			break;
		}
	}
}

int main(int argc, char **argv)
{
	char directory[256], *name;
	int until, own;

	if (argc != 5)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	while (nids < IDS && scanf("%lu", &ids[nids]) == 1)
		nids++;
	/* Opened now, as these paths are hidden later. */
	snprintf(directory, sizeof(directory), "%s", argv[2]);
	name = strrchr(directory, '/');
	if (!name)
		return 2;
	*name++ = '\0';
	until = open(directory, O_PATH | O_CLOEXEC);
	disk = open(argv[4], O_RDONLY | O_DIRECT | O_CLOEXEC);
	device_dir = open("/dev", O_PATH | O_CLOEXEC);
	sysfs_dir = open("/sys", O_PATH | O_CLOEXEC);
	if (until < 0 || disk < 0 || device_dir < 0 || sysfs_dir < 0)
		fatal("open");
	block = aligned_alloc(4096, 65536);
	if (!block)
		return 2;
	for (int slot = 0; slot < SLOTS; slot++)
		events[slot].fd = -1;
	for (int slot = 0; slot < HELD; slot++)
		held[slot].fd = -1;
	own = own_namespaces();
	shape_proc();
	if (!own)
		become_nobody();
	lap(name, until, atol(argv[3]));
	printf("%lu events, %lu files, %lu bytes\n", opened, files, bytes);
	return 0;
}
