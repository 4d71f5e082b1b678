# SPDX-License-Identifier: GPL-2.0
# Removing a disk needs no memory of the module, so it cannot fail for lack of memory: no
# allocation meanwhile has the module on its stack.

# allocations COMMAND...: runs COMMAND in this shell and sets the number of the module's allocations.
allocations()
{
	local event
	echo >$TRACING/trace
	for event in kmalloc kmem_cache_alloc mm_page_alloc; do
		echo "common_pid == $BASHPID" >$TRACING/events/kmem/$event/filter
		echo 1 >$TRACING/events/kmem/$event/enable
	done
	"$@" || fail "departure: $*"
	for event in kmalloc kmem_cache_alloc mm_page_alloc; do
		echo 0 >$TRACING/events/kmem/$event/enable
		echo 0 >$TRACING/events/kmem/$event/filter
	done
	all=$(grep -c ' bytes_req=\| order=' $TRACING/trace)
	ours=$(awk '/<stack trace>/ { counted = 0 } /\[iostat\]/ && !counted { counted = 1; n++ } END { print n + 0 }' \
		$TRACING/trace)
	lost=$(awk '/entries-in-buffer/ { split($3, entries, "/"); print entries[2] - entries[1] }' $TRACING/trace)
}

power()
{
	echo "$1" >/sys/kernel/config/nullb/nbl/power
}

# Through configfs by hand, so that no new process is needed.
control=/sys/class/misc/iostat
numdevs=$(cat $control/numdevs) promised=$(cat $control/inflight_promised)
buffer=$(sed 's/.*expanded: //; s/)//' $TRACING/buffer_size_kb)
echo 20000 >$TRACING/buffer_size_kb
echo stacktrace >$TRACING/trace_options
echo sym-offset >$TRACING/trace_options
make_null_blk_disk nbl size=64 memory_backed=1
make_partitions /dev/nbl 2048:32768 40960:32768
power 0

allocations power 1
holds "departure: an arrival allocates" "ours > 50 && all > ours"
is "departure: the disk arrived with its partitions" "$(cat $control/numdevs)" $((numdevs + 3))
open_iostat 8
echo "nbl @stats_create - /100" >&8
echo "nbl1 @stats_create - /4" >&8
exec 8>&-
dd if=/dev/nbl2 of=/dev/null bs=64k count=4 iflag=direct status=none
allocations power 0
is "departure: no allocation" "$ours" 0
holds "departure: other allocations were traced" "all > 0"
is "departure: no trace event lost" "$lost" 0
is "departure: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "departure: the list has no line of the disk" "$(disk_table | grep -c nbl)" 0

echo nostacktrace >$TRACING/trace_options
echo nosym-offset >$TRACING/trace_options
echo "$buffer" >$TRACING/buffer_size_kb
echo >$TRACING/trace

# Disks that leave at any moment of the work that their first I/O, the search for partitions, has queued.
for round in $(seq 60); do
	power 1
	[ $((round % 3)) != 0 ] || sleep 0.00$((round % 10))
	power 0
done
is "departure: after the first I/O: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "departure: after the first I/O: nothing is promised to them" "$(cat $control/inflight_promised)" "$promised"
power 1
succeeds "departure: after the first I/O: the disk has all its files again" all_files nbl
power 0
rmdir /sys/kernel/config/nullb/nbl
