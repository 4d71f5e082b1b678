# SPDX-License-Identifier: GPL-2.0
# What is compared. Sourced by cost.sh, which says what row does:
#	row NAME BASELINE ON OFF
# measures NAME between the commands ON and OFF, against BASELINE of the same boot.

disk=nullb0

io_events()
{
	echo "$1" >$TRACING/events/io/start/enable &&
		echo "$1" >$TRACING/events/io/done/enable
}

wait_events()
{
	echo "$1" >$TRACING/events/io/wait_start/enable &&
		echo "$1" >$TRACING/events/io/wait_done/enable
}

waits_off()
{
	wait_events 0
	echo >$TRACING/trace
	rmmod iostat
}

trace_off()
{
	io_events 0
	echo >$TRACING/trace
	rmmod iostat
}

# dm_stats ARGUMENT...: one region that is the whole disk.
dm_stats()
{
	dmsetup message bench 0 @stats_create - /1 "$@" >/dev/null
}

dm_stats_off()
{
	dmsetup message bench 0 @stats_delete 0
}

# region STEP: the module with one region that is the whole disk, in areas as STEP says.
region()
{
	load_module && [ -c /dev/iostat ] && echo "$disk @stats_create - $1" >/dev/iostat
}

# The module with accounts by cgroup.
cgroups()
{
	load_module && [ -c /dev/iostat ] && echo "@cgroups on" >/dev/iostat
}

# Twenty buckets have nineteen bounds between them: 1 us to 262 ms, in ns.
dm_bounds=$(for k in $(seq 0 18); do echo $((1000 << k)); done | paste -sd,)

# tool READY COMMAND...: runs a tracer with its reader until tool_off; READY is
# a command that succeeds once it records.
tool()
{
	local ready=$1 try
	shift
	"$@" >/tmp/tool.log 2>&1 &
	tool=$!
	for try in $(seq 120); do
		sleep 1
		kill -0 $tool 2>/dev/null || break
		! $ready || { sleep 1; return 0; }
	done
	tail -n 3 /tmp/tool.log
	return 1
}

tool_off()
{
	kill -INT $tool
	wait $tool || true
	# Programs and their trampolines go after a grace period.
	sleep 2
}

# Start and completion, at the least.
bpf_attached()
{
	local links
	links=$(ls -l /proc/$tool/fd | grep -c 'bpf[_-]link\|perf_event')
	[ "$links" -ge 2 ]
}

says_tracing()
{
	grep -q Tracing /tmp/tool.log
}

# Its buffers are mapped last.
perf_attached()
{
	grep -q 'anon_inode:\[perf_event\]' /proc/$tool/maps
}

perf_io()
{
	load_module && tool perf_attached perf record -q -a -o /dev/null -e io:start -e io:done
}

perf_off()
{
	tool_off
	rmmod iostat
}

blktrace_runs()
{
	[ -d /sys/kernel/debug/block/$disk/dropped ] || [ -e /sys/kernel/debug/block/$disk/trace0 ]
}

row iostats none "echo 1 >/sys/block/$disk/queue/iostats" "echo 0 >/sys/block/$disk/queue/iostats"
row iostat none "load_module" "rmmod iostat"
row iostat+cgroups none "cgroups" "rmmod iostat"
row iostat+region none "region /1" "rmmod iostat"
row iostat+region1000 none "region /1000" "rmmod iostat"
row iostat+trace none "load_module && io_events 1" "trace_off"
row iostat+perf none "perf_io" "perf_off"
row iostat+waits none "load_module && wait_events 1" "waits_off"
bio_disk
row iostat+bio none "load_module" "rmmod iostat"
row dmstats dm "dm_stats" "dm_stats_off"
row dmstats+precise dm "dm_stats 1 precise_timestamps" "dm_stats_off"
row dmstats+hist dm "dm_stats 2 precise_timestamps histogram:$dm_bounds" "dm_stats_off"
row biolatency none "tool bpf_attached biolatency-libbpf" "tool_off"
row biosnoop none "tool bpf_attached biosnoop-libbpf" "tool_off"
row bpftrace-biolatency none "tool says_tracing bpftrace -B line /usr/sbin/biolatency.bt" "tool_off"
row blktrace none "tool blktrace_runs blktrace -d /dev/$disk -o -" "tool_off"
# The last: a disk with partitions is looked at twice.
partition
row iostat+part part "load_module" "rmmod iostat"
