/* SPDX-License-Identifier: GPL-2.0 */
/* Writes all bytes of a kstat. Needs linux/iostat.h and the C library's string.h, stdlib.h, sys/ioctl.h. */
#ifndef _KSTAT_BYTES_H
#define _KSTAT_BYTES_H

static int write_bytes(int fd, __u32 kid, const void *bytes, __u32 len)
{
	struct iostat_kstat_write w = {
		.size = sizeof(w), .kid = kid, .len = len, .value = (uintptr_t)bytes,
	};

	return ioctl(fd, IOSTAT_IOC_KSTAT_WRITE, &w);
}

/* How many numbers a kstat of each type has; the count selects the type. */
enum { INTR_NUMBERS = 5, IO_NUMBERS = 12, TIMER_NUMBERS = 6 };

static int write_numbers(int fd, __u32 kid, char **args, int count)
{
	static struct iostat_kstat_timer_bytes timers[8];
	struct iostat_kstat_intr_bytes intr;
	struct iostat_kstat_io_bytes io;
	__u64 n[IO_NUMBERS];

	if (count == INTR_NUMBERS || count == IO_NUMBERS)
		for (int i = 0; i < count; i++)
			n[i] = strtoull(args[i], NULL, 0);
	if (count == INTR_NUMBERS) {
		intr = (struct iostat_kstat_intr_bytes) { n[0], n[1], n[2], n[3], n[4] };
		return write_bytes(fd, kid, &intr, sizeof(intr));
	}
	if (count == IO_NUMBERS && !strchr(args[0], ':')) {
		io = (struct iostat_kstat_io_bytes) {
			.nread = n[0], .nwritten = n[1], .reads = n[2], .writes = n[3],
			.wtime = n[4], .wlentime = n[5], .wlastupdate = n[6],
			.rtime = n[7], .rlentime = n[8], .rlastupdate = n[9],
			.wcnt = n[10], .rcnt = n[11],
		};
		return write_bytes(fd, kid, &io, sizeof(io));
	}
	for (int i = 0; i < count && i < 8 * TIMER_NUMBERS; i++) {
		struct iostat_kstat_timer_bytes *timer = timers + i / TIMER_NUMBERS;
		char *colon = strchr(args[i], ':');
		__u64 *to = &timer->num_events + i % TIMER_NUMBERS;

		if (colon)
			memcpy(timer->name, args[i], colon - args[i]);
		*to = strtoull(colon ? colon + 1 : args[i], NULL, 0);
	}
	return write_bytes(fd, kid, timers, count / TIMER_NUMBERS * sizeof(timers[0]));
}

#endif /* _KSTAT_BYTES_H */
