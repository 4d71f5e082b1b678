// SPDX-License-Identifier: GPL-2.0
/*
 * Issues 4 KiB O_DIRECT reads at random places of a device and says how many
 * TSC cycles they took; under QEMU's -icount a cycle is an instruction.
 *
 * usage: iogen [option...] DEVICE
 *	-n READS	of each thread in a repeat (20000)
 *	-r REPEATS	measured ones, after a warm-up (1)
 *	-q DEPTH	io_uring with so many in flight; 0 is pread (0)
 *	-t THREADS	one per CPU, pinned (1)
 *	-w US		think so long after each read (0)
 *	-x		think exponentially distributed times with that mean
 *	-p US		start every -w microseconds, at this phase of CLOCK_MONOTONIC
 *
 * Prints a line per repeat: reads, cycles, nanoseconds of CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
#include <linux/fs.h>
#include "marks.h"

#define BLOCK 4096

struct worker {
	pthread_t thread;
	int number;
	int fd;
	char *buffers;
	struct io_uring ring;
	uint64_t random;
	uint64_t start, end;
};

static unsigned int reads = 20000, repeats = 1, depth, threads = 1, think_us;
static int exponential, phase_us = -1;
static const char *device;
static uint32_t blocks;
static pthread_barrier_t barrier;

static uint32_t random32(struct worker *me)
{
	me->random = me->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return me->random >> 32;
}

static off_t place(struct worker *me)
{
	return ((uint64_t)random32(me) * blocks >> 32) * BLOCK;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void wait_for_phase(void)
{
	uint64_t period = think_us * 1000ULL, now = now_ns();
	uint64_t next = now - now % period + phase_us * 1000ULL;

	if (next <= now)
		next += period;

	struct timespec time = { next / 1000000000, next % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void think(struct worker *me)
{
	double us = think_us;

	if (phase_us >= 0) {
		wait_for_phase();
		return;
	}

	if (exponential)
		us *= -log((random32(me) + 1.0) / 4294967296.0);

	struct timespec time = { us / 1000000, (uint64_t)(us * 1000) % 1000000000 };

	nanosleep(&time, NULL);
}

static void read_psync(struct worker *me)
{
	unsigned int i;

	for (i = 0; i < reads; i++) {
		if (pread(me->fd, me->buffers, BLOCK, place(me)) != BLOCK)
			err(1, "pread from %s", device);
		if (think_us)
			think(me);
	}
}

static void read_uring(struct worker *me)
{
	unsigned int submitted = 0, done = 0, head, seen;
	struct io_uring_cqe *cqe;
	int result;

	while (done < reads) {
		for (; submitted < reads && submitted - done < depth; submitted++)
			io_uring_prep_read(io_uring_get_sqe(&me->ring), me->fd,
					   me->buffers + submitted % depth * BLOCK,
					   BLOCK, place(me));
		result = io_uring_submit_and_wait(&me->ring, 1);
		if (result < 0)
			errx(1, "io_uring: error %d", -result);
		seen = 0;
		io_uring_for_each_cqe(&me->ring, head, cqe) {
			if (cqe->res != BLOCK)
				errx(1, "read from %s: result %d", device, cqe->res);
			seen++;
		}
		io_uring_cq_advance(&me->ring, seen);
		done += seen;
	}
}

static void prepare(struct worker *me)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), result;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(me->number % cpus, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		err(1, "sched_setaffinity");
	/* Timers at the time asked for, not up to 50 us later. */
	prctl(PR_SET_TIMERSLACK, 1);
	me->fd = open(device, O_RDONLY | O_DIRECT);
	if (me->fd < 0)
		err(1, "%s", device);
	me->buffers = aligned_alloc(BLOCK, (depth ? depth : 1) * BLOCK);
	if (!me->buffers)
		err(1, "buffers");
	if (depth) {
		result = io_uring_queue_init(depth, &me->ring, 0);
		if (result < 0)
			errx(1, "io_uring: error %d", -result);
	}
}

static void *work(void *arg)
{
	struct worker *me = arg;
	unsigned int i;

	prepare(me);
	for (i = 0; i <= repeats; i++) {
		/* The same places each time: repeats differ by noise only. */
		me->random = me->number + 1;
		pthread_barrier_wait(&barrier);
		me->start = __rdtsc();
		if (depth)
			read_uring(me);
		else
			read_psync(me);
		me->end = __rdtsc();
		pthread_barrier_wait(&barrier); /* all have ended */
		pthread_barrier_wait(&barrier); /* main has read the times */
	}
	return NULL;
}

static void report(struct worker *workers, uint64_t ns)
{
	uint64_t start = workers[0].start, end = workers[0].end;
	unsigned int i;

	for (i = 1; i < threads; i++) {
		if (workers[i].start < start)
			start = workers[i].start;
		if (workers[i].end > end)
			end = workers[i].end;
	}
	printf("%llu %llu %llu\n", (unsigned long long)reads * threads,
	       (unsigned long long)(end - start), (unsigned long long)ns);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct worker *workers;
	uint64_t bytes, begin;
	unsigned int i;
	int option, fd;

	while ((option = getopt(argc, argv, "n:r:q:t:w:xp:")) != -1) {
		switch (option) {
		case 'n':
			reads = atoi(optarg);
			break;
		case 'r':
			repeats = atoi(optarg);
			break;
		case 'q':
			depth = atoi(optarg);
			break;
		case 't':
			threads = atoi(optarg);
			break;
		case 'w':
			think_us = atoi(optarg);
			break;
		case 'x':
			exponential = 1;
			break;
		case 'p':
			phase_us = atoi(optarg);
			break;
		default:
			errx(2, "usage: iogen [option...] DEVICE");
		}
	}
	device = argv[optind];
	if (!device || !threads)
		errx(2, "usage: iogen [option...] DEVICE");
	fd = open(device, O_RDONLY);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &bytes))
		err(1, "%s", device);
	close(fd);
	blocks = bytes / BLOCK;

	workers = calloc(threads, sizeof(*workers));
	pthread_barrier_init(&barrier, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		workers[i].number = i;
		errno = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		if (errno)
			err(1, "thread");
	}
	for (i = 0; i <= repeats; i++) {
		/* The last of them, with what threads take to begin and to end it. */
		if (i == repeats)
			mark_start();
		pthread_barrier_wait(&barrier);
		begin = now_ns();
		pthread_barrier_wait(&barrier);
		if (i)
			report(workers, now_ns() - begin);
		if (i == repeats)
			mark_end();
		pthread_barrier_wait(&barrier);
	}
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	return 0;
}
