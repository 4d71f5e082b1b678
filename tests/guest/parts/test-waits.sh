# SPDX-License-Identifier: GPL-2.0
# Trace events io:wait_start and io:wait_done.

# The orders in which both events are disabled and enabled. wait_done alone records ends of waits whose
# start was not traced.
WAITS=("wait_done wait_start" "wait_start wait_done")
HOOKED=$TRACING/enabled_functions

wait_functions

waits()
{
	local event
	for event in ${WAITS[$1]}; do
		echo "$1" >"$TRACING/events/io/$event/enable"
	done
}

# watch COMMAND...: writes the wait events during COMMAND to /tmp/waits, and its time to $elapsed_us.
watch()
{
	: >$TRACING/trace
	waits 1
	echo begin >$TRACING/trace_marker
	elapsed_us=${EPOCHREALTIME/./}
	"$@" >/tmp/out 2>&1 || fail "waits: $*" "$(tail -n 1 /tmp/out)"
	elapsed_us=$((${EPOCHREALTIME/./} - elapsed_us))
	echo end >$TRACING/trace_marker
	waits 0
	grep 'wait_\|tracing_mark_write: ' $TRACING/trace | grep -v '^#' >/tmp/waits
}

# pairs COMM [KEY=VALUE...]: of the waits of threads with this name and these values, sets $starts and
# $dones, pairs that are $bad, waits $under_way at the end of the trace, and $shortest and $longest in ns.
# Between the marks begin and end both events are enabled. Waits that started before or after are left out.
pairs()
{
	read -r starts dones bad under_way shortest longest <<<"$(awk -v comm="$1" -v wants="${*:2}" '
		/ tracing_mark_write: begin/ { for (id in open) { early[id] = 1; delete open[id] }
			starts = dones = bad = shortest = longest = 0 }
		/ tracing_mark_write: end/ { ended = 1 }
		/ tracing_mark_write: / { next }
		{ for (i = 5; i <= NF; i++) { at = index($i, "="); v[substr($i, 1, at - 1)] = substr($i, at + 1) }
		  if (comm != "" && $1 !~ "^" comm "-") next
		  n = split(wants, want, " ")
		  for (i = 1; i <= n; i++) { at = index(want[i], "=")
			if (v[substr(want[i], 1, at - 1)] != substr(want[i], at + 1)) next }
		  what = $1 " " v["dev"] " " v["flags"] " " v["blkno"] " " v["bcount"] " " v["in"] }
		v["id"] in early { next }
		ended && (/ wait_start: / || !(v["id"] in open)) { next }
		/ wait_start: / { starts++; if (v["id"] in open) bad++; open[v["id"]] = what; last[$1] = v["id"] }
		/ wait_done: / { dones++; if (open[v["id"]] != what) bad++; delete open[v["id"]]
			ns = v["wait_ns"]; if (ns > longest) longest = ns
			if (dones == 1 || ns < shortest) shortest = ns }
		END { for (id in open) { split(open[id], word, " "); if (last[word[1]] == id) under_way++; else bad++ }
			print starts + 0, dones + 0, bad + 0, under_way + 0, shortest + 0, longest + 0 }
	' OFMT='%.0f' CONVFMT='%.0f' /tmp/waits)"
}

# waited NAME COUNT LATENCY_MS COMM [KEY=VALUE...]: checks the number of complete pairs, which come one after another. The
# shortest wait is at most its share of the command's time, and at most $AHEAD ms shorter than the device's latency,
# where the wait begins after the I/O.
AHEAD=0
waited()
{
	local name=$1 count=$2 ms=$3
	pairs "${@:4}"
	is "waits: $name: pairs" "$starts $dones $bad" "$count $count 0"
	holds "waits: $name: as long as the device takes" \
		"shortest >= ($ms - AHEAD) * 1000000 && shortest * count <= elapsed_us * 1000"
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

# Functions of request timeouts are always hooked: see Documentation/evcnt.rst.
is "waits: disabled: no function is hooked" "$(grep -vc '^blk_mq_handle_expired \|^blk_mq_timeout_work ' $HOOKED)" 0
waits 1
FUNCTIONS="$BIO_AWAIT|__iomap_dio_rw|blkdev_direct_IO|__blockdev_direct_IO|filemap_get_pages|do_read_cache_folio"
FUNCTIONS+='|blk_io_schedule|io_schedule|blk_execute_rq|__wait_on_buffer'
FUNCTIONS+='|folio_wait_bit|folio_wait_bit_killable|__folio_lock|__folio_lock_killable'
is "waits: enabled: every function is hooked at once" "$(grep -cE "^($FUNCTIONS) " $HOOKED)" 14
waits 0

# Direct I/O: the wait includes the submission.
watch dd if=/dev/nbw of=/dev/null bs=4k count=10 iflag=direct
waited "direct read" 10 20 dd dev=nbw in=$BIO_AWAIT "flags=B_PHYS|B_READ" bcount=4096
pairs dd
is "waits: direct read: no other wait" "$starts $dones" "10 10"
pairs dd blkno=72
is "waits: direct read: position on disk" "$starts $dones" "1 1"
watch dd if=/dev/zero of=/dev/nbw bs=4k count=10 oflag=direct
waited "direct write" 10 20 dd dev=nbw in=$BIO_AWAIT "flags=B_PHYS|B_WRITE"

# stack EVENT: prints the functions on the stack of the first such event, after the event's own.
stack()
{
	awk -v event=" wait_$1: " '
		index($0, event) && !/stack trace/ { wanted = 1 }
		wanted && /^ => / { print $2; some = 1 }
		some && !/^ => / { exit }' $TRACING/trace
}
# Documentation/io-provider.rst says how many frames belong to the hook, and Documentation/kernels.rst what differs on 7.0.
frames=6
[ $BIO_AWAIT = bio_await ] || frames=5
echo 1 >$TRACING/options/stacktrace
watch dd if=/dev/zero of=/dev/nbw bs=4k count=1 oflag=direct
echo 0 >$TRACING/options/stacktrace
is "waits: stack of wait_start: $frames frames belong to the hook" "$(stack start | sed -n $((frames + 1))p)" $BIO_AWAIT
is "waits: stack of wait_done: five frames belong to the hook" "$(stack done | sed -n '5,6p' | paste -sd' ')" \
	"return_to_handler $(stack start | sed -n 8p)"
# watch_on_time MS COMMAND...: as watch, of a command that waits for a device of this latency; again if its thread was not
# scheduled between the submission of an I/O and the wait for it, as on a busy machine. Only waits with the value $ON_TIME
# count, if it is set: KEY=VALUE.
watch_on_time()
{
	local try
	for try in 1 2 3 4 5; do
		drop_caches
		watch "${@:2}"
		pairs "$2" ${ON_TIME:-}
		((shortest < ($1 - AHEAD) * 1000000)) || return 0
		echo "# waits: ${*:2}: try $try: the shortest wait is $shortest ns"
	done
}

AHEAD=5
watch_on_time 20 dd if=/dev/nbw of=/dev/null bs=4M count=1 iflag=direct
waited "direct read of many bios" 1 20 dd dev=nbw in=blk_io_schedule bcount=4194304 "flags=B_PHYS|B_READ"
watch_on_time 20 dd if=/dev/zero of=/dev/nbw bs=4M count=1 oflag=direct
waited "direct write of many bios" 1 20 dd dev=nbw in=blk_io_schedule bcount=4194304 "flags=B_PHYS|B_WRITE"

# The page cache: the wait begins after the I/O was submitted.
exec 8</dev/nbw # the last close would drop the page cache
watch_on_time 20 dd if=/dev/nbw of=/dev/null bs=4k count=10
waited "read" 10 20 dd dev=nbw in=io_schedule "flags=B_PAGEIO|B_READ" bcount=4096
pairs dd
is "waits: read: no other wait" "$starts $dones" "10 10"
watch dd if=/dev/nbw of=/dev/null bs=4k count=10
pairs dd
is "waits: read of cached pages: no wait" "$starts $dones" "0 0"
exec 8<&-
ON_TIME=in=folio_wait_bit watch_on_time 20 dd if=/dev/zero of=/dev/nbw bs=4k count=4 oflag=sync
all_paired "synchronous writes"
waited "synchronous writes" 4 20 dd dev=nbw in=folio_wait_bit "flags=B_PAGEIO|B_WRITE" bcount=4096

# A thread that waits for a folio's lock does not wait for I/O, unless the folio is being read.
printf '%s\n' 'p:contended __folio_lock' 'p:contended_killable __folio_lock_killable' >$TRACING/kprobe_events
echo 1 >$TRACING/events/kprobes/enable
watch insmod /payload/contended_folio.ko device=/dev/nbw
echo 0 >$TRACING/events/kprobes/enable
is "waits: contention: two waits for a folio's lock" "$(grep -o 'insmod-.* contended[_a-z]*' $TRACING/trace |
	sed 's/.* //' | paste -sd' ')" "contended contended_killable"
holds "waits: contention: each for a tenth of a second" "elapsed_us >= 190000"
pairs insmod
is "waits: contention: only the wait for the read of the folio" "$starts $dones" "1 1"
pairs insmod in=__folio_lock
is "waits: contention: no wait for I/O" "$starts $dones" "0 0"
pairs insmod in=__folio_lock_killable
is "waits: contention: no wait for I/O, killable" "$starts $dones" "0 0"
rmmod contended_folio
echo >$TRACING/kprobe_events

# From here on only the test writes back: a write of the kernel's own would end before the test waits for it.
writeback=$(cat /proc/sys/vm/dirty_writeback_centisecs)
echo 0 >/proc/sys/vm/dirty_writeback_centisecs

# delay MS: from here on each I/O of the device slow takes so long. File systems are made and unmounted without a delay.
delay()
{
	dmsetup suspend --nolockfs slow && dmsetup load slow --table "0 1048576 delay /dev/nbs 0 $1" && dmsetup resume slow ||
		fail "waits: a delay of $1 ms"
}
modprobe dm-delay
make_null_blk_disk nbs size=512 memory_backed=1
dmsetup create slow --table "0 1048576 delay /dev/nbs 0 0" && dmsetup mknodes slow
slow=$(dm_disk slow)
echo 0 >"/sys/block/$slow/queue/read_ahead_kb"
declare -A metadata=([ext4]=__wait_on_buffer [xfs]=xfs_buf_iowait)
AHEAD=10
force=
for fs in ext4 xfs; do
	modprobe $fs
	mkfs.$fs -q $force /dev/mapper/slow && mount /dev/mapper/slow /mnt || fail "waits: mkfs.$fs, mount"
	dd if=/dev/zero of=/mnt/file bs=64k count=1 conv=fsync status=none
	delay 50
	watch_on_time 50 dd if=/mnt/file of=/dev/null bs=4k count=3 iflag=direct
	waited "$fs: direct read" 3 50 dd "dev=$slow" bcount=4096 fs=$fs path=/mnt/file
	watch_on_time 50 dd if=/dev/zero of=/mnt/file bs=4k count=3 oflag=direct conv=notrunc
	waited "$fs: direct write" 3 50 dd "dev=$slow" in=blk_io_schedule "flags=B_PHYS|B_WRITE" bcount=4096 fs=$fs \
		path=/mnt/file
	watch_on_time 50 dd if=/mnt/file of=/dev/null bs=4k count=1
	waited "$fs: read" 1 50 dd "dev=$slow" in=io_schedule fs=$fs path=/mnt/file offset=0
	watch_on_time 50 dd if=/dev/zero of=/mnt/file bs=4k count=1 conv=fsync,notrunc
	waited "$fs: fsync" 1 50 dd "dev=$slow" in=folio_wait_bit fs=$fs path=/mnt/file offset=0
	all_paired "$fs: fsync"
	# A block that begins with jbd2's magic number is written from a copy, which is in no page cache. (xfs
	# waits for its log, which is not traced.)
	[ $fs = ext4 ] && watch sh -c "ln -s '$(printf '\xc0\x3b\x39\x98')$(printf 'a%.0s' {1..100})' /mnt/link && sync"
	[ $fs != ext4 ] || all_paired "$fs: a journal's copy"
	drop_caches
	delay 0
	umount /mnt
	# dm-delay counts from the last tick, which a busy host delays: with 60 ms each I/O takes at least 50 ms.
	delay 60
	watch mount /dev/mapper/slow /mnt
	all_paired "$fs: mount"
	pairs mount in=${metadata[$fs]}
	holds "waits: $fs: mount reads metadata" "starts > 1 && longest > 50000000"
	delay 0
	umount /mnt
	force=-f
done

# A reader of a part of a folio waits for the whole folio, and the event has the folio's range.
mkfs.xfs -q -f -b size=16384 /dev/mapper/slow && mount /dev/mapper/slow /mnt || fail "waits: xfs, large blocks"
dd if=/dev/zero of=/mnt/file bs=64k count=1 conv=fsync status=none
delay 50
watch_on_time 50 dd if=/mnt/file of=/dev/null bs=4k skip=5 count=1
waited "a part of a folio" 1 50 dd "dev=$slow" in=io_schedule fs=xfs path=/mnt/file offset=16384 bcount=16384
delay 0
umount /mnt

# erofs reads its metadata through the page cache while the page cache reads a file: the wait for metadata has their place,
# not that of the file. Those of the last extent are in a block of their own.
dd if=/payload/compressed.erofs of=/dev/mapper/slow bs=4k conv=fsync status=none
mount -t erofs -o ro /dev/mapper/slow /mnt || fail "waits: erofs"
delay 50
watch_on_time 50 dd if=/mnt/file of=/dev/null bs=4k skip=560 count=1
waited "metadata of a file that is read" 1 50 dd "dev=$slow" in=io_schedule "path=<none>" blkno=40 bcount=4096
waited "the file itself" 1 50 dd "dev=$slow" in=io_schedule fs=erofs path=/mnt/file offset=$((560 * 4096))
delay 0
umount /mnt

# Two readers of one folio wait for the same read, with an event pair each.
delay 2000
watch fio_quiet --filename=/dev/mapper/slow --rw=read --bs=4k --size=4k --offset=400k --numjobs=2 --thread \
	--ioengine=psync --invalidate=0
pairs fio "dev=$slow" blkno=800
is "waits: two readers of one folio: a pair each" "$starts $dones $bad" "2 2 0"
is "waits: two readers of one folio: two threads" \
	"$(awk '/blkno=800 / { print $1 }' /tmp/waits | sort -u | wc -l)" 2
dmsetup remove slow
remove_null_blk_disk nbs

# Passthrough commands.
AHEAD=0
modprobe sd_mod
modprobe scsi_debug ndelay=20000000 dev_size_mb=8 add_host=1
sd=$(scsi_debug_disk)
watch /payload/passthrough "/dev/$sd" read 5
waited "passthrough" 5 20 passthrough "dev=$sd" in=blk_execute_rq bcount=4096 "flags=B_PHYS|B_READ"
watch /payload/passthrough "/dev/$sd" write 5
waited "passthrough write" 5 20 passthrough "dev=$sd" in=blk_execute_rq bcount=4096 "flags=B_PHYS|B_WRITE"
rmmod scsi_debug

# Events enabled and disabled while threads wait: no end without its start.
fio_quiet --filename=/dev/nbw --rw=randread --bs=4k --direct=1 --ioengine=psync --numjobs=4 \
	--time_based --runtime=600 --size=8m >/dev/null &
load=$!
sleep 1
bad_in_all=0 done_in_all=0
rounds=$(repetitions 10 20)
for round in $(seq "$rounds"); do
	: >$TRACING/trace
	waits 1
	sleep 0.05
	waits 0
	grep 'wait_' $TRACING/trace | grep -v '^#' >/tmp/waits
	pairs ''
	[ $((starts - dones)) = $((bad + under_way)) ] || bad_in_all=$((bad_in_all + 1))
	done_in_all=$((done_in_all + dones))
done
is "waits: on and off, many times: no end without its start" "$bad_in_all" 0
holds "waits: on and off, many times: a wait in each" "done_in_all >= rounds"

# The end of a wait that began before wait_start was enabled is not traced from then on, but those before are.
for try in 1 2 3 4 5; do
	: >$TRACING/trace
	echo 1 >$TRACING/events/io/wait_done/enable
	dd if=/dev/nbw of=/dev/null bs=4k count=20 iflag=direct status=none &
	sleep 0.2
	echo 1 >$TRACING/events/io/wait_start/enable
	wait $!
	waits 0
	starts=$(grep -c '^ *dd-.* wait_start: ' $TRACING/trace)
	dones=$(grep -c '^ *dd-.* wait_done: ' $TRACING/trace)
	# All ends are traced if it was enabled between two waits.
	((starts == 0 || starts == 20 || dones == 20)) || break
done
holds "waits: wait_start enabled during waits: some were traced" "0 < starts && starts < 20"
is "waits: wait_start enabled during waits: all ends but that of the wait then" "$dones" 19

# A wait for a buffer whose I/O has ended.
watch insmod /payload/unlocked_buffer.ko device=/dev/nbw
pairs insmod
is "waits: an unlocked buffer: no wait" "$starts $dones" "0 0"
rmmod unlocked_buffer

is "waits: disabled again: no function is hooked" "$(sleep 3; grep -vc '^blk_mq_handle_expired \|^blk_mq_timeout_work ' $HOOKED)" 0

# The module is unloaded while the events are enabled, which tracefs does not prevent, and loaded again.
waits 1
succeeds "waits: enabled: the module can be unloaded" rmmod iostat
is "waits: unloaded: no function is hooked" "$(wc -l <$HOOKED)" 0
succeeds "waits: the module is loaded again" load_module
is "waits: loaded again: disabled" "$(cat $TRACING/events/io/wait_*/enable | tr -d '\n')" 00
watch sleep 1
pairs ''
holds "waits: loaded again: pairs" "dones > 0 && starts - dones == bad + under_way"
kill $load
wait $load
remove_null_blk_disk nbw
# The ends of the I/Os that were in flight when the module was loaded were counted as unmarked.
reload
echo "$writeback" >/proc/sys/vm/dirty_writeback_centisecs
