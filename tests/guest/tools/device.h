/* SPDX-License-Identifier: GPL-2.0 */
/* How the programs of the tests open /dev/iostat. */
#include <fcntl.h>
#include <stdlib.h>

/* The file that opened.c has opened for this program, or one that is opened here. */
static inline int open_device(int flags)
{
	const char *number = getenv("IOSTAT_FD");

	return number ? atoi(number) : open("/dev/iostat", flags);
}
