/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts in the arrays of an event.
 */
#ifndef _IOSTAT_TEXT_H
#define _IOSTAT_TEXT_H

#include <iostat/io.h>
#include <linux/types.h>

/**
 * iostat_put_text - writes a text. In src/glue/file_texts.rs
 * @to: buffer for the text and a NUL
 * @size: maximum length with the NUL, at least 12
 * @from: the text
 * @len: its length
 *
 * A byte that would end a word or a line (a space, a control character), and the backslash, are
 * written as a backslash and three octal digits, as in proc_pid_mountinfo(5). A text that is too
 * long is replaced by "..." and its end, in whole characters of UTF-8. Any context.
 *
 * Return: the length of what was written, without the NUL.
 */
size_t iostat_put_text(char *to, size_t size, const char *from, size_t len);

/**
 * iostat_put_task - sets the current thread, but not the cgroup
 * @task: the task of an I/O
 * @is_plain: whether @task has a name already, in which nothing is escaped; most often the name is
 *	unchanged
 *
 * Context: Task context. Return: whether nothing is escaped in the name.
 */
bool iostat_put_task(struct iostat_task *task, bool is_plain);

#endif /* _IOSTAT_TEXT_H */
