// SPDX-License-Identifier: GPL-2.0
/*
 * Opens /dev/iostat as the user OPENER, and runs PROGRAM as USER with this file open: device.h uses it. OPENER and USER are
 * names of users: root, or nobody, who has no privileges.
 *
 *	opened OPENER USER PROGRAM [ARGUMENT...]
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOBODY 65534

int main(int argc, char **argv)
{
	char number[12];
	int fd, program;

	if (argc < 4)
		return 2;
	/* The directory of the payload is root's. */
	program = open(argv[3], O_PATH | O_CLOEXEC);
	if (program < 0)
		err(1, "%s", argv[3]);
	/* Without the effective user root, no capability is effective. */
	if (!strcmp(argv[1], "nobody") && seteuid(NOBODY))
		err(1, "seteuid");
	fd = open("/dev/iostat", O_RDWR);
	if (fd < 0)
		err(1, "/dev/iostat");
	if (seteuid(0))
		err(1, "seteuid");
	if (!strcmp(argv[2], "nobody") &&
	    (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		err(1, "setresuid");
	snprintf(number, sizeof(number), "%d", fd);
	if (setenv("IOSTAT_FD", number, 1))
		err(1, "setenv");
	fexecve(program, argv + 3, environ);
	err(1, "%s", argv[3]);
}
