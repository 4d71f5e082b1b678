/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work of the recorder that probes cannot do: src/hooks/upkeep.c.
 */
#ifndef _IOSTAT_UPKEEP_H
#define _IOSTAT_UPKEEP_H

/*
 * Starts to call @work with @data every ten seconds, and soon after each
 * iostat_upkeep_wake(). Calls do not overlap. May sleep.
 */
void iostat_upkeep_start(void (*work)(void *data), void *data);

/* Stops that, and waits until a running call has returned. May sleep. */
void iostat_upkeep_stop(void);

/* In any context but NMI. */
void iostat_upkeep_wake(void);

/* The same, but after a tenth of a second, so that many of these calls make one call of @work. */
void iostat_upkeep_wake_soon(void);

#endif /* _IOSTAT_UPKEEP_H */
