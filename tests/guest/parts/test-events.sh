# SPDX-License-Identifier: GPL-2.0
# Trace events io:start and io:done.

wait_functions
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=2
echo 60000 >$TRACING/buffer_size_kb
echo mono >$TRACING/trace_clock

# Only the module's own events are enabled.
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
begin nbe
fio_quiet --filename=/dev/nbe --direct=1 --rw=randrw --bsrange=4k-16k --ioengine=libaio --iodepth=16 \
	--number_ios=1000 --size=128m
delta nbe
echo 0 >$TRACING/events/io/enable
grep -h overrun $TRACING/per_cpu/cpu*/stats | grep -qv ': 0$' && fail "events: trace events lost"
awk '
	{ id = bcount = wait = service = ""
	  for (i = 5; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
	v["dev"] != "nbe" { next }
	/ start: / { starts++; open[v["id"]]++; bytes[v["id"]] = v["bcount"] }
	/ done: / { dones++; if (open[v["id"]]-- != 1 || bytes[v["id"]] != v["bcount"]) bad++
		wait_ns += v["wait_ns"]; service_ns += v["service_ns"]
		if (v["flags"] !~ /B_DONE/ || v["error"] != 0 || v["resid"] != 0) bad++ }
	END { print starts + 0, dones + 0, bad + 0, wait_ns + 0, service_ns + 0 }
' OFMT='%.0f' CONVFMT='%.0f' $TRACING/trace >/tmp/events
read -r starts dones bad wait_ns service_ns </tmp/events
is "events: a start for each I/O" "$starts" 1000
is "events: a done for each I/O" "$dones" 1000
is "events: each done has a start of the same size" "$bad" 0
is "events: waits add up to the wait queue's sum" "$wait_ns" "$d_wlentime"
is "events: services add up to the run queue's sum" "$service_ns" "$d_rlentime"

# done has the error.
modprobe dm-mod
dmsetup create broken --table "0 2048 error" && dmsetup mknodes broken
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
dd if=/dev/mapper/broken of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
echo 0 >$TRACING/events/io/enable
is "events: an error is traced" "$(grep ' done: ' $TRACING/trace | grep -c 'B_ERROR.* resid=4096 error=5 ')" 1
dmsetup remove broken

# done has the bytes of a part that failed, although the last part did not.
succeeds "events: a disk whose requests fail in part" insmod /payload/parts_disk.ko
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
refuses "events: a read that fails in part" dd if=/dev/parts of=/dev/null bs=4k count=1 iflag=direct
echo 0 >$TRACING/events/io/enable
is "events: the part that failed is traced" \
	"$(sed -nE 's/.* done: .* dev=parts .* (bcount=.*) outcome=.*/\1/p' $TRACING/trace | sort -u)" "bcount=4096 resid=512 error=0"
rmmod parts_disk

# An I/O belongs to its submitter's cgroup.
mkdir -p /sys/fs/cgroup
grep -q ' /sys/fs/cgroup ' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/events
for event in start done; do
	echo 'hist:keys=cgroup if dev_statname == "nbe"' >$TRACING/events/io/$event/trigger
done
sh -c 'echo $$ >/sys/fs/cgroup/events/cgroup.procs; exec dd if=/dev/nbe of=/dev/null bs=4k count=3 iflag=direct status=none'
wait_idle nbe
for event in start done; do
	is "events: the cgroup: $event" "$(sed -nE 's/^\{ cgroup: +([0-9]+) \} hitcount: +([0-9]+)$/\1 \2/p' \
		$TRACING/events/io/$event/hist)" "$(stat -c %i /sys/fs/cgroup/events) 3"
	echo '!hist:keys=cgroup if dev_statname == "nbe"' >$TRACING/events/io/$event/trigger
done
rmdir /sys/fs/cgroup/events

# b_iodone of a request is that of its first bio, in start and done.
for event in start done; do
	echo 'hist:keys=b_iodone.sym if dev_statname == "nbe"' >$TRACING/events/io/$event/trigger
done
dd if=/dev/nbe of=/dev/null bs=4k count=3 iflag=direct status=none
wait_idle nbe
for event in start done; do
	is "events: b_iodone: $event" "$(sed -nE 's/^\{ b_iodone: \[[0-9a-f]+\] ([a-z_]+) +\} hitcount: +([0-9]+)$/\1 \2/p' \
		$TRACING/events/io/$event/hist)" "$BIO_END_IO 3"
	echo '!hist:keys=b_iodone.sym if dev_statname == "nbe"' >$TRACING/events/io/$event/trigger
done

# paired NAME DISK FIO-ARGUMENT...: checks that starts and dones match one to one, that the account has
# as many of each outcome, and that the dones' bytes add up to the account's.
paired()
{
	local name=$1 disk=$2
	shift 2
	: >$TRACING/trace
	begin "$disk"
	echo 1 >$TRACING/events/io/enable
	fio_quiet --filename="/dev/$on" --direct=1 "$@" || fail "$name: fio"
	delta "$disk"
	echo 0 >$TRACING/events/io/enable
	awk -v disk="$disk" '
		{ delete v; for (i = 5; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
		v["dev"] != disk || / merge: / { next }
		v["id"] == 0 { bad++ }
		/ start: / { starts++; if (open[v["id"]]++) bad++; offset[v["id"]] = v["path"] v["offset"] v["pid"] }
		/ done: / { count[v["outcome"]]++; bytes += v["bcount"] - v["resid"]
			if (open[v["id"]] != 1 || offset[v["id"]] != v["path"] v["offset"] v["pid"]) bad++
			delete open[v["id"]]
			if (v["outcome"] != "completed" && v["bcount"] != v["resid"]) bad++ }
		END { for (id in open) bad++
			printf "%d %d %d %d %d %d\n", starts, count["completed"], count["merged"], count["refused"],
				bytes, bad }
	' $TRACING/trace >/tmp/events
	read -r starts completed merged refused bytes bad </tmp/events
	is "$name: a start for each I/O" "$starts" "$d_start_count"
	is "$name: one done for each start, of the same file and submitter" "$bad" 0
	is "$name: outcomes" "$completed $merged $refused" \
		"$((d_end_count - d_merged - d_refused)) $d_merged $d_refused"
	is "$name: bytes of the dones" "$bytes" $((d_bytes_read + d_bytes_write))
}

# Merged requests.
remove_null_blk_disk nbe
make_null_blk_disk nbe size=64 irqmode=2 completion_nsec=20000000 submit_queues=1 hw_queue_depth=1
echo mq-deadline >/sys/block/nbe/queue/scheduler
echo 128 >/sys/block/nbe/queue/nr_requests
on=nbe
paired "events, merges" nbe --rw=randwrite --bs=4k --number_ios=1000 --size=1m --ioengine=libaio \
	--iodepth=64
holds "events, merges: at least one" "merged > 0"
remove_null_blk_disk nbe
make_null_blk_disk nbe size=64 irqmode=2 completion_nsec=1000000 memory_backed=1 submit_queues=1 \
	hw_queue_depth=1 cache_size=16 fua=0
echo mq-deadline >/sys/block/nbe/queue/scheduler
paired "events, flushes" nbe --rw=randwrite --bs=4k --number_ios=200 --size=32m --sync=dsync \
	--ioengine=libaio --iodepth=8

# Refused clones.
dmsetup create mp --table "0 131072 multipath 0 0 1 1 round-robin 0 1 1 /dev/nbe 1" && on=$(dm_disk mp)
paired "events, refusals" nbe --rw=randrw --bs=4k --number_ios=200 --size=32m --ioengine=libaio --iodepth=8
holds "events, refusals: at least one" "refused > 0"
paired "events, clones" "$on" --rw=randrw --bs=4k --number_ios=200 --size=32m --ioengine=libaio --iodepth=8
dmsetup remove mp

# Requeued requests.
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=1 && on=$(scsi_debug_disk)
echo 0x8000 >/sys/bus/pseudo/drivers/scsi_debug/opts
echo 5 >/sys/bus/pseudo/drivers/scsi_debug/every_nth
paired "events, requeues" "$on" --rw=randwrite --bs=4k --number_ios=200 --size=32m --ioengine=libaio --iodepth=8
rmmod scsi_debug

# The data of a flush sequence fails.
echo +0-7 >/sys/kernel/config/nullb/nbe/badblocks
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
dd if=/dev/zero of=/dev/nbe bs=4k count=1 oflag=direct,dsync 2>/dev/null
echo 0 >$TRACING/events/io/enable
is "events: failed data of a flush sequence" \
	"$(grep ' done: ' $TRACING/trace | grep -c 'B_ERROR.* bcount=4096 resid=4096 error=5 outcome=completed ')" 1

# done has the submitter's thread, process and user, as start does, although a timer that interrupted
# another task completes the I/O.
echo >/sys/kernel/config/nullb/nbe/badblocks 2>/dev/null
chmod 666 /dev/nbe
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
read -r process thread <<<"$(/payload/reach thread /dev/nbe 65536 4096 65534)"
echo 0 >$TRACING/events/io/enable
holds "events: the submitter is a second thread" "process != thread"
is "events: thread, process, user" "$(sed -n 's/.* \(start\|wait_start\|done\|wait_done\): .* dev=nbe .*\( pid=.*\) comm=.*/\1\2/p' \
	$TRACING/trace | sort | uniq)" "$(for event in done start wait_done wait_start; do
	echo "$event pid=$thread tgid=$process uid=65534"; done)"
: >$TRACING/trace
echo 1 >$TRACING/events/io/done/enable
dd if=/dev/nbe of=/dev/null bs=4k count=1 iflag=direct status=none
echo 0 >$TRACING/events/io/done/enable
is "events: thread, process, user with only done enabled" "$(grep ' done: ' $TRACING/trace | grep -c ' pid=[1-9][0-9]* tgid=[1-9][0-9]* uid=0 ')" 1

# Without an enabled event nothing is hooked.
hooked()
{
	grep -c '^blkdev_direct_IO ' $TRACING/enabled_functions
}
is "events: disabled: no hook" "$(hooked)" 0
echo 1 >$TRACING/events/io/done/enable
is "events: either event enabled: one hook" "$(hooked)" 1
echo 0 >$TRACING/events/io/done/enable
remove_null_blk_disk nbe

# start and done are disabled and enabled again while an I/O is in flight: its done has the id and the file of its
# start only if one of the two events was always enabled.
make_null_blk_disk nbe size=64 irqmode=2 completion_nsec=3000000000
# Later I/Os of this disk take the fast path.
dd if=/dev/nbe of=/dev/null bs=4k count=1 iflag=direct status=none
# reenabled EVENT...: prints how many dones there were before the end of such an I/O, and what its done has of its start.
reenabled()
{
	local event io
	: >$TRACING/trace
	echo 1 >$TRACING/events/io/start/enable
	echo 1 >$TRACING/events/io/done/enable
	dd if=/dev/nbe of=/dev/null bs=4k count=1 iflag=direct status=none &
	io=$!
	until grep -q ' start: ' $TRACING/trace; do
		sleep 0.01
	done
	for event; do
		echo 0 >"$TRACING/events/io/$event/enable"
	done
	for event; do
		echo 1 >"$TRACING/events/io/$event/enable"
	done
	grep -c ' done: ' $TRACING/trace
	wait $io
	echo 0 >$TRACING/events/io/start/enable
	echo 0 >$TRACING/events/io/done/enable
	sed -n 's/.* \(start\|done\): id=\([0-9]*\) .* path=\(.*\)/\1 \2 \3/p' $TRACING/trace |
		awk '$1 == "start" { id = $2 } $1 == "done" { print $2 == id ? "same" : $2, $3 }'
}
is "events: start enabled again: the done of an I/O in flight" "$(reenabled start | xargs)" "0 same /dev/nbe"
is "events: done enabled again: the done of an I/O in flight" "$(reenabled 'done' | xargs)" "0 same /dev/nbe"
is "events: both enabled again: the done of an I/O in flight" "$(reenabled start 'done' | xargs)" "0 0 <unknown>"
remove_null_blk_disk nbe
echo local >$TRACING/trace_clock
