// SPDX-License-Identifier: GPL-2.0
/*
 * Waits until poll() reports a change of a sysfs file, for up to ten seconds.
 *
 *	waitfile FILE READY
 *
 * creates the file READY just before it waits.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct pollfd file = { .events = POLLPRI };
	char text[64];

	if (argc != 3)
		return 2;
	file.fd = open(argv[1], O_RDONLY);
	/* poll() reports changes since the last read. */
	if (file.fd < 0 || read(file.fd, text, sizeof(text)) < 0) {
		perror(argv[1]);
		return 2;
	}
	close(open(argv[2], O_CREAT | O_WRONLY, 0600));
	return poll(&file, 1, 10000) == 1 && file.revents & POLLPRI ? 0 : 1;
}
