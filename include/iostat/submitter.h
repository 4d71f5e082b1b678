/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who submitted an I/O.
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
 * Another thread may have got the id since: one that is younger than the I/O is not taken. In any context but NMI.
 *
 * Return: whether it still exists.
 */
bool iostat_submitter_comm(u32 pid, u64 age_ns, char comm[16]);

#endif /* _IOSTAT_SUBMITTER_H */
