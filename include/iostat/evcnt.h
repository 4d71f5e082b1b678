/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event counters, after NetBSD's evcnt(9): see Documentation/evcnt.rst.
 *
 * The names are NetBSD's, as inlines; the exported symbols have a prefix. The
 * owner provides the memory of struct evcnt, but iostat keeps the count, per
 * CPU. So events are counted by a function call.
 */
#ifndef _IOSTAT_EVCNT_H
#define _IOSTAT_EVCNT_H

#include <linux/types.h>

struct module;

/* Including the NUL. A longer string is refused, not truncated. */
#define EVCNT_STRING_MAX	255

#define EVCNT_TYPE_MISC		0
#define EVCNT_TYPE_INTR		1
#define EVCNT_TYPE_TRAP		2

/**
 * struct evcnt - an event counter
 * @ev_detached_count: the count while it is not attached: evcnt_attach_static() and
 *	evcnt_attach_dynamic_nozero() start from it, evcnt_detach() stores the count there.
 *	NetBSD's member is ev_count; it has another name here so that ``ev_count++``, which
 *	would count nothing, does not compile. See evcnt_inc(), evcnt_set() and evcnt_read()
 * @ev_handle: used by iostat
 * @ev_parent: see evcnt_attach_dynamic()
 * @ev_group: see evcnt_attach_dynamic()
 * @ev_name: see evcnt_attach_dynamic()
 * @ev_type: see evcnt_attach_dynamic()
 *
 * iostat reads and writes it only while the owner calls one of the functions below.
 */
struct evcnt {
	u64 ev_detached_count;
	u64 ev_handle;
	const struct evcnt *ev_parent;
	const char *ev_group;
	const char *ev_name;
	u8 ev_type;
};

#define EVCNT_INITIALIZER(type, parent, group, name)	\
	{						\
		.ev_parent = (parent),			\
		.ev_group = (group),			\
		.ev_name = (name),			\
		.ev_type = (type),			\
	}

int iostat_evcnt_attach(struct evcnt *ev, struct module *owner);
int iostat_evcnt_attach_dynamic(struct evcnt *ev, int type, const struct evcnt *parent,
				const char *group, const char *name, u64 count,
				struct module *owner);
int iostat_evcnt_detach(struct evcnt *ev, struct module *owner);
void iostat_evcnt_add(const struct evcnt *ev, u64 n);
void iostat_evcnt_set(struct evcnt *ev, u64 count);
u64 iostat_evcnt_read(const struct evcnt *ev);
u64 iostat_evcnt_read_total(const struct evcnt *ev);

/* For modules that use this API. The rest needs THIS_MODULE, which bindgen does not know. */
#ifndef __BINDGEN__
#include <linux/module.h>

/**
 * evcnt_attach_static() - attaches an event counter that EVCNT_INITIALIZER() initialised
 * @ev: the event counter. It starts from @ev->ev_detached_count
 *
 * Context: May sleep.
 *
 * Return: 0 or an errno, see evcnt_attach_dynamic().
 */
static inline int evcnt_attach_static(struct evcnt *ev)
{
	return iostat_evcnt_attach(ev, THIS_MODULE);
}

/**
 * evcnt_attach_dynamic() - attaches an event counter in memory of any content
 * @ev: the event counter. It starts from 0
 * @type: EVCNT_TYPE_*
 * @parent: NULL, or an event counter that is attached and stays attached until @ev is detached
 * @group: what the counter belongs to, usually the name of a device: 1 to 254 printable ASCII
 *	characters, the first and last of them not blank. Copied
 * @name: as @group. Copied. Two counters may have the same group and name
 *
 * Context: May sleep.
 *
 * Return: 0, or
 * %-EEXIST if @ev is attached already,
 * %-ENOENT if @parent is not attached,
 * %-EINVAL if @type, @group or @name is invalid, or @ev is NULL,
 * %-ENAMETOOLONG if @group or @name is too long,
 * %-ENOSPC if there are 131072 event counters,
 * %-ENODEV if the calling module is being unloaded,
 * %-ENOMEM.
 */
static inline int evcnt_attach_dynamic(struct evcnt *ev, int type, const struct evcnt *parent,
				       const char *group, const char *name)
{
	return iostat_evcnt_attach_dynamic(ev, type, parent, group, name, 0, THIS_MODULE);
}

/*
 * As evcnt_attach_dynamic(), but starts from @ev->ev_detached_count: the caller has zeroed @ev, or it
 * was attached before. May sleep. Return: as evcnt_attach_dynamic().
 */
static inline int evcnt_attach_dynamic_nozero(struct evcnt *ev, int type,
					      const struct evcnt *parent,
					      const char *group, const char *name)
{
	return iostat_evcnt_attach_dynamic(ev, type, parent, group, name,
					   ev ? ev->ev_detached_count : 0, THIS_MODULE);
}

/**
 * evcnt_detach() - detaches an event counter
 * @ev: the event counter. No other CPU may be counting with it during the call
 *
 * Stores the count in @ev->ev_detached_count.
 *
 * Context: May sleep.
 *
 * Return: 0, %-ENOENT if @ev is not attached, %-EBUSY if @ev is the parent of an attached counter, or
 * %-EINVAL if @ev is NULL.
 */
static inline int evcnt_detach(struct evcnt *ev)
{
	return iostat_evcnt_detach(ev, THIS_MODULE);
}

/* Counts @n events. Does nothing if @ev is not attached. Any context but NMI. */
static inline void evcnt_add(const struct evcnt *ev, u64 n)
{
	iostat_evcnt_add(ev, n);
}

/* Counts one event. Does nothing if @ev is not attached. Any context but NMI. */
static inline void evcnt_inc(const struct evcnt *ev)
{
	iostat_evcnt_add(ev, 1);
}

/**
 * evcnt_set() - sets the count
 * @ev: the event counter, attached or not; NULL is ignored
 * @count: the new count
 *
 * It replaces NetBSD's store to ``ev_count``. An event that another CPU counts at the same time is
 * counted either before or after the change, never twice. The caller serialises calls for
 * one counter; of two calls at the same time, one is lost.
 *
 * Context: Any context but NMI.
 */
static inline void evcnt_set(struct evcnt *ev, u64 count)
{
	iostat_evcnt_set(ev, count);
}

/* Sets the count to 0, as evcnt_set(). */
static inline void evcnt_zero(struct evcnt *ev)
{
	iostat_evcnt_set(ev, 0);
}

/* Returns the count; of a detached counter, the count at the time of its detachment. Any context. */
static inline u64 evcnt_read(const struct evcnt *ev)
{
	return iostat_evcnt_read(ev);
}

/* Returns the count of @ev and of all its descendants. May sleep. */
static inline u64 evcnt_read_total(const struct evcnt *ev)
{
	return iostat_evcnt_read_total(ev);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_EVCNT_H */
