// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/text.h.
 */

#include <iostat/text.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/unaligned.h>

#define EACH(c)	(~0UL / 0xff * (c))

/*
 * The high bit of each byte that is escaped, but for NULs, and perhaps of bytes behind such a byte. Only bytes below 0x80
 * have the high bit in ~word, and of these only 0x7f has it when 1 is added.
 */
static __always_inline unsigned long escaped_in(unsigned long word)
{
	unsigned long slash = word ^ EACH('\\');
	unsigned long odd = ((word - EACH(' ' + 1)) & ~(word - EACH(1))) | (word + EACH(1));

	return ((odd & ~word) | ((slash - EACH(1)) & ~slash)) & EACH(0x80);
}

#define COMM_WORDS	(TASK_COMM_LEN / sizeof(unsigned long))

static __always_inline bool is_comm(const char *to, const unsigned long *comm)
{
	unsigned long differ = 0;

	for (size_t i = 0; i < COMM_WORDS; i++)
		differ |= get_unaligned(comm + i) ^ get_unaligned((const unsigned long *)to + i);
	return !differ;
}

static noinline void escape_comm(char *to, size_t size)
{
	char comm[TASK_COMM_LEN];

	memcpy(comm, to, sizeof(comm));
	memset(to, 0, size);
	iostat_put_text(to, size, comm, strlen(comm));
}

/* The kernel pads names of threads with NULs. Returns whether nothing is escaped. */
static noinline bool put_comm(char *to, size_t size)
{
	const unsigned long *from = (const unsigned long *)current->comm;
	unsigned long odd = 0;

	memset(to + TASK_COMM_LEN, 0, size - TASK_COMM_LEN);
	for (size_t i = 0; i < COMM_WORDS; i++) {
		unsigned long word = get_unaligned(from + i);

		odd |= escaped_in(word);
		put_unaligned(word, (unsigned long *)to + i);
	}
	/* Another thread may be changing the name. Only its last byte is certain. */
	to[TASK_COMM_LEN - 1] = '\0';
	/* Most names have nothing to be escaped. */
	if (likely(!odd))
		return true;
	escape_comm(to, size);
	return false;
}

bool iostat_put_task(struct iostat_task *task, bool is_plain)
{
	BUILD_BUG_ON(sizeof(task->comm) < TASK_COMM_LEN);
	task->pid = current->pid;
	task->tgid = current->tgid;
	/* As from_kuid() returns for the initial user namespace, whose ids are the kernel's own. */
	task->uid = __kuid_val(current_uid());
	if (is_plain && is_comm(task->comm, (const unsigned long *)current->comm))
		return true;
	return put_comm(task->comm, sizeof(task->comm));
}
