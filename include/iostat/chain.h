/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chains of bios. When the block layer splits a bio, a new bio has its front, and is chained to the bio, which is what
 * is left: the end function of that is called when both have ended.
 */
#ifndef _IOSTAT_CHAIN_H
#define _IOSTAT_CHAIN_H

struct bio;

/**
 * iostat_bio_parent - returns the bio that a bio was split from
 * @bio: a bio that has not ended
 *
 * Also of a clone that is chained to a bio for another disk, as dm-cache makes them.
 *
 * Context: Any.
 * Return: The bio, which does not end before @bio; or NULL.
 */
struct bio *iostat_bio_parent(const struct bio *bio);

#endif /* _IOSTAT_CHAIN_H */
