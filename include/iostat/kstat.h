/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel statistics, after illumos' kstat(9F): see Documentation/kstat.rst.
 *
 * The names are illumos', as inlines and typedefs. The exported symbols and the structure
 * tags have a prefix, because Linux has a struct kstat of its own and OpenZFS exports symbols
 * with illumos' names.
 */
#ifndef _IOSTAT_KSTAT_H
#define _IOSTAT_KSTAT_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct module;

/*
 * The length of the name of a module, kstat, class or statistic, including the NUL. Longer names
 * are refused.
 */
#define KSTAT_STRLEN		31

/* ks_type: the type of the data at ks_data. */
#define KSTAT_TYPE_RAW		0	/* ks_ndata bytes */
#define KSTAT_TYPE_NAMED	1	/* kstat_named_t[ks_ndata] */
#define KSTAT_TYPE_INTR		2	/* one kstat_intr_t */
#define KSTAT_TYPE_IO		3	/* one kstat_io_t */
#define KSTAT_TYPE_TIMER	4	/* kstat_timer_t[ks_ndata] */
#define KSTAT_NUM_TYPES		5

/* ks_flags: the caller of kstat_create() may set the first four. */
#define KSTAT_FLAG_VIRTUAL	0x01	/* the caller provides the memory at ks_data */
#define KSTAT_FLAG_VAR_SIZE	0x02	/* ks_update() may set ks_ndata and ks_data_size */
#define KSTAT_FLAG_WRITABLE	0x04	/* users with CAP_SYS_ADMIN may write it */
#define KSTAT_FLAG_PERSISTENT	0x08	/* the data is kept when it is deleted */
#define KSTAT_FLAG_DORMANT	0x10	/* persistent and deleted */
#define KSTAT_FLAG_INVALID	0x20	/* not installed yet */
#define KSTAT_FLAG_LONGSTRINGS	0x40	/* has values of type KSTAT_DATA_STRING */

/* The argument rw of ks_update() and ks_snapshot(). */
#define KSTAT_READ		0
#define KSTAT_WRITE		1

typedef int kid_t;
/* Times are in ns, on the clock of iostat_clock_read(). */
typedef s64 hrtime_t;

struct iostat_kstat;
typedef struct iostat_kstat kstat_t;

/**
 * struct iostat_kstat - kstat_t: a kernel statistic
 * @ks_crtime: time of creation, ns
 * @ks_kid: its number. A number is used again only after 2^31 changes of the chain
 * @ks_module: name of the module that provides it
 * @ks_instance: instance number within @ks_module
 * @ks_name: its name
 * @ks_class: its class, by which users select kstats
 * @ks_type: KSTAT_TYPE_*
 * @ks_flags: KSTAT_FLAG_*
 * @ks_data: the data. kstat_create() allocates and zeroes it unless the kstat is virtual
 * @ks_ndata: number of elements at @ks_data
 * @ks_data_size: bytes at @ks_data
 * @ks_snaptime: time of the last copy of @ks_data, ns. A @ks_snapshot() of the client sets it itself
 * @ks_update: updates @ks_data before it is read, or accepts what was written to it; may sleep
 * @ks_private: for the client
 * @ks_snapshot: copies @ks_data to, or from, a buffer of @ks_data_size bytes; may sleep
 * @ks_lock: NULL, or a mutex that is held around @ks_update() and @ks_snapshot() and while @ks_data
 *	is read or written
 * @ks_spinlock: NULL, or a lock that is held, with interrupts off, while @ks_data is copied,
 *	unless there is a @ks_snapshot(). For clients that count in interrupts. illumos does not have it
 *
 * The client may set @ks_data and @ks_data_size (of virtual kstats), @ks_update, @ks_private, @ks_snapshot,
 * @ks_lock and @ks_spinlock before kstat_install(), and with KSTAT_FLAG_VAR_SIZE @ks_data, @ks_ndata and
 * @ks_data_size in ks_update(). iostat has its own copy of all other members and ignores changes of them.
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
 * See kstat_named_init(). The union has basic types of C only, so that bindgen can derive Copy
 * for it.
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
		/* The name of str in kstat(3KSTAT) and OpenZFS. */
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

/* Indexes of kstat_intr_t.intrs. */
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
 * struct iostat_kstat_io - kstat_io_t: I/O statistics, see kstat_queue(9F)
 * @nread: bytes read
 * @nwritten: bytes written
 * @reads: read operations
 * @writes: write operations
 * @wtime: time during which the wait queue was not empty, ns
 * @wlentime: integral of the length of the wait queue over time, ns
 * @wlastupdate: time of the last change of the wait queue, ns
 * @rtime: time during which the run queue was not empty, ns
 * @rlentime: integral of the length of the run queue over time, ns
 * @rlastupdate: time of the last change of the run queue, ns
 * @wcnt: length of the wait queue: I/Os that were accepted and have not started
 * @rcnt: length of the run queue: I/Os that have started and are not done
 *
 * The client counts the first four. The functions kstat_waitq_*() and kstat_runq_*() change the rest.
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

/* The equivalent of gethrtime(): returns the time in ns. Any context but NMI. */
u64 iostat_clock_read(void);

/* For modules that use this API. The rest needs THIS_MODULE, which bindgen does not know. */
#ifndef __BINDGEN__
#include <linux/err.h>
#include <linux/module.h>

/**
 * kstat_create() - creates a kstat that users do not see yet
 * @ks_module: 1 to 30 printable ASCII characters without colons and blanks
 * @ks_instance: instance number, any value
 * @ks_name: as @ks_module, or NULL: the name is then @ks_module followed by @ks_instance
 * @ks_class: as @ks_module
 * @ks_type: KSTAT_TYPE_*
 * @ks_ndata: bytes of a raw kstat; 1 for KSTAT_TYPE_INTR and KSTAT_TYPE_IO; else number of statistics
 * @ks_flags: KSTAT_FLAG_VIRTUAL, _VAR_SIZE (only with _VIRTUAL), _WRITABLE, _PERSISTENT (not with
 *	_VIRTUAL)
 *
 * If a persistent kstat of that name was deleted, it is returned with its old data.
 *
 * Context: May sleep.
 *
 * Return: the kstat, or NULL if one of that name exists, an argument is invalid, the calling module is
 * being unloaded, there is no memory, or the data would be more than 1 GiB.
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
 * kstat_install() - makes a kstat visible to users
 * @ksp: a kstat that kstat_create() returned, with its data initialised
 *
 * Calls ks_update() with KSTAT_WRITE if @ksp is persistent and was deleted before.
 *
 * Context: May sleep.
 *
 * Return: 0,
 * %-EEXIST if it is installed already,
 * %-ENOENT if it does not exist,
 * %-EINVAL if it is of variable size and has no ks_lock, or is writable, has strings and no
 * ks_snapshot(),
 * %-EDEADLK if called by its own ks_update() or ks_snapshot().
 */
static inline int kstat_install(kstat_t *ksp)
{
	return iostat_kstat_install(ksp, THIS_MODULE);
}

/**
 * kstat_delete() - deletes a kstat
 * @ksp: a kstat; NULL is ignored
 *
 * Waits until no reader uses it, so the caller must not hold ks_lock. After the return no callback runs. The
 * data of a persistent kstat is kept after a last call of ks_update().
 *
 * Context: May sleep.
 *
 * Return: 0, %-ENOENT if it does not exist, %-EDEADLK if called by its own ks_update() or
 * ks_snapshot().
 */
static inline int kstat_delete(kstat_t *ksp)
{
	return ksp ? iostat_kstat_delete(ksp, THIS_MODULE) : 0;
}

/**
 * kstat_lookup() - finds a kstat of the calling module
 * @ks_module: its module name, or NULL for any
 * @ks_instance: its instance, or -1 for any
 * @ks_name: its name, or NULL for any
 *
 * Context: May sleep.
 *
 * Return: of the kstats that match and were not deleted, the one with the lowest ks_kid, or NULL.
 */
static inline kstat_t *kstat_lookup(const char *ks_module, int ks_instance, const char *ks_name)
{
	return iostat_kstat_lookup(ks_module, ks_instance, ks_name, THIS_MODULE);
}

/* Deletes a kstat of the calling module by its name. May sleep. Return: as kstat_delete(); %-ENOENT if no kstat has that name. */
static inline int kstat_delete_byname(const char *ks_module, int ks_instance, const char *ks_name)
{
	return iostat_kstat_delete(kstat_lookup(ks_module, ks_instance, ks_name), THIS_MODULE);
}

/**
 * kstat_named_init() - sets the name and the type of a statistic
 * @knp: the statistic. Its value becomes 0, or NULL if it is a string. The number of a statistic that has
 *	this name and type already is kept, as that of a persistent kstat that is created again
 * @name: 1 to 30 printable ASCII characters, the first and last of them not blank. Copied
 * @data_type: KSTAT_DATA_*
 *
 * Context: Any context.
 *
 * Return: 0, %-EINVAL or %-ENAMETOOLONG. On an error the statistic has no name and is not shown.
 */
static inline int kstat_named_init(kstat_named_t *knp, const char *name, u8 data_type)
{
	return iostat_kstat_named_init(knp, name, data_type);
}

/**
 * kstat_named_setstr() - sets the value of a string
 * @knp: a statistic of type KSTAT_DATA_STRING
 * @src: the string, or NULL. It is not copied
 *
 * Context: Any context before kstat_install(). After it the caller holds ks_lock, under which the string is read.
 *
 * Return: 0, or %-EINVAL if @knp is of another type.
 */
static inline int kstat_named_setstr(kstat_named_t *knp, const char *src)
{
	return iostat_kstat_named_setstr(knp, src);
}

/* Sets the name of a timer and clears it. Any context. Return: as kstat_named_init(). */
static inline int kstat_timer_init(kstat_timer_t *ktp, const char *name)
{
	return iostat_kstat_timer_init(ktp, name);
}

/* Records the start of an event. Any context but NMI. The caller serialises calls for one timer. */
static inline void kstat_timer_start(kstat_timer_t *ktp)
{
	iostat_kstat_timer_start(ktp);
}

/* Records the end of an event. Context and locking as kstat_timer_start(). */
static inline void kstat_timer_stop(kstat_timer_t *ktp)
{
	iostat_kstat_timer_stop(ktp);
}

/*
 * kstat_queue(9F). Any context but NMI. The caller holds a lock of its own, which is also the
 * ks_lock or ks_spinlock of the kstat. An exit from an empty queue changes nothing and logs a warning.
 */

/* An I/O was accepted: it enters the wait queue. */
static inline void kstat_waitq_enter(kstat_io_t *kiop)
{
	iostat_kstat_waitq_enter(kiop);
}

/* An I/O leaves the wait queue without being started. */
static inline void kstat_waitq_exit(kstat_io_t *kiop)
{
	iostat_kstat_waitq_exit(kiop);
}

/* An I/O starts: it enters the run queue. */
static inline void kstat_runq_enter(kstat_io_t *kiop)
{
	iostat_kstat_runq_enter(kiop);
}

/* An I/O is done: it leaves the run queue. */
static inline void kstat_runq_exit(kstat_io_t *kiop)
{
	iostat_kstat_runq_exit(kiop);
}

/* An I/O moves from the wait queue to the run queue: it starts. */
static inline void kstat_waitq_to_runq(kstat_io_t *kiop)
{
	iostat_kstat_waitq_to_runq(kiop);
}

/* An I/O moves from the run queue back to the wait queue. */
static inline void kstat_runq_back_to_waitq(kstat_io_t *kiop)
{
	iostat_kstat_runq_back_to_waitq(kiop);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_KSTAT_H */
