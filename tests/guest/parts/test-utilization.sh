# SPDX-License-Identifier: GPL-2.0
# Reads at a constant offset to the tick, at which the kernel samples its busy time: field 10 of
# /proc/diskstats shows 0 for them, or four times too much. For a guest in which an instruction takes a
# nanosecond: elsewhere no offset stays constant.

. /payload/recount.sh
oracle_start
modprobe null_blk nr_devices=0

# reads NUMBER IOGEN-OPTION...: issues reads.
reads()
{
	local number=$1
	shift
	/payload/iogen -n "$number" -r 0 "$@" /dev/nbu
}

# claim "LINE..." COMMAND...: runs COMMAND and leaves claims for recount.py.
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

# Finds the tick: reads that begin just before it are counted as 4 ms each.
make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=1000000
over=0 most=0
for phase in 0 400 800 1200 1600 2000 2400 2800 3200 3600; do
	before=$(field10)
	reads 20 -w 4000 -p $phase
	shown=$(($(field10) - before))
	[ "$shown" -le "$most" ] || over=$phase most=$shown
done
holds "utilization: the tick is found: the kernel counts 20 ms of reads as $most ms" "most >= 60"
between=$(((over + 2000) % 4000))

wrong="field10-wrong 90"
recount 1ms-of-4-between-ticks nbu claim "$wrong" reads 100 -w 4000 -p $between
recount 1ms-of-4-over-ticks nbu claim "$wrong" reads 100 -w 4000 -p "$over"
recount 1ms-of-20-between-ticks nbu claim "$wrong" reads 100 -w 20000 -p $between
recount 1ms-of-20-over-ticks nbu claim "$wrong" reads 100 -w 20000 -p "$over"
remove_null_blk_disk nbu

make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=100000
# In all they take 10 ms: one read that is delayed until the tick is 4 ms of them, and has been seen once.
recount 100us-of-4ms-between-ticks nbu claim "field10-wrong 50" reads 100 -w 4000 -p $between
remove_null_blk_disk nbu

# The reads are so long that the uncertainty of the traces is below 0.01 %.
make_null_blk_disk nbu size=256 irqmode=2 completion_nsec=50000000
recount 50ms nbu claim "within 0.01 rlentime rtime busy_time_ns duration_read_ns" reads 50
remove_null_blk_disk nbu
oracle_stop
