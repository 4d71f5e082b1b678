/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Device statistics, after FreeBSD's devstat(9): see Documentation/devstat.rst.
 *
 * The names and numbers are FreeBSD's, as inlines; exported symbols have a
 * prefix. Times are ns by devstat_now() and not struct bintime.
 */
#ifndef _IOSTAT_DEVSTAT_H
#define _IOSTAT_DEVSTAT_H

#include <linux/types.h>

struct bio;
struct module;

/* The version of FreeBSD's names and numbers. No structure here has a version. */
#define DEVSTAT_VERSION		6

/* Including the NUL. A longer name is refused, not truncated. */
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

/* A device type, an interface, and DEVSTAT_TYPE_PASS for a pass-through device. */
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
 * @handle: used by iostat
 *
 * The pointer that devstat_new_entry() returns must not be dereferenced. devstat_add_entry() uses
 * memory of the caller.
 */
struct devstat {
	u64 handle;
};

/**
 * struct devstat_bio - members that FreeBSD's struct bio has and Linux' does not
 * @bio_t0: time at which the transaction started, as devstat_now() returns it, ns
 * @bio_bcount: length of the transaction, bytes
 *
 * The caller keeps it from the start of a transaction to its end.
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

/* For modules that use this API. The rest needs THIS_MODULE, which bindgen does not know. */
#ifndef __BINDGEN__
#include <linux/args.h>
#include <linux/module.h>

/**
 * devstat_new_entry() - adds an entry to the list of devices
 * @dev_name: 1 to 15 printable ASCII characters without blanks and slashes. Copied
 * @unit_number: 0 or more, appended to @dev_name. Or -1: the entry is not listed, and @dev_name is
 *	not used
 * @block_size: bytes; 0 if the device has no block size
 * @flags: DEVSTAT_NO_ORDERED_TAGS, DEVSTAT_NO_BLOCKSIZE, DEVSTAT_BS_UNAVAILABLE, or 0
 * @device_type: DEVSTAT_TYPE_*, DEVSTAT_TYPE_IF_*, and DEVSTAT_TYPE_PASS if it is a pass-through device
 * @priority: the list is ordered by descending priority, then by the time of arrival
 *
 * Context: May sleep.
 *
 * Return: the entry, valid until it is removed, or ERR_PTR() of
 * %-EEXIST if a device of that name is in the list,
 * %-EINVAL on an invalid argument,
 * %-ENAMETOOLONG if the name is too long,
 * %-ENOSPC if there are 65536 entries,
 * %-ENODEV if the calling module is being unloaded,
 * %-ENOMEM. The other functions ignore NULL. For an ERR_PTR(), those that return an errno return %-ENOENT, and those that
 * log errors log a warning.
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
 * devstat_add_entry() - adds an entry in memory of the caller
 * @ds: memory of any content. It must not be moved or freed before the entry is removed
 * @dev_name: see devstat_new_entry()
 * @unit_number: see devstat_new_entry()
 * @block_size: see devstat_new_entry()
 * @flags: see devstat_new_entry()
 * @device_type: see devstat_new_entry()
 * @priority: see devstat_new_entry()
 *
 * Context: May sleep.
 *
 * Return: 0 or an errno of devstat_new_entry(). %-EEXIST also if @ds is an entry already; that entry
 * is not changed.
 */
static inline int devstat_add_entry(struct devstat *ds, const char *dev_name, int unit_number,
				    u32 block_size, devstat_support_flags flags,
				    devstat_type_flags device_type, devstat_priority priority)
{
	return iostat_devstat_add_entry(ds, dev_name, unit_number, block_size, flags, device_type,
					priority, THIS_MODULE);
}

/**
 * devstat_remove_entry() - removes an entry
 * @ds: the entry, or NULL
 *
 * Transactions in progress are dropped.
 *
 * Context: May sleep.
 *
 * Return: 0, or %-ENOENT if @ds is not an entry or was removed already.
 */
static inline int devstat_remove_entry(struct devstat *ds)
{
	return iostat_devstat_remove_entry(ds, THIS_MODULE);
}

/**
 * devstat_set_block_size() - sets the block size of a medium that was loaded
 * @ds: the entry, or NULL
 * @block_size: bytes; 0 if the medium was removed
 *
 * Clears DEVSTAT_BS_UNAVAILABLE, or sets it if @block_size is 0. It replaces the stores to
 * block_size and flags of the entry that FreeBSD's drivers do. The generation of the list changes.
 *
 * Context: May sleep.
 *
 * Return: 0, %-ENOENT if @ds is not an entry, or %-EINVAL if it was added with DEVSTAT_NO_BLOCKSIZE.
 */
static inline int devstat_set_block_size(struct devstat *ds, u32 block_size)
{
	return iostat_devstat_set_block_size(ds, block_size);
}

/* Returns the time in ns, on the clock of all statistics. Any context but NMI. */
static inline u64 devstat_now(void)
{
	return iostat_devstat_now();
}

/**
 * devstat_start_transaction() - records the start of a transaction
 * @ds: the entry, or NULL
 * @now: the time of the start, or NULL for the time of the call. May be left out
 *
 * Context: Any context but NMI, as all functions below.
 *
 * Return: 0, or %-ENOENT if @ds is not an entry.
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
 * devstat_end_transaction() - records the end of a transaction
 * @ds: the entry, or NULL
 * @bytes: bytes transferred
 * @tag_type: DEVSTAT_TAG_*
 * @flags: DEVSTAT_NO_DATA, DEVSTAT_READ, DEVSTAT_WRITE or DEVSTAT_FREE
 * @now: the time of the end, or NULL for the time of the call
 * @then: the time of the start; NULL if no duration is to be recorded. @now and @then may be left out
 *
 * Return: 0, %-ENOENT if @ds is not an entry, %-ERANGE if no transaction is in progress, or %-EINVAL
 * if @tag_type or @flags is invalid.
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
 * devstat_start_transaction_bio_t0() - records the start of a bio at a given time
 * @ds: the entry, or NULL
 * @bp: the bio, before any of it is done
 * @state: the caller sets bio_t0 to the time of the start; bio_bcount is set here
 *
 * Return: as devstat_start_transaction().
 */
static inline int devstat_start_transaction_bio_t0(const struct devstat *ds, const struct bio *bp,
						   struct devstat_bio *state)
{
	return iostat_devstat_start_transaction_bio_t0(ds, bp, state);
}

/* Records the start of a bio at the time of the call. See devstat_start_transaction_bio_t0(). */
static inline int devstat_start_transaction_bio(const struct devstat *ds, const struct bio *bp,
						struct devstat_bio *state)
{
	state->bio_t0 = devstat_now();
	return iostat_devstat_start_transaction_bio_t0(ds, bp, state);
}

/**
 * devstat_end_transaction_bio_bt() - records the end of a bio at a given time
 * @ds: the entry, or NULL
 * @bp: the bio, with its operation, flags and status
 * @state: as set by the start
 * @now: the time of the end, or NULL for the time of the call
 *
 * The tag type is ordered if the bio has REQ_PREFLUSH or REQ_FUA, else simple. The bytes count as
 * transferred if bi_status is BLK_STS_OK.
 *
 * Return: as devstat_end_transaction().
 */
static inline int devstat_end_transaction_bio_bt(const struct devstat *ds, const struct bio *bp,
						 const struct devstat_bio *state, const u64 *now)
{
	return iostat_devstat_end_transaction_bio_bt(ds, bp, state, now);
}

/* Records the end of a bio at the time of the call. See devstat_end_transaction_bio_bt(). */
static inline int devstat_end_transaction_bio(const struct devstat *ds, const struct bio *bp,
					      const struct devstat_bio *state)
{
	return iostat_devstat_end_transaction_bio_bt(ds, bp, state, NULL);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_DEVSTAT_H */
