/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event counters, after NetBSD's evcnt(9): see Documentation/evcnt.rst.
 *
 * The names are NetBSD's, as inlines; what is called across modules has a
 * prefix. An event counter is memory of its owner's, but what it counts is
 * kept per CPU by iostat, which is why it is counted with a function here.
 */
#ifndef _IOSTAT_EVCNT_H
#define _IOSTAT_EVCNT_H

#include <linux/types.h>

struct module;

/* With its NUL; not cut but refused if longer. */
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
 * @ev_handle: iostat's
 * @ev_parent: see evcnt_attach_dynamic()
 * @ev_group: likewise
 * @ev_name: likewise
 * @ev_type: likewise
 *
 * Not looked at by anybody between the calls of its owner.
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

/* Clients only: the rest needs THIS_MODULE, and what bindgen reads does not. */
#ifndef __BINDGEN__
#include <linux/module.h>

/**
 * evcnt_attach_static() - attaches an event counter as EVCNT_INITIALIZER() made it
 * @ev: the event counter
 *
 * Return: 0 or an errno, see evcnt_attach_dynamic().
 */
static inline int evcnt_attach_static(struct evcnt *ev)
{
	return iostat_evcnt_attach(ev, THIS_MODULE);
}

/**
 * evcnt_attach_dynamic() - attaches an event counter in memory of any content
 * @ev: the event counter; it counts from 0
 * @type: EVCNT_TYPE_*
 * @parent: an event counter that is attached, until this one is not any more; or NULL
 * @group: a device, say: 1 to 254 printable characters of ASCII, no blank at the ends
 * @name: likewise; others may have the same
 *
 * Both strings are copied. May sleep.
 *
 * Return: 0, or
 * %-EEXIST if @ev is attached already,
 * %-ENOENT if @parent is not,
 * %-EINVAL if @type, @group or @name is none, or @ev is NULL,
 * %-ENAMETOOLONG if @group or @name is too long,
 * %-ENOSPC if there are 131072 event counters,
 * %-ENODEV if the module goes,
 * %-ENOMEM.
 */
static inline int evcnt_attach_dynamic(struct evcnt *ev, int type, const struct evcnt *parent,
				       const char *group, const char *name)
{
	return iostat_evcnt_attach_dynamic(ev, type, parent, group, name, 0, THIS_MODULE);
}

/* The same for an @ev that was attached before, or is zeroed: it goes on from there. */
static inline int evcnt_attach_dynamic_nozero(struct evcnt *ev, int type,
					      const struct evcnt *parent,
					      const char *group, const char *name)
{
	return iostat_evcnt_attach_dynamic(ev, type, parent, group, name,
					   ev ? ev->ev_detached_count : 0, THIS_MODULE);
}

/**
 * evcnt_detach() - ends counting
 * @ev: the event counter, which nobody is counting with at this moment
 *
 * Its count is in @ev->ev_detached_count then. May sleep.
 *
 * Return: 0, %-ENOENT if @ev is not attached, %-EBUSY while another one has it for its parent, or
 * %-EINVAL if @ev is NULL.
 */
static inline int evcnt_detach(struct evcnt *ev)
{
	return iostat_evcnt_detach(ev, THIS_MODULE);
}

/* Counts @n events, of any context but an NMI's; nothing if @ev is not attached. */
static inline void evcnt_add(const struct evcnt *ev, u64 n)
{
	iostat_evcnt_add(ev, n);
}

/* Counts an event, likewise. */
static inline void evcnt_inc(const struct evcnt *ev)
{
	iostat_evcnt_add(ev, 1);
}

/**
 * evcnt_set() - sets the count
 * @ev: the event counter, attached or not; NULL is ignored
 * @count: what evcnt_read() returns from now on
 *
 * In any context but an NMI's. It replaces NetBSD's store to ``ev_count``. Events that other
 * CPUs count at the same time are counted before or after the change: none is counted twice. The
 * caller serialises calls for one counter; of two at the same time one is lost.
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

/* What it has counted, in any context; what it had counted, if it is not attached. */
static inline u64 evcnt_read(const struct evcnt *ev)
{
	return iostat_evcnt_read(ev);
}

/* The same and what its children and theirs have counted. May sleep. */
static inline u64 evcnt_read_total(const struct evcnt *ev)
{
	return iostat_evcnt_read_total(ev);
}

#endif /* __BINDGEN__ */
#endif /* _IOSTAT_EVCNT_H */
