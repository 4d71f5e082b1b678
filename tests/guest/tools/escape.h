/* SPDX-License-Identifier: GPL-2.0 */
/* Names and text as /dev/iostat prints them. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Escapes backslashes, all but printable ASCII, and `those` as a backslash and three octal digits. */
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
