/* SPDX-License-Identifier: GPL-2.0 */
/* A struct iostat_snapshot as text. */
#include <stdio.h>

static void words(const __u64 *word, int n)
{
	for (; n--; word++)
		printf(" %llu", (unsigned long long)*word);
}

/* In the order of stat_columns. */
static void show(const struct iostat_snapshot *s)
{
	printf("%llu", (unsigned long long)s->snaptime);
	words(&s->start_count, 5);
	words(s->bytes, 4);
	words(s->operations, 4);
	words(s->duration, 4);
	words(&s->busy_time, 1);
	words(s->tag_types, 3);
	words(s->bytes + IOSTAT_CLASS_READ, 2);
	words(s->operations + IOSTAT_CLASS_READ, 2);
	words(&s->wtime, 3);
	words(&s->rtime, 3);
	words(&s->wcnt, 2);
	putchar('\n');
}
