// SPDX-License-Identifier: GPL-2.0
/*
 * The parts in C of the functions that other modules call.
 */

#include <iostat/clients.h>
#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/* Copies memory that a client changes under a lock of its own. */
void iostat_copy_locked(struct spinlock *lock, void *to, const void *from, size_t size)
{
	unsigned long flags;

	spin_lock_irqsave(lock, flags);
	memcpy(to, from, size);
	spin_unlock_irqrestore(lock, flags);
}

/* Returns whether one more warning about a mistake of a client may be printed. Any context. */
bool iostat_may_warn(void)
{
	static DEFINE_RATELIMIT_STATE(state, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);

	return __ratelimit(&state);
}
