/* SPDX-License-Identifier: GPL-2.0 */
/* Prints a struct iostat_snapshot as text. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

static void words(const __u64 *word, int n)
{
	for (; n--; word++)
		printf(" %llu", (unsigned long long)*word);
}

/* Prints class, phase, count, min, max, and the non-empty buckets. */
static void show_times(int io_class, int phase, const __u64 *counts, __u64 min, __u64 max)
{
	__u64 total = 0;

	for (int i = 0; i < IOSTAT_BUCKETS; i++)
		total += counts[i];
	printf("%d %d %llu %llu %llu", io_class, phase, (unsigned long long)total, (unsigned long long)min,
	       (unsigned long long)max);
	for (int i = 0; i < IOSTAT_BUCKETS; i++)
		if (counts[i])
			printf(" %d:%llu", i, (unsigned long long)counts[i]);
	putchar('\n');
}

#ifdef IOSTAT_SIZES
/* Prints class, count, and the non-empty buckets. */
static void show_sizes(int io_class, const __u64 *counts)
{
	__u64 total = 0;

	for (int i = 0; i < IOSTAT_SIZES; i++)
		total += counts[i];
	printf("%d %llu", io_class, (unsigned long long)total);
	for (int i = 0; i < IOSTAT_SIZES; i++)
		if (counts[i])
			printf(" %d:%llu", i, (unsigned long long)counts[i]);
	putchar('\n');
}
#endif

/*
 * How many columns there are from start_count to bytes_none. A program that was built before a counter has the counter in
 * its reserved words, and shows it.
 */
static int counters(void)
{
	static int n;
	char name[64] = "";
	glob_t found;
	FILE *columns;

	if (n || glob("/sys/block/*/iostat/stat_columns", 0, NULL, &found))
		return n;
	columns = fopen(found.gl_pathv[0], "r");
	while (columns && strcmp(name, "bytes_none") && fscanf(columns, "%63s", name) == 1)
		n++;
	if (columns)
		fclose(columns);
	globfree(&found);
	/* But for snaptime before and bytes_none behind them. */
	n = n > 2 ? n - 2 : 0;
	return n;
}

/* Prints the values in the order of stat_columns. */
static void show(const struct iostat_snapshot *s)
{
	printf("%llu", (unsigned long long)s->snaptime);
	words(&s->start_count, counters());
	words(s->bytes, 4);
	words(s->operations, 4);
	words(s->duration, 4);
	words(&s->busy_time, 1);
	words(s->tag_types, 3);
	words(s->service, 4);
	words(s->bytes + IOSTAT_CLASS_READ, 2);
	words(s->operations + IOSTAT_CLASS_READ, 2);
	words(&s->wtime, 3);
	words(&s->rtime, 3);
	words(&s->wcnt, 2);
	putchar('\n');
}
