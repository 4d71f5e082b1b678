/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work of the recorder that probes cannot do: src/upkeep.c.
 */
#ifndef _IOSTAT_UPKEEP_H
#define _IOSTAT_UPKEEP_H

/*
 * From here on @work is called with @data every ten seconds, and soon after
 * each iostat_upkeep_wake(); never twice at a time. May sleep.
 */
void iostat_upkeep_start(void (*work)(void *data), void *data);

/* It is not called any more, and has returned. May sleep. */
void iostat_upkeep_stop(void);

/* In any context but NMI. */
void iostat_upkeep_wake(void);

#endif /* _IOSTAT_UPKEEP_H */
