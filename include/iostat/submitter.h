/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The submitter of an I/O.
 */
#ifndef _IOSTAT_SUBMITTER_H
#define _IOSTAT_SUBMITTER_H

#include <linux/types.h>

/**
 * iostat_submitter_comm - the name of the thread that submitted an I/O
 * @pid: its id in the initial PID namespace
 * @age_ns: how long ago that was, ns
 * @comm: its name, padded with NULs
 *
 * A thread that is younger than the I/O is ignored, as it has reused the id. In any context but NMI.
 *
 * Return: whether the thread still exists.
 */
bool iostat_submitter_comm(u32 pid, u64 age_ns, char comm[16]);

#endif /* _IOSTAT_SUBMITTER_H */
