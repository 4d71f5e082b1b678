// SPDX-License-Identifier: GPL-2.0
/*
 * Waits until a file of sysfs says that it has changed, for up to ten seconds.
 *
 *	waitfile FILE READY
 *
 * makes the file READY when it has begun to wait.
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
	/* What was read is what it has changed from. */
	if (file.fd < 0 || read(file.fd, text, sizeof(text)) < 0) {
		perror(argv[1]);
		return 2;
	}
	close(open(argv[2], O_CREAT | O_WRONLY, 0600));
	return poll(&file, 1, 10000) == 1 && file.revents & POLLPRI ? 0 : 1;
}
