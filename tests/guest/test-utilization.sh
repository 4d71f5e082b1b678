# SPDX-License-Identifier: GPL-2.0
# Reads that keep one distance to the tick, at which the kernel samples its busy time:
# field 10 of /proc/diskstats says nothing of them, or four times too much. For a
# guest in which an instruction is a nanosecond: no distance is kept elsewhere.

. /payload/recount.sh
oracle_start
modprobe null_blk nr_devices=0

# reads NUMBER IOGEN-OPTION...
reads()
{
	local number=$1
	shift
	/payload/iogen -n "$number" -r 0 "$@" /dev/nbu
}

# claim "LINE..." COMMAND...
claim()
{
	echo "$1" >/tmp/oracle/claims
	shift
	"$@"
}

field10()
{
	local fields
	read -ra fields </sys/block/nbu/stat
	echo "${fields[9]}"
}

# Where the tick is: reads that begin just before it are shown as 4 ms each.
make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=1000000
over=0 most=0
for phase in 0 400 800 1200 1600 2000 2400 2800 3200 3600; do
	before=$(field10)
	reads 20 -w 4000 -p $phase
	shown=$(($(field10) - before))
	[ "$shown" -le "$most" ] || over=$phase most=$shown
done
holds "utilization: the tick was found: 20 ms of reads are shown as $most ms" "most >= 60"
between=$(((over + 2000) % 4000))

wrong="field10-wrong 90"
recount 1ms-of-4-between-ticks nbu claim "$wrong" reads 100 -w 4000 -p $between
recount 1ms-of-4-over-ticks nbu claim "$wrong" reads 100 -w 4000 -p "$over"
recount 1ms-of-20-between-ticks nbu claim "$wrong" reads 100 -w 20000 -p $between
recount 1ms-of-20-over-ticks nbu claim "$wrong" reads 100 -w 20000 -p "$over"
remove_null_blk_disk nbu

make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=100000
recount 100us-of-4ms-between-ticks nbu claim "$wrong" reads 100 -w 4000 -p $between
remove_null_blk_disk nbu

# So long that what the traces leave open hardly counts.
make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=50000000
recount 50ms nbu claim "within 0.01 rlentime rtime busy_time_ns duration_read_ns" reads 50
remove_null_blk_disk nbu
oracle_stop
