/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts in the arrays of an event.
 */
#ifndef _IOSTAT_TEXT_H
#define _IOSTAT_TEXT_H

#include <iostat/io.h>
#include <linux/types.h>

/**
 * iostat_put_text - writes a text into an array
 * @to: the array, all zero
 * @size: its size, at least 12
 * @from: the text
 * @len: its length
 *
 * A byte that would end a word or a line (a space, a control character), and the
 * backslash, are written as a backslash and three octal digits, as in
 * proc_pid_mountinfo(5). Of a text that is too long the end is kept, behind "...": whole
 * characters of UTF-8. From any context.
 */
void iostat_put_text(char *to, size_t size, const char *from, size_t len);

/* This thread, but for the cgroup. From task context. */
void iostat_put_task(struct iostat_task *task);

#endif /* _IOSTAT_TEXT_H */
