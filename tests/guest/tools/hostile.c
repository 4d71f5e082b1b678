// SPDX-License-Identifier: GPL-2.0
/*
 * An unprivileged user that opens one of iostat's events from namespaces of its own.
 *
 *	hostile fifo ID		/proc/1/mountinfo is a FIFO without a writer
 *	hostile fuse ID		/proc is a FUSE file system without a server
 *	hostile jail ID DIR	in a chroot of its own pid namespace, where the
 *				directory DIR is mounted as SECRET
 *
 * ID is the number of the event in tracefs. Prints "opening", and "opened" when
 * the event is open. Then, for each line of standard input, reads the file named
 * "file" of SECRET: with O_DIRECT if it is "direct".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECRET	"/etc/secret-of-root"
#define JAIL	"/run"

static void check(int result, const char *what)
{
	if (result < 0) {
		printf("%s: %s\n", what, strerror(errno));
		exit(2);
	}
}

static void put(const char *path, const char *format, ...)
{
	int fd = open(path, O_WRONLY);
	va_list arguments;

	check(fd, path);
	va_start(arguments, format);
	check(vdprintf(fd, format, arguments), path);
	va_end(arguments);
	close(fd);
}

static void unshare_all(int more)
{
	uid_t uid = getuid();
	gid_t gid = getgid();

	check(unshare(CLONE_NEWUSER | CLONE_NEWNS | more), "unshare");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 %u 1", uid);
	put("/proc/self/gid_map", "0 %u 1", gid);
}

static void make_fifo(void)
{
	unshare_all(0);
	check(mount("none", "/proc", "tmpfs", 0, NULL), "mount tmpfs");
	check(mkdir("/proc/1", 0755), "mkdir");
	check(mkfifo("/proc/1/mountinfo", 0644), "mkfifo");
}

static void make_fuse(void)
{
	char options[64];
	int fd;

	unshare_all(0);
	fd = open("/dev/fuse", O_RDWR);
	check(fd, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	check(mount("none", "/proc", "fuse", 0, options), "mount fuse");
}

static void make_jail(const char *dir)
{
	pid_t child;

	unshare_all(CLONE_NEWPID);
	child = fork();
	check(child, "fork");
	if (child) {
		waitpid(child, NULL, 0);
		exit(0);
	}
	check(prctl(PR_SET_PDEATHSIG, SIGKILL), "prctl");
	check(mount("none", JAIL, "tmpfs", 0, NULL), "mount tmpfs");
	check(mkdir(JAIL "/proc", 0755), "mkdir");
	check(mkdir(JAIL "/etc", 0755), "mkdir");
	check(mkdir(JAIL SECRET, 0755), "mkdir");
	check(mount(dir, JAIL SECRET, NULL, MS_BIND, NULL), "bind");
	check(mount("none", JAIL "/proc", "proc", 0, NULL), "mount proc");
	check(chroot(JAIL), "chroot");
	check(chdir("/"), "chdir");
}

static void open_event(unsigned int id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.exclude_kernel = 1,
	};

	puts("opening");
	check(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), "perf_event_open");
	puts("opened");
}

static void read_file(int flags)
{
	int fd = open(SECRET "/file", O_RDONLY | flags);
	void *memory;

	check(fd, SECRET "/file");
	if (posix_memalign(&memory, 4096, 4096))
		exit(2);
	check(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	check(read(fd, memory, 4096), "read");
	close(fd);
	free(memory);
	puts("read");
}

int main(int argc, char **argv)
{
	char line[16];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && !strcmp(argv[1], "fifo"))
		make_fifo();
	else if (argc == 3 && !strcmp(argv[1], "fuse"))
		make_fuse();
	else if (argc == 4 && !strcmp(argv[1], "jail"))
		make_jail(argv[3]);
	else
		return 2;
	open_event(atoi(argv[2]));
	while (fgets(line, sizeof(line), stdin))
		read_file(strcmp(line, "direct\n") ? 0 : O_DIRECT);
	return 0;
}
