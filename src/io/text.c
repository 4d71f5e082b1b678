// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/text.h.
 */

#include <iostat/io_trace.h>
#include <iostat/text.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/unaligned.h>

static const char dots[3] = "...";

static bool is_odd(unsigned char c)
{
	return c <= ' ' || c == '\\' || c == '\x7f';
}

#define EACH(c)	(~0UL / 0xff * (c))

/* The high bit of each byte of a word that is less than @limit, which is 0x80 at most. */
#define LESS(word, limit)	(((word) - EACH(limit)) & ~(word) & EACH(0x80))

/* The high bit of each byte of a word that is odd, and perhaps of what is behind such a byte. */
static unsigned long odd_in(unsigned long word)
{
	return LESS(word, ' ' + 1) | LESS(word ^ EACH('\\'), 1) | LESS(word ^ EACH(0x7f), 1);
}

/* Whether any byte is odd: a word at a time, as most texts have none. */
static bool has_odd(const char *text, size_t len)
{
	unsigned long odd = 0;

	for (; len >= sizeof(odd); len -= sizeof(odd), text += sizeof(odd))
		odd |= odd_in(get_unaligned((const unsigned long *)text));
	while (len--)
		odd |= is_odd(*text++);
	return odd;
}

/*
 * How much of a text whose front was cut off is to go as well: the rest of the character, in UTF-8,
 * that was cut through.
 */
static size_t rest_of_char(const char *text, size_t len)
{
	size_t rest = 0;

	while (rest < len && rest < 3 && (text[rest] & 0xc0) == 0x80)
		rest++;
	return rest;
}

static size_t width(char c)
{
	return is_odd(c) ? 4 : 1;
}

static noinline size_t put_escaped(char *to, size_t size, const char *from, size_t len)
{
	const char *end = from + len, *begin = to;
	size_t total = 0;

	for (const char *c = from; c < end; c++)
		total += width(*c);
	if (total >= size) {
		while (total > size - 1 - sizeof(dots))
			total -= width(*from++);
		from += rest_of_char(from, end - from);
		memcpy(to, dots, sizeof(dots));
		to += sizeof(dots);
	}
	for (; from < end; from++) {
		unsigned char c = *from;

		if (is_odd(c)) {
			*to++ = '\\';
			*to++ = '0' + (c >> 6);
			*to++ = '0' + (c >> 3 & 7);
			*to++ = '0' + (c & 7);
		} else {
			*to++ = c;
		}
	}
	*to = '\0';
	return to - begin;
}

size_t iostat_put_text(char *to, size_t size, const char *from, size_t len)
{
	size_t kept = size - 1 - sizeof(dots), before = 0;

	if (unlikely(has_odd(from, len)))
		return put_escaped(to, size, from, len);
	if (unlikely(len >= size)) {
		before = sizeof(dots);
		memcpy(to, dots, before);
		from += len - kept;
		len = kept - rest_of_char(from, kept);
		from += kept - len;
	}
	memcpy(to + before, from, len);
	to[before + len] = '\0';
	return before + len;
}

u32 iostat_add_text(struct iostat_io *io, size_t size, const char *from, size_t len)
{
	u32 at = io->bytes;
	size_t written = iostat_put_text(io->texts + at, size, from, len) + 1;

	io->bytes += written;
	return IOSTAT_LOC(IOSTAT_TEXTS_AT + at, written);
}

void iostat_end_texts(struct iostat_io *io)
{
	BUILD_BUG_ON(IOSTAT_MOUNT_LEN + IOSTAT_DIR_LEN > IOSTAT_FILE_BYTES);
	BUILD_BUG_ON(IOSTAT_DRIVER_LEN + IOSTAT_DEV_PATH_LEN > IOSTAT_DEV_BYTES);
	BUILD_BUG_ON(IOSTAT_FILE_BYTES % sizeof(u64) || IOSTAT_DEV_BYTES % sizeof(u64));
	while (io->bytes % sizeof(u64))
		io->texts[io->bytes++] = '\0';
}

/*
 * The high bit of each byte that is odd, but for NULs, and perhaps of bytes behind such a byte. Only bytes below 0x80
 * have the high bit in ~word, and of these only 0x7f has it when 1 is added.
 */
static __always_inline unsigned long odd_but_nul_in(unsigned long word)
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

		odd |= odd_but_nul_in(word);
		put_unaligned(word, (unsigned long *)to + i);
	}
	/* Another thread may be changing it: to what, only its last byte is certain. */
	to[TASK_COMM_LEN - 1] = '\0';
	/* In most there is nothing to be escaped. */
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
	/* As from_kuid() says of the initial user namespace, whose ids are the kernel's own. */
	task->uid = __kuid_val(current_uid());
	if (is_plain && is_comm(task->comm, (const unsigned long *)current->comm))
		return true;
	return put_comm(task->comm, sizeof(task->comm));
}
