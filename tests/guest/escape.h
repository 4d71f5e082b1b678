/* SPDX-License-Identifier: GPL-2.0 */
/* Names and text as /dev/iostat writes them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Backslashes, what is not printable ASCII, and those characters are a backslash and three octal digits. */
static void put_escaped(const char *text, size_t len, const char *those)
{
	for (; len--; text++) {
		unsigned char byte = *text;

		if (byte < ' ' || byte > '~' || byte == '\\' || strchr(those, byte))
			printf("\\%03o", byte);
		else
			putchar(byte);
	}
}
