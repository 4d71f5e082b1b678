// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the entries of clients in iostat's lists until the file UNTIL does not exist any more, while
 * tests/modules add and remove them. Each listed entry must be complete and right: its values follow
 * from its name.
 *
 *	lists kstat UNTIL	@kstat, of kstat_client's "storm" and of all
 *	lists chain UNTIL	@kstat_list
 *	lists evcnt UNTIL	@evcnt_list, of evcnt_client's "many"
 *	lists table UNTIL	the text of /dev/iostat
 *	lists ioctl UNTIL	LIST and SNAPSHOT, of devstat_client's "many"
 *
 * Prints the number of reads and of the clients' entries seen; the status is 1 if
 * anything was wrong. The module may be unloaded and loaded meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/iostat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEVICES 4096
#define KIDS (1 << 20)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char reply[8 << 20];
static unsigned long reads, seen;
static int wrong;

/* Prints what is wrong, the first few times. */
static void bad(const char *format, ...)
{
	va_list args;

	if (wrong++ >= 3)
		return;
	va_start(args, format);
	printf("lists: ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

/* Reads all, adds a NUL, and returns the length; negative on an error. */
static int read_all(int fd)
{
	size_t len = 0;
	ssize_t got;

	while ((got = read(fd, reply + len, sizeof(reply) - 1 - len)) > 0)
		len += got;
	reply[len] = 0;
	return got < 0 ? -errno : 0;
}

static int ask(int fd, const char *message)
{
	if (write(fd, message, strlen(message)) < 0)
		return -errno;
	return read_all(fd);
}

static char *next_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = 0;
	*at = end + 1;
	return line;
}

static void kstats(int fd)
{
	static const char *const names[] = { "class", "crtime", "number", "snaptime", "square" };
	unsigned long long value, crtime = 0, instance, again;
	long long last = -1;
	char *at = reply, *line;
	char name[32], text[64];
	unsigned int part = 0;
	int ret = ask(fd, reads % 4 ? "@kstat kstat_storm" : "@kstat");

	if (ret)
		return bad("@kstat: %s", strerror(-ret));
	while ((line = next_line(&at))) {
		if (strncmp(line, "kstat_storm:", 12))
			continue;
		if (sscanf(line, "kstat_storm:%llu:kstat_storm%llu:%31[^\t]\t%63s", &instance, &again,
			   name, text) != 4 || instance != again)
			return bad("@kstat: %s", line);
		value = strtoull(text, NULL, 10);
		if (strcmp(name, names[part]) || (part && instance != (unsigned long long)last) ||
		    (!part && (long long)instance <= last))
			return bad("@kstat: not in its place: %s", line);
		last = instance;
		if (part == 1)
			crtime = value;
		if ((part == 0 && strcmp(text, "misc")) || (part == 2 && value != instance) ||
		    (part == 3 && value < crtime) || (part == 4 && value != instance * instance))
			return bad("@kstat: not its value: %s", line);
		part = (part + 1) % 5;
		seen += !part;
	}
	if (part)
		bad("@kstat: half of kstat_storm:%lld", last);
}

/* Each kid is unique; the chain's id only grows, as long as its first kstat is the same. */
static void all_kstats(int fd)
{
	static unsigned int stamps[KIDS];
	static unsigned long long id, born;
	unsigned long long new_id, kid, flags, ndata, crtime, instance, again, first = 0;
	char *at = reply, *line, name[96], type[16], class[32];
	long long last = -1;
	int ret = ask(fd, "@kstat_list");

	if (ret)
		return bad("@kstat_list: %s", strerror(-ret));
	line = next_line(&at);
	if (!line || sscanf(line, "chain_id %llu", &new_id) != 1 || !next_line(&at))
		return bad("@kstat_list: no heading");
	while ((line = next_line(&at))) {
		if (sscanf(line, "%llu %15s %llx %llu %llu %31s %95[^\n]", &kid, type, &flags, &ndata,
			   &crtime, class, name) != 7)
			return bad("@kstat_list: %s", line);
		if (!kid)
			first = crtime;
		if (stamps[kid % KIDS] == reads + 1)
			return bad("@kstat_list: number %llu is another's too: %s", kid, line);
		stamps[kid % KIDS] = reads + 1;
		if (strncmp(name, "kstat_storm:", 12))
			continue;
		if (sscanf(name, "kstat_storm:%llu:kstat_storm%llu", &instance, &again) != 2 ||
		    instance != again || (long long)instance <= last || flags || ndata != 2 ||
		    strcmp(class, "misc"))
			return bad("@kstat_list: %s", line);
		last = instance;
		seen++;
	}
	if (!first)
		bad("@kstat_list: the chain is not in it");
	if (first == born && new_id < id)
		bad("@kstat_list: the chain's number was %llu and is %llu", id, new_id);
	id = new_id;
	born = first;
}

/* The first counter is the others' parent: with roll-up its total includes their listed counts. */
static void counters(int fd)
{
	unsigned long long number, total, count = 0, left = 0;
	int rollup = reads % 2;
	char *at = reply, *line, type[16], rate[32];
	int ret = ask(fd, rollup ? "@evcnt_list all rollup" : "@evcnt_list all");

	if (ret)
		return bad("@evcnt_list: %s", strerror(-ret));
	while ((line = next_line(&at))) {
		if (strncmp(line, "evcnt_client many", 17))
			continue;
		if (sscanf(line, "evcnt_client many%llu %llu %31s %15s", &number, &total, rate,
			   type) != 4 ||
		    strcmp(type, "misc"))
			return bad("@evcnt_list: %s", line);
		if (!number) {
			/* All of these are listed, and the next ones follow. */
			if (left)
				break;
			left = total;
			count = 0;
		} else {
			/* A counter is attached before it counts. */
			if (total && total != number)
				return bad("@evcnt_list: not its count: %s", line);
			left -= rollup ? total : 0;
		}
		if (number != count++)
			return bad("@evcnt_list: not in its place: %s", line);
		seen++;
	}
	if (left)
		bad("@evcnt_list: the parent of %llu is wrong by %lld", count, (long long)left);
}

/* Each line has as many columns as its header. */
static void table(int fd)
{
	char *at = reply, *line, *word, *rest;
	int columns = 0, n, skip = 0;
	int ret = read_all(fd);

	if (ret)
		return bad("/dev/iostat: %s", strerror(-ret));
	while ((line = next_line(&at))) {
		if (reply == line)
			continue;
		if (!*line) {
			/* Other tables follow. */
			skip = 1;
			continue;
		}
		if (skip)
			continue;
		if (!strncmp(line, "many", 4))
			seen++;
		n = 0;
		for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			n++;
		if (!columns)
			columns = n;
		if (n != columns)
			return bad("/dev/iostat: %d columns and not %d, of %s", n, columns, line);
	}
	if (!columns)
		bad("/dev/iostat: no heading");
}

static void snapshots(int fd)
{
	static struct iostat_device devices[DEVICES];
	static struct iostat_snapshot snapshots[DEVICES];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = DEVICES,
		.devices = (unsigned long)devices,
	};
	struct iostat_get get = {
		.size = sizeof(get), .flags = IOSTAT_GET_ALL | IOSTAT_GET_OLDEST,
		.entry_size = sizeof(snapshots[0]), .count = DEVICES, .snapshots = (unsigned long)snapshots,
	};

	if (ioctl(fd, IOSTAT_IOC_LIST, &list) || ioctl(fd, IOSTAT_IOC_SNAPSHOT, &get))
		return bad("ioctl: %s", strerror(errno));
	if (get.generation != list.generation)
		return;
	for (unsigned int n = 0; n < list.count && n < DEVICES; n++) {
		struct iostat_snapshot *one = &snapshots[n];
		unsigned long long unit;

		if (one->number != devices[n].number)
			return bad("ioctl: %s is number %u and %u", devices[n].name,
				   devices[n].number, one->number);
		if (strcmp(devices[n].driver, "devstat_client") ||
		    sscanf(devices[n].name, "many%llu", &unit) != 1)
			continue;
		seen++;
		if (one->start_count > 1 || one->end_count > one->start_count || one->wcnt || one->oldest_age ||
		    one->rcnt != one->start_count - one->end_count ||
		    one->bytes[IOSTAT_CLASS_READ] != one->end_count * unit)
			return bad("ioctl: %s: %llu started, %llu ended, %llu bytes", devices[n].name,
				   one->start_count, one->end_count, one->bytes[IOSTAT_CLASS_READ]);
	}
}

static const struct {
	const char *name;
	void (*look)(int fd);
	int flags;
} looks[] = {
	{ "kstat", kstats, O_RDWR },
	{ "chain", all_kstats, O_RDWR },
	{ "evcnt", counters, O_RDWR },
	{ "table", table, O_RDONLY },
	{ "ioctl", snapshots, O_RDONLY },
};

int main(int argc, char **argv)
{
	unsigned int which = 0;
	int fd;

	if (argc != 3)
		return 2;
	while (strcmp(looks[which].name, argv[1]))
		if (++which == COUNT(looks))
			return 2;
	while (!access(argv[2], F_OK)) {
		fd = open("/dev/iostat", looks[which].flags);
		if (fd >= 0) {
			looks[which].look(fd);
			close(fd);
			reads++;
		}
		/* Gives other threads time, also to unload the module. */
		usleep(20000);
	}
	printf("%s %lu %lu\n", argv[1], reads, seen);
	return wrong != 0;
}
