# SPDX-License-Identifier: GPL-2.0
# io:wait_start and io:wait_done.

# In which order to turn them off and on: who asks only for ends gets those without their starts.
WAITS=("wait_done wait_start" "wait_start wait_done")
HOOKED=$TRACING/enabled_functions

waits()
{
	local event
	for event in ${WAITS[$1]}; do
		echo "$1" >"$TRACING/events/io/$event/enable"
	done
}

# watch COMMAND...: what the trace has of its waits, in file /tmp/waits.
watch()
{
	: >$TRACING/trace
	waits 1
	"$@" >/tmp/out 2>&1 || fail "waits: $*" "$(tail -n 1 /tmp/out)"
	waits 0
	grep 'wait_' $TRACING/trace | grep -v '^#' >/tmp/waits
}

# pairs COMM [KEY=VALUE...]: of the waits of threads of this name and with these values:
# $starts and $dones, pairs that are $bad, waits that were $under_way at the end of the trace, $shortest
# and $longest in ns.
pairs()
{
	read -r starts dones bad under_way shortest longest <<<"$(awk -v comm="$1" -v wants="${*:2}" '
		{ for (i = 5; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) }
		  if (comm != "" && $1 !~ "^" comm "-") next
		  n = split(wants, want, " ")
		  for (i = 1; i <= n; i++) { at = index(want[i], "=")
			if (v[substr(want[i], 1, at - 1)] != substr(want[i], at + 1)) next }
		  what = $1 " " v["dev"] " " v["flags"] " " v["blkno"] " " v["bcount"] " " v["in"] }
		/ wait_start: / { starts++; if (v["id"] in open) bad++; open[v["id"]] = what; last[$1] = v["id"] }
		/ wait_done: / { dones++; if (open[v["id"]] != what) bad++; delete open[v["id"]]
			ns = v["wait_ns"]; if (ns > longest) longest = ns
			if (dones == 1 || ns < shortest) shortest = ns }
		END { for (id in open) { split(open[id], word, " "); if (last[word[1]] == id) under_way++; else bad++ }
			print starts + 0, dones + 0, bad + 0, under_way + 0, shortest + 0, longest + 0 }
	' OFMT='%.0f' CONVFMT='%.0f' /tmp/waits)"
}

# waited NAME COUNT LATENCY_MS COMM [KEY=VALUE...]: so many whole pairs. The shortest is at
# most $SLACK ms longer than the device takes, which is the scheduler's, and at most $AHEAD
# ms shorter, where the wait begins only after the I/O.
SLACK=10 AHEAD=0
waited()
{
	local name=$1 count=$2 ms=$3
	pairs "${@:4}"
	is "waits: $name: pairs" "$starts $dones $bad" "$count $count 0"
	holds "waits: $name: as long as the device takes" \
		"shortest >= ($ms - AHEAD) * 1000000 && shortest < ($ms + SLACK) * 1000000"
	[ "$starts $dones $bad" = "$count $count 0" ] || sed 's/wait_/	wait_/' /tmp/waits | head -n 12
}

all_paired()
{
	pairs ''
	holds "waits: $1: all are pairs on one thread" "bad == 0 && starts == dones + under_way && dones > 0"
}

drop_caches()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

echo 20000 >$TRACING/buffer_size_kb
make_null_blk_disk nbw size=512 irqmode=2 completion_nsec=20000000 submit_queues=1 memory_backed=1
echo 0 >/sys/block/nbw/queue/read_ahead_kb

# But timeouts, always: see Documentation/evcnt.rst.
is "waits: off: nothing is hooked" "$(grep -vc '^blk_mq_handle_expired \|^blk_mq_timeout_work ' $HOOKED)" 0
waits 1
FUNCTIONS='__iomap_dio_rw|blkdev_direct_IO|__blockdev_direct_IO|filemap_get_pages|do_read_cache_folio'
FUNCTIONS+='|blk_io_schedule|io_schedule|bio_await|blk_execute_rq|__wait_on_buffer'
FUNCTIONS+='|folio_wait_bit|folio_wait_bit_killable|__folio_lock|__folio_lock_killable'
is "waits: on: every function, as soon as the event is" "$(grep -cE "^($FUNCTIONS) " $HOOKED)" 14
waits 0

# Direct I/O: the wait covers the submission.
watch dd if=/dev/nbw of=/dev/null bs=4k count=10 iflag=direct
waited "direct read" 10 20 dd dev=nbw in=bio_await "flags=B_PHYS|B_READ" bcount=4096
pairs dd
is "waits: direct read: no other" "$starts $dones" "10 10"
pairs dd blkno=72
is "waits: direct read: where on disk" "$starts $dones" "1 1"
watch dd if=/dev/zero of=/dev/nbw bs=4k count=10 oflag=direct
waited "direct write" 10 20 dd dev=nbw in=bio_await "flags=B_PHYS|B_WRITE"

# stack EVENT: the functions on the stack of the first of these, behind that which waits.
stack()
{
	awk -v event=" wait_$1: " '
		index($0, event) && !/stack trace/ { wanted = 1 }
		wanted && /^ => / { print $2; some = 1 }
		some && !/^ => / { exit }' $TRACING/trace
}
# How many frames are the hook's own, Documentation/io-provider.rst says.
echo 1 >$TRACING/options/stacktrace
watch dd if=/dev/zero of=/dev/nbw bs=4k count=1 oflag=direct
echo 0 >$TRACING/options/stacktrace
is "waits: stack of a start: six frames are the hook's" "$(stack start | sed -n '7,8p' | paste -sd' ')" \
	"bio_await submit_bio_wait"
is "waits: stack of a done: five frames are the hook's" "$(stack done | sed -n '5,6p' | paste -sd' ')" \
	"return_to_handler submit_bio_wait"
AHEAD=5
watch dd if=/dev/nbw of=/dev/null bs=4M count=1 iflag=direct
waited "direct read of many bios" 1 20 dd dev=nbw in=blk_io_schedule bcount=4194304 "flags=B_PHYS|B_READ"
watch dd if=/dev/zero of=/dev/nbw bs=4M count=1 oflag=direct
waited "direct write of many bios" 1 20 dd dev=nbw in=blk_io_schedule bcount=4194304 "flags=B_PHYS|B_WRITE"

# The page cache: it begins once the I/O is under way.
drop_caches
exec 8</dev/nbw # the last close would empty the cache
watch dd if=/dev/nbw of=/dev/null bs=4k count=10
waited "read" 10 20 dd dev=nbw in=io_schedule "flags=B_PAGEIO|B_READ" bcount=4096
pairs dd
is "waits: read: no other" "$starts $dones" "10 10"
watch dd if=/dev/nbw of=/dev/null bs=4k count=10
pairs dd
is "waits: read of what is cached: none" "$starts $dones" "0 0"
exec 8<&-
watch dd if=/dev/zero of=/dev/nbw bs=4k count=4 oflag=sync
all_paired "synchronous writes"
waited "synchronous writes" 4 20 dd dev=nbw in=folio_wait_bit "flags=B_PAGEIO|B_WRITE" bcount=4096

# Threads that only want each other's lock do not wait for I/O.
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
exec 8<>/dev/nbw
dd if=/dev/nbw of=/dev/null bs=4k count=1 status=none
echo 'p:contended __folio_lock' >$TRACING/kprobe_events
echo 1 >$TRACING/events/kprobes/contended/enable
# It takes one CPU that comes while the other copies: a matter of luck.
for try in $(seq 60); do
	watch fio_quiet --filename=/dev/nbw --rw=write --bs=4k --size=4k --loops=4000 --numjobs=3 \
		--thread --ioengine=psync --invalidate=0 --end_fsync=0
	! grep -q contended: $TRACING/trace || break
done
echo 0 >$TRACING/events/kprobes/contended/enable
holds "waits: contention: there was some" "$(grep -c contended: $TRACING/trace) > 0"
pairs fio
is "waits: contention: none" "$starts $dones" "0 0"
echo >$TRACING/kprobe_events
exec 8<&-

# A device that delays: 50 ms.
modprobe dm-delay
dmsetup create slow --table "0 1048576 delay /dev/nbw 0 50" && dmsetup mknodes slow
slow=$(dm_disk slow)
echo 0 >"/sys/block/$slow/queue/read_ahead_kb"
declare -A metadata=([ext4]=__wait_on_buffer [xfs]=xfs_buf_iowait)
AHEAD=10 SLACK=80
for fs in ext4 xfs; do
	modprobe $fs
	mkfs.$fs -q ${force:-} /dev/mapper/slow && mount /dev/mapper/slow /mnt || fail "waits: mkfs.$fs, mount"
	dd if=/dev/zero of=/mnt/file bs=64k count=1 conv=fsync status=none
	watch dd if=/mnt/file of=/dev/null bs=4k count=3 iflag=direct
	waited "$fs: direct read" 3 50 dd "dev=$slow" bcount=4096 fs=$fs path=/mnt/file
	watch dd if=/dev/zero of=/mnt/file bs=4k count=3 oflag=direct conv=notrunc
	waited "$fs: direct write" 3 50 dd "dev=$slow" in=blk_io_schedule "flags=B_PHYS|B_WRITE" bcount=4096 fs=$fs \
		path=/mnt/file
	drop_caches
	watch dd if=/mnt/file of=/dev/null bs=4k count=1
	waited "$fs: read" 1 50 dd "dev=$slow" in=io_schedule fs=$fs path=/mnt/file offset=0
	watch dd if=/dev/zero of=/mnt/file bs=4k count=1 conv=fsync,notrunc
	waited "$fs: fsync" 1 50 dd "dev=$slow" in=folio_wait_bit fs=$fs path=/mnt/file offset=0
	all_paired "$fs: fsync"
	# A block that begins as jbd2's own do is written from a copy, which is in no page cache. (xfs waits
	# for its log, which is not told.)
	[ $fs = ext4 ] && watch sh -c "ln -s '$(printf '\xc0\x3b\x39\x98')$(printf 'a%.0s' {1..100})' /mnt/link && sync"
	[ $fs != ext4 ] || all_paired "$fs: a journal's copy"
	drop_caches
	umount /mnt
	watch mount /dev/mapper/slow /mnt
	all_paired "$fs: mount"
	pairs mount in=${metadata[$fs]}
	holds "waits: $fs: mount reads metadata" "starts > 1 && longest > 50000000"
	umount /mnt
	force=-f
done

# Who reads a part of a folio waits for all of it, and what the event says is of the folio.
mkfs.xfs -q -f -b size=16384 /dev/mapper/slow && mount /dev/mapper/slow /mnt || fail "waits: xfs, large blocks"
dd if=/dev/zero of=/mnt/file bs=64k count=1 conv=fsync status=none
drop_caches
watch dd if=/mnt/file of=/dev/null bs=4k skip=5 count=1
waited "a part of a folio" 1 50 dd "dev=$slow" in=io_schedule fs=xfs path=/mnt/file offset=16384 bcount=16384
umount /mnt

# Two readers of one folio wait for the same read, each.
dmsetup remove slow
dmsetup create slow --table "0 1048576 delay /dev/nbw 0 2000" && dmsetup mknodes slow
watch fio_quiet --filename=/dev/mapper/slow --rw=read --bs=4k --size=4k --offset=400k --numjobs=2 --thread \
	--ioengine=psync --invalidate=0
pairs fio "dev=$slow" blkno=800
is "waits: two readers of one folio: a pair each" "$starts $dones $bad" "2 2 0"
is "waits: two readers of one folio: two threads" \
	"$(awk '/blkno=800 / { print $1 }' /tmp/waits | sort -u | wc -l)" 2
dmsetup remove slow

# Commands that are passed through.
AHEAD=0 SLACK=10
modprobe sd_mod
modprobe scsi_debug ndelay=20000000 dev_size_mb=8 add_host=1
sd=$(scsi_debug_disk)
watch /payload/passthrough "/dev/$sd" read 5
waited "passthrough" 5 20 passthrough "dev=$sd" in=blk_execute_rq bcount=4096
rmmod scsi_debug

# On and off while there are waits: no end without its start.
fio_quiet --filename=/dev/nbw --rw=randread --bs=4k --direct=1 --ioengine=psync --numjobs=4 \
	--time_based --runtime=600 --size=8m >/dev/null &
load=$!
sleep 1
bad_in_all=0 done_in_all=0
for round in $(seq 20); do
	: >$TRACING/trace
	waits 1
	sleep 0.05
	waits 0
	grep 'wait_' $TRACING/trace | grep -v '^#' >/tmp/waits
	pairs ''
	[ $((starts - dones)) = $((bad + under_way)) ] || bad_in_all=$((bad_in_all + 1))
	done_in_all=$((done_in_all + dones))
done
is "waits: on and off 20 times: no end without its start" "$bad_in_all" 0
holds "waits: on and off 20 times: waits were seen" "done_in_all >= 20"

is "waits: off again: nothing is hooked" "$(sleep 3; grep -vc '^blk_mq_handle_expired \|^blk_mq_timeout_work ' $HOOKED)" 0

# The module goes while the events are on, and comes again. Nobody holds it: tracefs does not.
waits 1
succeeds "waits: on: the module can go" rmmod iostat
is "waits: it has gone: nothing is hooked" "$(wc -l <$HOOKED)" 0
succeeds "waits: the module comes again" load_module
is "waits: it has come again: off" "$(cat $TRACING/events/io/wait_*/enable | tr -d '\n')" 00
watch sleep 1
pairs ''
holds "waits: it has come again: there are pairs" "dones > 0 && starts - dones == bad + under_way"
kill $load
wait $load
remove_null_blk_disk nbw
