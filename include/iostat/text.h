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
 * @to: where, with a NUL behind it
 * @size: the most that it may take with its NUL, at least 12
 * @from: the text
 * @len: its length
 *
 * A byte that would end a word or a line (a space, a control character), and the
 * backslash, are written as a backslash and three octal digits, as in
 * proc_pid_mountinfo(5). Of a text that is too long the end is kept, behind "...": whole
 * characters of UTF-8. From any context.
 *
 * Return: the length of what was written, without the NUL.
 */
size_t iostat_put_text(char *to, size_t size, const char *from, size_t len);

/**
 * iostat_put_task - sets the current thread, but not the cgroup
 * @task: where
 * @is_plain: whether @task has been set before, to a name in which nothing is escaped; most often it is the same
 *
 * Context: Task context. Return: whether nothing is escaped in the name.
 */
bool iostat_put_task(struct iostat_task *task, bool is_plain);

#endif /* _IOSTAT_TEXT_H */
