/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Device statistics, after FreeBSD's devstat(9): see Documentation/devstat.rst.
 *
 * The names and numbers are FreeBSD's, as inlines; what is called across
 * modules has a prefix. Times are ns by devstat_now() and not struct bintime.
 */
#ifndef _IOSTAT_DEVSTAT_H
#define _IOSTAT_DEVSTAT_H

#include <linux/types.h>

struct bio;
struct module;

/* Of names and numbers, which are FreeBSD's; there is no structure that has this version. */
#define DEVSTAT_VERSION		6

/* With its NUL; not cut but refused if longer. */
#define DEVSTAT_NAME_LEN	16

typedef enum {
	DEVSTAT_NO_DATA	= 0x00,
	DEVSTAT_READ	= 0x01,
	DEVSTAT_WRITE	= 0x02,
	DEVSTAT_FREE	= 0x03,
} devstat_trans_flags;
#define DEVSTAT_N_TRANS_FLAGS	4

typedef enum {
	DEVSTAT_TAG_SIMPLE	= 0x00,
	DEVSTAT_TAG_HEAD	= 0x01,
	DEVSTAT_TAG_ORDERED	= 0x02,
	DEVSTAT_TAG_NONE	= 0x03,
} devstat_tag_type;

typedef enum {
	DEVSTAT_PRIORITY_MIN	= 0x000,
	DEVSTAT_PRIORITY_OTHER	= 0x020,
	DEVSTAT_PRIORITY_PASS	= 0x030,
	DEVSTAT_PRIORITY_FD	= 0x040,
	DEVSTAT_PRIORITY_WFD	= 0x050,
	DEVSTAT_PRIORITY_TAPE	= 0x060,
	DEVSTAT_PRIORITY_CD	= 0x090,
	DEVSTAT_PRIORITY_DISK	= 0x110,
	DEVSTAT_PRIORITY_ARRAY	= 0x120,
	DEVSTAT_PRIORITY_MAX	= 0xfff,
} devstat_priority;

typedef enum {
	DEVSTAT_ALL_SUPPORTED	= 0x00,
	DEVSTAT_NO_BLOCKSIZE	= 0x01,
	DEVSTAT_NO_ORDERED_TAGS	= 0x02,
	DEVSTAT_BS_UNAVAILABLE	= 0x04,
} devstat_support_flags;

/* A device, an interface, and whether commands are passed to it as they are. */
typedef enum {
	DEVSTAT_TYPE_DIRECT	= 0x000,
	DEVSTAT_TYPE_SEQUENTIAL	= 0x001,
	DEVSTAT_TYPE_PRINTER	= 0x002,
	DEVSTAT_TYPE_PROCESSOR	= 0x003,
	DEVSTAT_TYPE_WORM	= 0x004,
	DEVSTAT_TYPE_CDROM	= 0x005,
	DEVSTAT_TYPE_SCANNER	= 0x006,
	DEVSTAT_TYPE_OPTICAL	= 0x007,
	DEVSTAT_TYPE_CHANGER	= 0x008,
	DEVSTAT_TYPE_COMM	= 0x009,
	DEVSTAT_TYPE_ASC0	= 0x00a,
	DEVSTAT_TYPE_ASC1	= 0x00b,
	DEVSTAT_TYPE_STORARRAY	= 0x00c,
	DEVSTAT_TYPE_ENCLOSURE	= 0x00d,
	DEVSTAT_TYPE_FLOPPY	= 0x00e,
	DEVSTAT_TYPE_MASK	= 0x00f,
	DEVSTAT_TYPE_IF_SCSI	= 0x010,
	DEVSTAT_TYPE_IF_IDE	= 0x020,
	DEVSTAT_TYPE_IF_OTHER	= 0x030,
	DEVSTAT_TYPE_IF_NVME	= 0x040,
	DEVSTAT_TYPE_IF_MASK	= 0x0f0,
	DEVSTAT_TYPE_PASS	= 0x100,
} devstat_type_flags;

/**
 * struct devstat - an entry
 * @handle: iostat's
 *
 * devstat_new_entry() returns something of this type that must not be looked
 * into; devstat_add_entry() is given memory of the client's.
 */
struct devstat {
	u64 handle;
};

/**
 * struct devstat_bio - what FreeBSD has in its struct bio and Linux has not
 * @bio_t0: when the transaction started, by devstat_now()
 * @bio_bcount: its bytes
 *
 * The client keeps it from the start of a transaction to its end.
 */
struct devstat_bio {
	u64 bio_t0;
	u32 bio_bcount;
};

struct devstat *iostat_devstat_new_entry(const void *dev_name, int unit_number, u32 block_size,
					 u32 flags, u32 device_type, u32 priority,
					 struct module *owner);
int iostat_devstat_add_entry(struct devstat *ds, const char *dev_name, int unit_number,
			     u32 block_size, u32 flags, u32 device_type, u32 priority,
			     struct module *owner);
int iostat_devstat_remove_entry(struct devstat *ds, struct module *owner);
int iostat_devstat_set_block_size(struct devstat *ds, u32 block_size);
int iostat_devstat_start_transaction(const struct devstat *ds, const u64 *now);
int iostat_devstat_end_transaction(const struct devstat *ds, u64 bytes, u32 tag_type, u32 flags,
				   const u64 *now, const u64 *then);
int iostat_devstat_start_transaction_bio_t0(const struct devstat *ds, const struct bio *bp,
					    struct devstat_bio *state);
int iostat_devstat_end_transaction_bio_bt(const struct devstat *ds, const struct bio *bp,
					  const struct devstat_bio *state, const u64 *now);
u64 iostat_devstat_now(void);

/* Clients only: the rest needs THIS_MODULE, and what bindgen reads does not. */
#ifndef __BINDGEN__
#include <linux/args.h>
#include <linux/module.h>

/**
 * devstat_new_entry() - adds an entry to the list of devices
 * @dev_name: 1 to 15 printable characters of ASCII, no blank and no slash. Copied
 * @unit_number: its name ends in this. Or -1: the entry is in no list, and
 *	@dev_name may be anything
 * @block_size: bytes; 0 if that means nothing
 * @flags: DEVSTAT_NO_ORDERED_TAGS, or 0, with what is not known of the block size
 * @device_type: DEVSTAT_TYPE_*, with DEVSTAT_TYPE_IF_* and maybe DEVSTAT_TYPE_PASS
 * @priority: those with a higher one are before it in the list, those with
 *	the same that were there before as well
 *
 * May sleep.
 *
 * Return: the entry, good until it is removed, or ERR_PTR() of
 * %-EEXIST if there is something of that name,
 * %-EINVAL if one of the arguments is none,
 * %-ENAMETOOLONG if the name is too long,
 * %-ENOSPC if there are 65536 entries,
 * %-ENODEV if the module goes,
 * %-ENOMEM. An error is an entry like NULL to the other functions: it counts nothing.
 */
static inline struct devstat *devstat_new_entry(const void *dev_name, int unit_number,
						u32 block_size, devstat_support_flags flags,
						devstat_type_flags device_type,
						devstat_priority priority)
{
	return iostat_devstat_new_entry(dev_name, unit_number, block_size, flags, device_type,
					priority, THIS_MODULE);
}

/**
 * devstat_add_entry() - the same as it once was, with memory of the client's
 * @ds: of any content; it stays where it is until the entry is removed
 * @dev_name: see devstat_new_entry()
 * @unit_number: likewise
 * @block_size: likewise
 * @flags: likewise
 * @device_type: likewise
 * @priority: likewise
 *
 * Return: 0 or what devstat_new_entry() may fail with; %-EEXIST also if @ds is an
 * entry already, which stays as it is.
 */
static inline int devstat_add_entry(struct devstat *ds, const char *dev_name, int unit_number,
				    u32 block_size, devstat_support_flags flags,
				    devstat_type_flags device_type, devstat_priority priority)
{
	return iostat_devstat_add_entry(ds, dev_name, unit_number, block_size, flags, device_type,
					priority, THIS_MODULE);
}

/**
 * devstat_remove_entry() - takes an entry away
 * @ds: the entry, or NULL
 *
 * What has started and not ended is forgotten. May sleep.
 *
 * Return: 0, or %-ENOENT if it is no entry, or is one no more.
 */
static inline int devstat_remove_entry(struct devstat *ds)
{
	return iostat_devstat_remove_entry(ds, THIS_MODULE);
}

/**
 * devstat_set_block_size() - sets the block size of a medium that was loaded
 * @ds: the entry, or NULL
 * @block_size: bytes; 0 if there is no medium any more
 *
 * Clears DEVSTAT_BS_UNAVAILABLE, or sets it if @block_size is 0. It replaces FreeBSD's stores to
 * block_size and flags of the entry. The list's generation changes. May sleep.
 *
 * Return: 0, %-ENOENT if @ds is no entry, or %-EINVAL if it was added with DEVSTAT_NO_BLOCKSIZE.
 */
static inline int devstat_set_block_size(struct devstat *ds, u32 block_size)
{
	return iostat_devstat_set_block_size(ds, block_size);
}

/* The time, ns; in any context but an NMI's. */
static inline u64 devstat_now(void)
{
	return iostat_devstat_now();
}

/**
 * devstat_start_transaction() - something begins
 * @ds: the entry, or NULL
 * @now: the time if it is known, or NULL; may be left out
 *
 * In any context but an NMI's, as all functions from here on.
 *
 * Return: 0, or %-ENOENT if @ds is no entry.
 */
#define devstat_start_transaction(...)						\
	CONCATENATE(__devstat_start_transaction, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)

static inline int __devstat_start_transaction2(const struct devstat *ds, const u64 *now)
{
	return iostat_devstat_start_transaction(ds, now);
}

static inline int __devstat_start_transaction1(const struct devstat *ds)
{
	return iostat_devstat_start_transaction(ds, NULL);
}

/**
 * devstat_end_transaction() - something is done
 * @ds: the entry, or NULL
 * @bytes: those that were transferred
 * @tag_type: DEVSTAT_TAG_*
 * @flags: DEVSTAT_READ and so on
 * @now: the time if it is known, or NULL
 * @then: when it started, or NULL: no duration is counted then. Both times may be left out
 *
 * Return: 0, %-ENOENT if @ds is no entry, %-ERANGE if nothing has started that
 * has not ended, or %-EINVAL if @tag_type or @flags is none.
 */
#define devstat_end_transaction(...)						\
	CONCATENATE(__devstat_end_transaction, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)

static inline int __devstat_end_transaction6(const struct devstat *ds, u64 bytes,
					     devstat_tag_type tag_type, devstat_trans_flags flags,
					     const u64 *now, const u64 *then)
{
	return iostat_devstat_end_transaction(ds, bytes, tag_type, flags, now, then);
}

static inline int __devstat_end_transaction4(const struct devstat *ds, u64 bytes,
					     devstat_tag_type tag_type, devstat_trans_flags flags)
{
	return iostat_devstat_end_transaction(ds, bytes, tag_type, flags, NULL, NULL);
}

/**
 * devstat_start_transaction_bio_t0() - a bio begins, at a time that is known
 * @ds: the entry, or NULL
 * @bp: the bio, nothing of which is done yet
 * @state: with the time in bio_t0. The bytes are put there
 *
 * Return: as of devstat_start_transaction().
 */
static inline int devstat_start_transaction_bio_t0(const struct devstat *ds, const struct bio *bp,
						   struct devstat_bio *state)
{
	return iostat_devstat_start_transaction_bio_t0(ds, bp, state);
}

/* The same at this time. */
static inline int devstat_start_transaction_bio(const struct devstat *ds, const struct bio *bp,
						struct devstat_bio *state)
{
	state->bio_t0 = devstat_now();
	return iostat_devstat_start_transaction_bio_t0(ds, bp, state);
}

/**
 * devstat_end_transaction_bio_bt() - a bio is done, at a time that is known
 * @ds: the entry, or NULL
 * @bp: the bio, with its operation and flags, and its status
 * @state: what the start left there
 * @now: the time, or NULL
 *
 * The tag type is ordered if a flush or forced unit access came with it, else
 * simple; all of the bytes were transferred, or, if it failed, none.
 *
 * Return: as of devstat_end_transaction().
 */
static inline int devstat_end_transaction_bio_bt(const struct devstat *ds, const struct bio *bp,
						 const struct devstat_bio *state, const u64 *now)
{
	return iostat_devstat_end_transaction_bio_bt(ds, bp, state, now);
}

/* The same at this time. */
static inline int devstat_end_transaction_bio(const struct devstat *ds, const struct bio *bp,
					      const struct devstat_bio *state)
{
	return iostat_devstat_end_transaction_bio_bt(ds, bp, state, NULL);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_DEVSTAT_H */
