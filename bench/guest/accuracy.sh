# SPDX-License-Identifier: GPL-2.0
# Busy time and time in queue of iostat and of /proc/diskstats, over the same
# reads. The truth is a recount of raw block events, which figures.py makes.
# Goes to file "accuracy": case, reads, exact busy ns and queue ns, fields 10 and
# 11 (ms), ns and cycles of a stretch; and "events-N" of case N.

number=0

# stat_of PREFIX: what iostat and the kernel say now.
stat_of()
{
	local names values index
	read -ra names <"/sys/block/$disk/iostat/stat_columns"
	read -ra values <"/sys/block/$disk/iostat/stat"
	for index in "${!names[@]}"; do
		printf -v "$1${names[index]}" %s "${values[index]}"
	done
	read -ra values <"/sys/block/$disk/stat"
	printf -v "$1reads" %s "${values[0]}"
	printf -v "$1field10" %s "${values[9]}"
	printf -v "$1field11" %s "${values[10]}"
}

# Whatever was read is in the statistics only when it has ended.
wait_idle()
{
	local inflight
	while read -r -a inflight <"/sys/block/$disk/inflight" && [ "${inflight[*]}" != "0 0" ]; do
		sleep 0.01
	done
}

# events 0|1
events()
{
	local event
	for event in block_io_start block_rq_complete block_io_done; do
		echo "$1" >$TRACING/events/block/$event/enable || die "no event $event"
	done
}

# accuracy CASE LATENCY_US READS IOGEN-OPTION...
accuracy()
{
	local case=$1 latency=$2 reads=$3 _ cycles ns
	shift 3
	disk=acc$number
	mkdir "$nullb/$disk"
	for setting in size=1024 irqmode=2 completion_nsec=$((latency * 1000)) power=1; do
		echo "${setting#*=}" >"$nullb/$disk/${setting%%=*}" || die "null_blk: $setting"
	done
	quiet_disk $disk
	echo 1 >/sys/block/$disk/queue/iostats
	echo >$TRACING/trace
	events 1
	wait_idle
	stat_of a_
	/payload/iogen -n "$reads" -r 1 "$@" "/dev/$disk" >/tmp/iogen || die "$case: iogen failed"
	wait_idle
	stat_of b_
	events 0
	read -r _ cycles ns </tmp/iogen
	sample accuracy "$case;$((b_reads - a_reads));$((b_busy_time_ns - a_busy_time_ns));$((b_wlentime - a_wlentime + b_rlentime - a_rlentime));$((b_field10 - a_field10));$((b_field11 - a_field11));$ns;$cycles"
	grep -E 'block_(io_start|rq_complete|io_done):' $TRACING/trace | give "events-$number"
	echo 0 >"$nullb/$disk/power"
	rmdir "$nullb/$disk"
	number=$((number + 1))
	echo "  accuracy: $case: done"
}

modprobe null_blk nr_devices=0 || die "no null_blk"
nullb=/sys/kernel/config/nullb
# Cycles: microseconds, as the other clocks are printed, would be too coarse.
echo x86-tsc >$TRACING/trace_clock
echo 8192 >$TRACING/buffer_size_kb
sleep 8
load_module || die "iostat.ko cannot be loaded"

accuracy "QD1, 10 us, think 100 us" 10 2000 -w 100
accuracy "QD1, 10 us, think 1 ms" 10 1000 -w 1000
accuracy "QD1, 100 us, think 1 ms" 100 1000 -w 1000
accuracy "QD1, 1 ms, think 1 ms" 1000 500 -w 1000
accuracy "QD1, 100 us, think 1 ms, random" 100 1000 -w 1000 -x
accuracy "QD1, 1 ms, think 5 ms, random" 1000 500 -w 5000 -x
accuracy "QD8, 10 us, think 1 ms, random" 10 300 -t 8 -w 1000 -x
accuracy "QD8, 100 us, think 1 ms, random" 100 300 -t 8 -w 1000 -x
accuracy "QD8, 5 ms, think 20 ms, random" 5000 50 -t 8 -w 20000 -x
accuracy "QD1, 1 ms, every 4 ms, between ticks" 1000 250 -w 4000 -p 200
accuracy "QD1, 1 ms, every 4 ms, over a tick" 1000 250 -w 4000 -p 3200
give accuracy </tmp/accuracy
