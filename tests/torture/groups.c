// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups that come and go: for each a process starts in it, reads from a disk, and ends; then the
 * cgroup is removed, while its read-ahead may still be in flight.
 *
 *	groups DIR NAME COUNT DISK READS [AHEAD]
 *
 * Creates DIR/NAME.1 to DIR/NAME.COUNT, one after another. Each process makes READS direct reads of 4 KiB
 * and, if AHEAD is not 0, starts a read-ahead of so many KiB. Stops when standard input is a file
 * that has been deleted. Prints "GROUPS READS": the numbers of cgroups and of reads without an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096

static int going(void)
{
	struct stat st;

	return fstat(0, &st) || !S_ISREG(st.st_mode) || st.st_nlink;
}

/* A child that starts in the cgroup: nothing of it is charged to another. */
static pid_t fork_into(int group)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = group,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

/* Its status is the number of reads. The disk may be removed meanwhile. */
static int reads(const char *disk, int count, long ahead, unsigned int seed)
{
	int fd = open(disk, O_RDONLY | O_DIRECT), cached, done = 0;
	void *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (fd < 0 || block == MAP_FAILED)
		return 0;
	for (int i = 0; i < count; i++)
		done += pread(fd, block, BLOCK, (off_t)((seed + i) % 1024) * BLOCK) == BLOCK;
	if (ahead) {
		cached = open(disk, O_RDONLY);
		posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
		readahead(cached, (off_t)(seed % 64) << 16, ahead << 10);
	}
	return done;
}

int main(int argc, char **argv)
{
	long groups = 0, done = 0, count, ahead;
	char path[4096];
	int status, number;

	if (argc < 6)
		return 2;
	count = atol(argv[3]);
	number = atoi(argv[5]);
	ahead = argc > 6 ? atol(argv[6]) : 0;
	if (number < 0 || number > 255)
		return 2;
	for (long i = 1; i <= count && going(); i++) {
		int group;
		pid_t pid;

		snprintf(path, sizeof(path), "%s/%s.%ld", argv[1], argv[2], i);
		if (mkdir(path, 0755)) {
			perror(path);
			return 1;
		}
		group = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		pid = fork_into(group);
		if (pid == 0)
			_exit(reads(argv[4], number, ahead, (unsigned int)i * 7));
		if (pid < 0) {
			perror("clone3");
			return 1;
		}
		waitpid(pid, &status, 0);
		close(group);
		/* What is released of a process after its end keeps the cgroup busy. */
		for (int try = 0; rmdir(path); try++) {
			if (errno != EBUSY || try >= 1000) {
				perror(path);
				return 1;
			}
			usleep(10000);
		}
		groups++;
		done += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	}
	printf("%ld %ld\n", groups, done);
	return 0;
}
