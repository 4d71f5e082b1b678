// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that rename a file each, there and back in a directory of its own, until the program is killed.
 * They have the lowest priority, so that any other thread may preempt them anywhere.
 *
 *	renamer DIRECTORY THREADS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void *work(void *number)
{
	char there[32], back[32];

	snprintf(there, sizeof(there), "%u", (unsigned int)(uintptr_t)number);
	mkdir(there, 0700);
	snprintf(there, sizeof(there), "%u/there", (unsigned int)(uintptr_t)number);
	snprintf(back, sizeof(back), "%u/back", (unsigned int)(uintptr_t)number);
	close(open(there, O_CREAT | O_WRONLY, 0600));
	while (!rename(there, back) && !rename(back, there))
		;
	perror("rename");
	exit(1);
}

int main(int argc, char **argv)
{
	const struct sched_param none = { 0 };
	pthread_t thread;

	if (argc != 3 || chdir(argv[1]) || sched_setscheduler(0, SCHED_IDLE, &none)) {
		perror("renamer");
		return 2;
	}
	for (int number = 0; number < atoi(argv[2]); number++)
		if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)number))
			return 2;
	pause();
	return 0;
}
