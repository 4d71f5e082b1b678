/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel statistics, after illumos' kstat(9F): see Documentation/kstat.rst.
 *
 * The names are illumos', as inlines and typedefs; what is called across modules has a
 * prefix, and so have the tags: Linux has another struct kstat, and OpenZFS
 * symbols of illumos' names.
 */
#ifndef _IOSTAT_KSTAT_H
#define _IOSTAT_KSTAT_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct module;

/* Of module, name, class and statistic, with the NUL; longer ones are refused. */
#define KSTAT_STRLEN		31

/* ks_type: what ks_data points to. */
#define KSTAT_TYPE_RAW		0	/* ks_ndata bytes */
#define KSTAT_TYPE_NAMED	1	/* kstat_named_t[ks_ndata] */
#define KSTAT_TYPE_INTR		2	/* one kstat_intr_t */
#define KSTAT_TYPE_IO		3	/* one kstat_io_t */
#define KSTAT_TYPE_TIMER	4	/* kstat_timer_t[ks_ndata] */
#define KSTAT_NUM_TYPES		5

/* ks_flags: the first four are the caller's. */
#define KSTAT_FLAG_VIRTUAL	0x01	/* ks_data is the client's to set */
#define KSTAT_FLAG_VAR_SIZE	0x02	/* ks_update() may set ks_ndata and ks_data_size */
#define KSTAT_FLAG_WRITABLE	0x04	/* may be written by users with CAP_SYS_ADMIN */
#define KSTAT_FLAG_PERSISTENT	0x08	/* kept when it is deleted */
#define KSTAT_FLAG_DORMANT	0x10	/* deleted and kept */
#define KSTAT_FLAG_INVALID	0x20	/* not installed yet */
#define KSTAT_FLAG_LONGSTRINGS	0x40	/* some are KSTAT_DATA_STRING */

/* What ks_update() and ks_snapshot() are to do. */
#define KSTAT_READ		0
#define KSTAT_WRITE		1

typedef int kid_t;
/* Times are in ns, on the clock of iostat_clock_read(). */
typedef s64 hrtime_t;

struct iostat_kstat;
typedef struct iostat_kstat kstat_t;

/**
 * struct iostat_kstat - kstat_t: a kernel statistic
 * @ks_crtime: when it was created
 * @ks_kid: its number, not used again before 2^31 others
 * @ks_module: what provides it
 * @ks_instance: which one of those
 * @ks_name: its name
 * @ks_class: what it is listed with
 * @ks_type: KSTAT_TYPE_*
 * @ks_flags: KSTAT_FLAG_*
 * @ks_data: what is counted. Allocated, and zeroed, by kstat_create() unless it is virtual
 * @ks_ndata: how many there are at @ks_data
 * @ks_data_size: bytes there are at @ks_data
 * @ks_snaptime: when @ks_data was copied last. Set by a @ks_snapshot() of the client's
 * @ks_update: brings @ks_data up to date, or takes what was written to it; may sleep
 * @ks_private: the client's
 * @ks_snapshot: copies @ks_data to, or from, a buffer of @ks_data_size bytes; may sleep
 * @ks_lock: held around @ks_update() and @ks_snapshot(), and while @ks_data is looked at; or NULL
 * @ks_spinlock: held besides, with interrupts off, while @ks_data is copied, unless there is a
 *	@ks_snapshot(). For those who count in interrupts. Ours; or NULL
 *
 * The client may set @ks_data, @ks_data_size (virtual ones), @ks_update, @ks_private, @ks_snapshot,
 * @ks_lock and @ks_spinlock before kstat_install(), and with KSTAT_FLAG_VAR_SIZE @ks_data, @ks_ndata and
 * @ks_data_size in ks_update(). iostat knows the rest besides, and does not believe what is here.
 */
struct iostat_kstat {
	hrtime_t ks_crtime;
	kid_t ks_kid;
	char ks_module[KSTAT_STRLEN];
	int ks_instance;
	char ks_name[KSTAT_STRLEN];
	char ks_class[KSTAT_STRLEN];
	u8 ks_type;
	u8 ks_flags;
	void *ks_data;
	unsigned int ks_ndata;
	size_t ks_data_size;
	hrtime_t ks_snaptime;
	int (*ks_update)(struct iostat_kstat *ksp, int rw);
	void *ks_private;
	int (*ks_snapshot)(struct iostat_kstat *ksp, void *buf, int rw);
	struct mutex *ks_lock;
	spinlock_t *ks_spinlock;
};

/* data_type of a kstat_named_t. */
#define KSTAT_DATA_CHAR		0
#define KSTAT_DATA_INT32	1
#define KSTAT_DATA_UINT32	2
#define KSTAT_DATA_INT64	3
#define KSTAT_DATA_UINT64	4
#define KSTAT_DATA_FLOAT	5	/* obsolete: its bits in value.ui32 */
#define KSTAT_DATA_DOUBLE	6	/* obsolete: its bits in value.ui64 */
#define KSTAT_DATA_LONG		7
#define KSTAT_DATA_ULONG	8
#define KSTAT_DATA_STRING	9
#define KSTAT_DATA_LONGLONG	KSTAT_DATA_INT64
#define KSTAT_DATA_ULONGLONG	KSTAT_DATA_UINT64

/*
 * See kstat_named_init(). In the union are types of C alone: of others bindgen does not know
 * that they can be copied.
 */
typedef struct iostat_kstat_named {
	char name[KSTAT_STRLEN];
	u8 data_type;
	union {
		char c[16];
		int i32;
		unsigned int ui32;
		struct {
			union {
				char *ptr;
				char __pad[8];
			} addr;
			unsigned int len;
		} str;
		/* The same: kstat(3KSTAT) and OpenZFS call it so. */
		struct {
			union {
				char *ptr;
				char __pad[8];
			} addr;
			unsigned int len;
		} string;
		long long i64;
		unsigned long long ui64;
		long l;
		unsigned long ul;
		long long ll;
		unsigned long long ull;
	} value;
} kstat_named_t;

#define KSTAT_NAMED_PTR(kptr)		((kstat_named_t *)(kptr)->ks_data)
#define KSTAT_NAMED_STR_PTR(knptr)	((knptr)->value.str.addr.ptr)
#define KSTAT_NAMED_STR_BUFLEN(knptr)	((knptr)->value.str.len)

/* What a kstat_intr_t counts. */
#define KSTAT_INTR_HARD		0
#define KSTAT_INTR_SOFT		1
#define KSTAT_INTR_WATCHDOG	2
#define KSTAT_INTR_SPURIOUS	3
#define KSTAT_INTR_MULTSVC	4
#define KSTAT_NUM_INTRS		5

typedef struct iostat_kstat_intr {
	unsigned int intrs[KSTAT_NUM_INTRS];
} kstat_intr_t;

#define KSTAT_INTR_PTR(kptr)		((kstat_intr_t *)(kptr)->ks_data)

/**
 * struct iostat_kstat_io - kstat_io_t: what happens to I/Os, see kstat_queue(9F)
 * @nread: bytes
 * @nwritten: bytes
 * @reads: operations
 * @writes: operations
 * @wtime: with something in the wait queue
 * @wlentime: sum of the wait queue's length times time
 * @wlastupdate: when the wait queue changed
 * @rtime: with something in the run queue
 * @rlentime: sum of the run queue's length times time
 * @rlastupdate: when the run queue changed
 * @wcnt: accepted and not begun
 * @rcnt: begun and not done
 *
 * The first four are counted by the client, the rest by the functions of the queues.
 */
typedef struct iostat_kstat_io {
	u64 nread;
	u64 nwritten;
	unsigned int reads;
	unsigned int writes;
	hrtime_t wtime;
	hrtime_t wlentime;
	hrtime_t wlastupdate;
	hrtime_t rtime;
	hrtime_t rlentime;
	hrtime_t rlastupdate;
	unsigned int wcnt;
	unsigned int rcnt;
} kstat_io_t;

#define KSTAT_IO_PTR(kptr)		((kstat_io_t *)(kptr)->ks_data)

/* See kstat_timer_start(). */
typedef struct iostat_kstat_timer {
	char name[KSTAT_STRLEN];
	u8 resv;
	u64 num_events;
	hrtime_t elapsed_time;
	hrtime_t min_time;
	hrtime_t max_time;
	hrtime_t start_time;
	hrtime_t stop_time;
} kstat_timer_t;

#define KSTAT_TIMER_PTR(kptr)		((kstat_timer_t *)(kptr)->ks_data)

struct iostat_kstat *iostat_kstat_create(const char *ks_module, int ks_instance,
					 const char *ks_name, const char *ks_class, u8 ks_type,
					 unsigned int ks_ndata, u8 ks_flags, struct module *owner);
int iostat_kstat_install(struct iostat_kstat *ksp, struct module *owner);
int iostat_kstat_delete(struct iostat_kstat *ksp, struct module *owner);
struct iostat_kstat *iostat_kstat_lookup(const char *ks_module, int ks_instance,
					 const char *ks_name, struct module *owner);
int iostat_kstat_named_init(struct iostat_kstat_named *knp, const char *name, u8 data_type);
int iostat_kstat_named_setstr(struct iostat_kstat_named *knp, const char *src);
int iostat_kstat_timer_init(struct iostat_kstat_timer *ktp, const char *name);
void iostat_kstat_timer_start(struct iostat_kstat_timer *ktp);
void iostat_kstat_timer_stop(struct iostat_kstat_timer *ktp);
void iostat_kstat_waitq_enter(struct iostat_kstat_io *kiop);
void iostat_kstat_waitq_exit(struct iostat_kstat_io *kiop);
void iostat_kstat_runq_enter(struct iostat_kstat_io *kiop);
void iostat_kstat_runq_exit(struct iostat_kstat_io *kiop);
void iostat_kstat_waitq_to_runq(struct iostat_kstat_io *kiop);
void iostat_kstat_runq_back_to_waitq(struct iostat_kstat_io *kiop);

/* gethrtime(): the time in ns, in any context but an NMI's. */
u64 iostat_clock_read(void);

/* Clients only: the rest needs THIS_MODULE, and what bindgen reads does not. */
#ifndef __BINDGEN__
#include <linux/err.h>
#include <linux/module.h>

/**
 * kstat_create() - makes a kstat that nobody sees yet
 * @ks_module: 1 to 30 printable characters of ASCII, no colons or blanks
 * @ks_instance: any
 * @ks_name: likewise; NULL for @ks_module and @ks_instance
 * @ks_class: likewise, but not NULL
 * @ks_type: KSTAT_TYPE_*
 * @ks_ndata: bytes if it is raw, 1 of KSTAT_TYPE_INTR and KSTAT_TYPE_IO, else how many
 * @ks_flags: KSTAT_FLAG_VIRTUAL, _VAR_SIZE (only with that), _WRITABLE, _PERSISTENT (only without)
 *
 * May sleep. If it was persistent and deleted, it is the same as before, with its data.
 *
 * Return: NULL if there is one already, something cannot be, the module goes, there is no memory, or
 * the data would be more than 1 GiB.
 */
static inline kstat_t *kstat_create(const char *ks_module, int ks_instance, const char *ks_name,
				    const char *ks_class, u8 ks_type, unsigned int ks_ndata,
				    u8 ks_flags)
{
	kstat_t *ksp = iostat_kstat_create(ks_module, ks_instance, ks_name, ks_class, ks_type,
					   ks_ndata, ks_flags, THIS_MODULE);

	return IS_ERR(ksp) ? NULL : ksp;
}

/**
 * kstat_install() - from here on everybody sees it
 * @ksp: what kstat_create() returned, and all its data initialised
 *
 * May sleep. Calls ks_update() to write if it was deleted and kept.
 *
 * Return: 0,
 * %-EEXIST if it is installed already,
 * %-ENOENT if it is not there,
 * %-EINVAL if it is of variable size and has no ks_lock, or writable and has strings and no
 * ks_snapshot(),
 * %-EDEADLK if called by its own ks_update() or ks_snapshot().
 */
static inline int kstat_install(kstat_t *ksp)
{
	return iostat_kstat_install(ksp, THIS_MODULE);
}

/**
 * kstat_delete() - from here on nobody looks at it
 * @ksp: a kstat; NULL is ignored
 *
 * May sleep: waits for those who read it. Not with ks_lock held. If it is persistent it is kept, after a
 * last ks_update(), and only the client's callbacks and locks are forgotten.
 *
 * Return: 0, %-ENOENT if it is not there, %-EDEADLK if called by its own ks_update() or
 * ks_snapshot().
 */
static inline int kstat_delete(kstat_t *ksp)
{
	return ksp ? iostat_kstat_delete(ksp, THIS_MODULE) : 0;
}

/**
 * kstat_lookup() - finds one of this module's own
 * @ks_module: or NULL for any
 * @ks_instance: or -1 for any
 * @ks_name: or NULL for any
 *
 * May sleep. Return: the first to be created that is so called and not deleted; or NULL.
 */
static inline kstat_t *kstat_lookup(const char *ks_module, int ks_instance, const char *ks_name)
{
	return iostat_kstat_lookup(ks_module, ks_instance, ks_name, THIS_MODULE);
}

/* Deletes one of this module's own by its name. Return: as kstat_delete(). */
static inline int kstat_delete_byname(const char *ks_module, int ks_instance, const char *ks_name)
{
	return iostat_kstat_delete(kstat_lookup(ks_module, ks_instance, ks_name), THIS_MODULE);
}

/**
 * kstat_named_init() - names a statistic and tells its type
 * @knp: the statistic. Its value becomes 0, but if it has this name and type already, as that of a
 *	persistent kstat that is created again, it stays. A string becomes NULL
 * @name: 1 to 30 printable characters of ASCII, no blank at the ends; copied
 * @data_type: KSTAT_DATA_*
 *
 * In any context. Return: 0; %-EINVAL or %-ENAMETOOLONG: then it has no name, and is not shown.
 */
static inline int kstat_named_init(kstat_named_t *knp, const char *name, u8 data_type)
{
	return iostat_kstat_named_init(knp, name, data_type);
}

/**
 * kstat_named_setstr() - sets the value of a string
 * @knp: a statistic of KSTAT_DATA_STRING
 * @src: the string, which is not copied; or NULL
 *
 * With ks_lock held once it is installed: readers look at the string under it.
 * Return: 0 or %-EINVAL.
 */
static inline int kstat_named_setstr(kstat_named_t *knp, const char *src)
{
	return iostat_kstat_named_setstr(knp, src);
}

/* Names a timer and clears it. Return: as kstat_named_init(). */
static inline int kstat_timer_init(kstat_timer_t *ktp, const char *name)
{
	return iostat_kstat_timer_init(ktp, name);
}

/* An event begins. In any context but an NMI's; the client serialises. */
static inline void kstat_timer_start(kstat_timer_t *ktp)
{
	iostat_kstat_timer_start(ktp);
}

/* It ends. Likewise. */
static inline void kstat_timer_stop(kstat_timer_t *ktp)
{
	iostat_kstat_timer_stop(ktp);
}

/*
 * kstat_queue(9F), in any context but an NMI's, under a lock of the client's, which it tells as
 * ks_lock or ks_spinlock. An exit from an empty queue changes nothing, and is a line in the log.
 */

/* An I/O is accepted. */
static inline void kstat_waitq_enter(kstat_io_t *kiop)
{
	iostat_kstat_waitq_enter(kiop);
}

/* It goes before it began. */
static inline void kstat_waitq_exit(kstat_io_t *kiop)
{
	iostat_kstat_waitq_exit(kiop);
}

/* An I/O begins. */
static inline void kstat_runq_enter(kstat_io_t *kiop)
{
	iostat_kstat_runq_enter(kiop);
}

/* It is done. */
static inline void kstat_runq_exit(kstat_io_t *kiop)
{
	iostat_kstat_runq_exit(kiop);
}

/* One that was accepted begins. */
static inline void kstat_waitq_to_runq(kstat_io_t *kiop)
{
	iostat_kstat_waitq_to_runq(kiop);
}

/* One that began has to wait again. */
static inline void kstat_runq_back_to_waitq(kstat_io_t *kiop)
{
	iostat_kstat_runq_back_to_waitq(kiop);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_KSTAT_H */
