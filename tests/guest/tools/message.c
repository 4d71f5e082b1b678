// SPDX-License-Identifier: GPL-2.0
/*
 * Sends each line of standard input as a message to a device-mapper device or to /dev/iostat.
 *
 *	message dm NAME
 *	message iostat DISK
 *	message raw -
 *
 * raw: lines are written to /dev/iostat as they are, including the disk. A percent sign and two
 * hexadecimal digits in a line stand for a byte. For each line one line is printed: 0 and the reply
 * as dmsetup prints it, or the name of the errno and, for /dev/iostat, the error text. Bytes that
 * are not printable are printed as they are read, with a percent sign.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "device.h"

#define LONGEST (8 << 20)

static char message[LONGEST], reply[LONGEST], again[LONGEST];

static size_t decode(const char *line, char *out)
{
	char *start = out;
	unsigned int byte;

	while (*line && *line != '\n') {
		if (line[0] == '%' && sscanf(line + 1, "%2x", &byte) == 1) {
			*out++ = byte;
			line += 3;
		} else {
			*out++ = *line++;
		}
	}
	*out = 0;
	return out - start;
}

/* Returns the reply's length or -1. Like dmsetup, with a larger buffer if necessary. */
static ssize_t ask_dm(int fd, const char *name, size_t len)
{
	size_t size = 65536 + len;
	ssize_t answer = -1;

	for (;; size *= 4) {
		struct dm_ioctl *dm = calloc(1, size);
		struct dm_target_msg *msg = (void *)(dm + 1);

		dm->version[0] = DM_VERSION_MAJOR;
		dm->data_size = size;
		dm->data_start = sizeof(*dm);
		snprintf(dm->name, sizeof(dm->name), "%s", name);
		memcpy(msg->message, message, len + 1);
		if (ioctl(fd, DM_TARGET_MSG, dm) == 0) {
			if (dm->flags & DM_BUFFER_FULL_FLAG) {
				free(dm);
				continue;
			}
			answer = 0;
			if (dm->flags & DM_DATA_OUT_FLAG)
				answer = snprintf(reply, sizeof(reply), "%s",
						  (char *)dm + dm->data_start);
			if (answer && reply[answer - 1] != '\n')
				reply[answer++] = '\n';
		}
		free(dm);
		return answer;
	}
}

static size_t read_all(int fd, char *text)
{
	size_t len = 0;
	ssize_t got;

	while ((got = read(fd, text + len, LONGEST - len)) > 0)
		len += got;
	return got < 0 ? 0 : len;
}

/*
 * Returns the reply's length or -1. On an error the reply is the error text. Reading it again from the
 * start must give the same text, any number of times.
 */
static ssize_t ask_iostat(int fd, size_t len, size_t *read_len)
{
	ssize_t written = write(fd, message, len);
	int error = errno;

	*read_len = read_all(fd, reply);
	if (lseek(fd, 0, SEEK_SET) || read_all(fd, again) != *read_len ||
	    memcmp(reply, again, *read_len)) {
		errno = ESPIPE;
		return -1;
	}
	errno = written < 0 ? error : EIO;
	return written == (ssize_t)len ? (ssize_t)*read_len : -1;
}

static void show(const char *text, size_t len)
{
	for (; len--; text++)
		printf(isprint((unsigned char)*text) ? "%c" : "%%%02x", (unsigned char)*text);
	putchar('\n');
}

int main(int argc, char **argv)
{
	int dm, fd;
	char *line = NULL;
	size_t room = 0;

	if (argc != 3)
		return 2;
	dm = !strcmp(argv[1], "dm");
	fd = dm ? open("/dev/mapper/control", O_RDWR) : open_device(O_RDWR);
	if (fd < 0) {
		perror("open");
		return 1;
	}
	while (getline(&line, &room, stdin) > 0) {
		size_t prefix = 0, len, read_len = 0;
		ssize_t got;

		if (!strcmp(argv[1], "iostat"))
			prefix = sprintf(message, "%s ", argv[2]);
		len = prefix + decode(line, message + prefix);
		got = dm ? ask_dm(fd, argv[2], len) : ask_iostat(fd, len, &read_len);
		if (got < 0) {
			printf("%s ", strerrorname_np(errno));
			show(reply, read_len);
		} else {
			printf("0 ");
			show(reply, got);
		}
	}
	return 0;
}
