# SPDX-License-Identifier: GPL-2.0
# The module's own event counters, compared with tracepoints and with the I/O that was issued.

# event DISK NAME: prints a counter of a disk.
event()
{
	cat "/sys/block/$1/iostat/events/$2"
}

# common NAME: prints the counter of all disks together.
common()
{
	echo "@evcnt_list all rollup" >&6
	awk -v n="$1" '$1 == "iostat" && $2 == n { print $3 }' <&6
}
open_iostat 6

# traced DISK TRACEPOINT: counts a disk's events since tracing_on; the line has the device.
traced()
{
	grep -c " $2: $(tr : , <"/sys/block/$1/dev") " $TRACING/trace
}

tracing_on()
{
	: >$TRACING/trace
	local name
	for name; do echo 1 >"$TRACING/events/block/$name/enable"; done
}

tracing_off()
{
	echo 0 >$TRACING/events/block/enable
}

# by NAME DISK EVENT COMMAND...: runs COMMAND, and sets by to the increase of the counter.
by()
{
	local name=$1 disk=$2 event=$3 before
	shift 3
	before=$(event "$disk" "$event")
	succeeds "$name" "$@"
	by=$(($(event "$disk" "$event") - before))
}

direct_read()
{
	dd if="/dev/$1" of=/dev/null iflag=direct bs="$2" count="$3" skip="${4:-0}" status=none
}

echo 60000 >$TRACING/buffer_size_kb
make_null_blk_disk nbv size=256 irqmode=2 completion_nsec=20000 hw_queue_depth=8 submit_queues=1
is "events: all zero at first" "$(cat /sys/block/nbv/iostat/events/* | sort -u)" 0

# Bio merges: sequential 4 KiB writes in batches, first with merging, then without.
sequential="fio_quiet --filename=/dev/nbv --direct=1 --rw=write --bs=4k --ioengine=io_uring --iodepth=32
	--iodepth_batch=16 --iodepth_batch_complete_min=16 --number_ios=1600 --size=64m"
echo mq-deadline >/sys/block/nbv/queue/scheduler
echo 0 >/sys/block/nbv/queue/nomerges
tracing_on block_bio_backmerge block_bio_frontmerge block_rq_merge
by "merges: fio" nbv bio_backmerges $sequential
tracing_off
holds "merges: more than 100" "by > 100"
for pair in bio_backmerge bio_frontmerge rq_merge; do
	is "merges: ${pair}s as traced" "$(event nbv ${pair}s)" "$(traced nbv block_$pair)"
done
# Request merges: of three bios of one submission the first and the last are adjacent, the one in
# between is not. Each becomes a request in the plug, and the scheduler merges two of them.
{
	printf '%s\n' "fio version 2 iolog" "/dev/nbv add" "/dev/nbv open"
	for n in $(seq 0 99); do
		printf '/dev/nbv write %d 4096\n' $((n << 16)) $((64 << 20 | n << 16)) $(((n << 16) + 4096))
	done
	echo "/dev/nbv close"
} >/tmp/triples
begin nbv
tracing_on block_rq_merge
by "request merges: fio" nbv rq_merges fio_quiet --read_iolog=/tmp/triples --direct=1 --ioengine=libaio \
	--iodepth=3 --iodepth_batch=3 --iodepth_batch_complete_min=3
tracing_off
delta nbv
holds "request merges: more than 50" "by > 50"
is "request merges: as traced" $by "$(traced nbv block_rq_merge)"
is "request merges: each ends a request" "$d_merged $d_operations_write" "$by $((300 - by))"
is "request merges: no bytes lost" "$d_bytes_write" $((300 * 4096))
balanced "request merges" nbv
echo 2 >/sys/block/nbv/queue/nomerges
by "no merges: fio" nbv bio_backmerges $sequential
is "no merges: not counted" $by 0

# Splits: reads of 1 MiB in parts of 64 KiB.
echo none >/sys/block/nbv/queue/scheduler
echo 64 >/sys/block/nbv/queue/max_sectors_kb
by "splits: 1 MiB each" nbv splits direct_read nbv 1M 4
is "splits: one less than the parts of a read" $by 60
by "no splits: 64 KiB each" nbv splits direct_read nbv 64k 4
is "no splits: not counted" $by 0

# Tags: eight of them, and more I/Os in flight.
tracing_on block_rq_tag_wait
by "tags: fio" nbv tag_waits fio_quiet --filename=/dev/nbv --direct=1 --rw=randread --bs=4k \
	--ioengine=libaio --iodepth=32 --numjobs=2 --number_ios=1000 --size=64m
tracing_off
holds "tag waits: at least one" "by > 0"
is "tag waits: as traced" $by "$(traced nbv block_rq_tag_wait)"

# Not counted by default.
is "plugs and remaps: not counted" \
	"$(cd /sys/block/nbv/iostat/events && cat plugs unplugs unplugs_schedule bio_remaps rq_remaps | sort -u)" 0

# Errors of a disk, and of a dm disk on top of it.
echo +0-7 >/sys/kernel/config/nullb/nbv/badblocks
for round in 1 2 3; do
	refuses "errors: a bad block" direct_read nbv 4k 1
done
is "errors: three on the disk" "$(event nbv errors_ioerr)" 3
modprobe dm-mod
dm_linear nbvtop /dev/nbv 8192
refuses "errors: a bad block below" direct_read mapper/nbvtop 4k 1
is "errors: of the disk on top" "$(event "$(dm_disk nbvtop)" errors_ioerr)" 1
is "errors: of the disk below" "$(event nbv errors_ioerr)" 4
is "errors: of all disks" "$(common errors_ioerr)" 5
is "errors: no other error is counted" "$(cat /sys/block/nbv/iostat/events/errors_* | awk '{ sum += $1 } END { print sum }')" 4
dmsetup remove nbvtop
is "disks: removed with its counters" "$(common errors_ioerr)" 4

# Zones.
make_null_blk_disk nbz size=256 zoned=1 zone_size=16 zone_nr_conv=0 irqmode=2 completion_nsec=20000
succeeds "zones: open" blkzone open -o 0 -c 1 /dev/nbz
succeeds "zones: close" blkzone close -o 0 -c 1 /dev/nbz
succeeds "zones: finish" blkzone finish -o 0 -c 3 /dev/nbz
succeeds "zones: reset two" blkzone reset -o 0 -c 2 /dev/nbz
succeeds "zones: reset all" blkzone reset /dev/nbz
is "zones: each operation is counted" \
	"$(cd /sys/block/nbz/iostat/events && cat zone_opens zone_closes zone_finishes zone_resets zone_reset_alls | paste -sd' ')" \
	"1 1 3 2 1"
tracing_on disk_zone_wplug_add_bio blk_zone_wplug_bio
by "zones: fio" nbz zone_plugs fio_quiet --filename=/dev/nbz --direct=1 --rw=write --zonemode=zbd --bs=64k \
	--ioengine=io_uring --iodepth=8 --number_ios=200 --size=64m
tracing_off
holds "zone plugs: at least one" "by > 0"
is "zone plugs: as traced" $by "$(traced nbz disk_zone_wplug_add_bio)"
is "zone unplugs: as traced" "$(event nbz zone_unplugs)" "$(traced nbz blk_zone_wplug_bio)"
remove_null_blk_disk nbz

# Zone appends: btrfs writes file data to a zoned disk with them.
make_null_blk_disk nbz size=256 zoned=1 zone_size=8 zone_nr_conv=0 memory_backed=1 irqmode=2 completion_nsec=20000
succeeds "zone appends: mkfs" mkfs.btrfs -q -K -O zoned -d single -m single /dev/nbz
mkdir -p /tmp/zoned
succeeds "zone appends: mount" mount -t btrfs /dev/nbz /tmp/zoned
tracing_on block_rq_complete
by "zone appends: files" nbz zone_appends sh -c \
	'for n in 1 2 3 4 5; do dd if=/dev/zero of=/tmp/zoned/$n bs=64k count=4 status=none; done; sync -f /tmp/zoned'
tracing_off
holds "zone appends: at least five" "by >= 5"
is "zone appends: as completed" $by "$(grep -c " block_rq_complete: $(tr : , <"/sys/block/nbz/dev") ZA" $TRACING/trace)"
umount /tmp/zoned
remove_null_blk_disk nbz

# SCSI: requeues, passthrough, flushes, errors.
modprobe sd_mod
succeeds "scsi: module" modprobe scsi_debug dev_size_mb=64 delay=1 max_queue=64
sd=$(scsi_debug_disk) || fail "scsi: no disk"
params=/sys/bus/pseudo/drivers/scsi_debug
echo none >"/sys/block/$sd/queue/scheduler"
echo 2 >"/sys/block/$sd/queue/nomerges"
is "requeues: none at first" "$(event "$sd" requeues)" 0
tracing_on block_rq_issue block_rq_complete
echo 0x8000 >$params/opts
echo 5 >$params/every_nth
by "requeues: fio" "$sd" requeues fio_quiet --filename="/dev/$sd" --direct=1 --rw=randread --bs=4k \
	--ioengine=libaio --iodepth=8 --number_ios=200 --size=16m
echo 0 >$params/every_nth
echo 0 >$params/opts
tracing_off
holds "requeues: at least one" "by > 0"
is "requeues: equal to issues without a completion" $by \
	$(($(traced "$sd" block_rq_issue) - $(traced "$sd" block_rq_complete)))
# The disk does not answer; the kernel aborts the command when its timer expires and retries it.
echo 1 >$TRACING/events/scsi/scsi_dispatch_cmd_timeout/enable
is "timeouts: none at first" "$(event "$sd" timeouts)" 0
echo 3 >"/sys/block/$sd/device/timeout"
echo 4 >$params/opts
echo -1 >$params/every_nth
dd if="/dev/$sd" of=/dev/null iflag=direct bs=4k count=1 status=none &
first=$!
# A second command, in flight and not late when the first one is: the timer may expire a second late.
sleep 2
dd if="/dev/$sd" of=/dev/null iflag=direct bs=4k count=1 skip=100 status=none &
for try in $(seq 600); do
	[ "$(event "$sd" timeouts)" = 0 ] || break
	sleep 0.1
done
echo 0 >$params/every_nth
echo 0 >$params/opts
wait $!
is "timeouts: the retried read succeeds" $? 0
wait "$first"
is "timeouts: as traced by SCSI" "$(event "$sd" timeouts)" \
	"$(grep -c scsi_dispatch_cmd_timeout: $TRACING/trace)"
holds "timeouts: at least one" "$(event "$sd" timeouts) > 0"
echo 0 >$TRACING/events/scsi/enable
echo 30 >"/sys/block/$sd/device/timeout"
by "passthrough: 20" "$sd" passthrough /payload/passthrough "/dev/$sd" ready 20
is "passthrough: all 20 are counted" $by 20
by "flushes: fio" "$sd" flushes fio_quiet --filename="/dev/$sd" --direct=1 --sync=dsync --rw=write --bs=4k \
	--number_ios=50 --size=1m
is "flushes: all 50 are counted" $by 50
echo 2 >$params/opts
refuses "medium error: the read fails" dd if="/dev/$sd" of=/dev/null iflag=direct bs=64k skip=36 count=1
echo 0 >$params/opts
is "medium error: counted" "$(event "$sd" errors_medium)" 1
modprobe -r scsi_debug

# How long flushes take: beside what the kernel has, whose time begins a little before the issue.
make_null_blk_disk nbf size=64 memory_backed=1 cache_size=1 irqmode=2 completion_nsec=5000000
by "flush times: fio" nbf flushes fio_quiet --filename=/dev/nbf --direct=1 --rw=write --bs=4k --number_ios=20 --size=1m --fsync=1
flush_ns=$(event nbf flush_ns) kernels_ms=$(awk '{ print $17 }' /sys/block/nbf/stat)
echo "# flush times: $by flushes, $flush_ns ns, the kernel has $kernels_ms ms"
is "flush times: as many as the kernel has" "$(event nbf flushes)" "$(awk '{ print $16 }' /sys/block/nbf/stat)"
holds "flush times: each takes the disk's time" "flush_ns >= by * 5000000"
holds "flush times: no more than the kernel has" "flush_ns <= (kernels_ms + by) * 1000000"
remove_null_blk_disk nbf

# Lists and files have the same values.
wrong=
for file in /sys/block/nbv/iostat/events/*; do
	echo "@evcnt_list all" >&6
	[ "$(awk -v n="${file##*/}" '$1 == "nbv" && $2 == n { print $3 }' <&6)" = "$(cat "$file")" ] ||
		wrong+=" ${file##*/}"
done
is "events: files and list agree" "$wrong" ""
is "events: as many files as parents" "$(ls /sys/block/nbv/iostat/events | wc -l)" \
	$(($(echo "@evcnt_list all" >&6; grep -c '^iostat ' <&6) - 2))

# Switches the clock source, if there is another one: the module reads it another way and the time
# goes on.
clocks=/sys/devices/system/clocksource/clocksource0
clock=$(cat $clocks/current_clocksource) other=$(tr ' ' '\n' <$clocks/available_clocksource | grep -v -m 1 'tsc\|^$')
echo "# clock: $clock, another: $other"
cat /sys/block/nbv/iostat/stat >/tmp/out
before=$(common clock_resyncs)
cat /sys/block/nbv/iostat/stat >/tmp/out
is "clock: no resync without a change" "$(common clock_resyncs)" "$before"
if [ "$clock" = tsc ]; then
	first=$(cat /sys/block/nbv/iostat/kstat/snaptime)
	echo "$other" >$clocks/current_clocksource
	second=$(cat /sys/block/nbv/iostat/kstat/snaptime)
	is "clock: resync when the TSC is left" "$(common clock_resyncs)" $((before + 1))
	echo tsc >$clocks/current_clocksource
	third=$(cat /sys/block/nbv/iostat/kstat/snaptime)
	is "clock: resync when the TSC is used again" "$(common clock_resyncs)" $((before + 2))
	holds "clock: time goes on" "first < second && second < third && third - first < 5000000000"
fi

# A region is deleted because its disk is removed: counted, and reported to poll().
gone=/sys/class/misc/iostat/regions_gone
before=$(cat $gone)
echo "nbv @stats_create - /1" >&6
rm -f /tmp/ready
/payload/waitfile $gone /tmp/ready &
waiter=$!
until [ -e /tmp/ready ]; do sleep 0.1; done
sleep 0.2
remove_null_blk_disk nbv
wait $waiter
is "regions gone: a waiting poll() returns" $? 0
is "regions gone: the file" "$(cat $gone)" $((before + 1))
is "regions gone: the event" "$(common regions_gone)" $((before + 1))
is "disks: all removed with their counters" "$(echo "@evcnt_list all" >&6; grep -c '^nb' <&6)" 0
exec 6<&-
nothing_lost "disk events"

# Plugs and remaps. (test-inflight.sh covers a full table.)
reload frequent_events=1
open_iostat 6
# Fewer tags than a batch has I/Os: the submitter sleeps with requests in its plug, which the scheduler submits.
make_null_blk_disk nbv size=64 memory_backed=1 irqmode=2 completion_nsec=10000000 hw_queue_depth=64
make_partitions /dev/nbv 2048:65536
# The event in tracefs does not say who has unplugged.
echo 't:who_unplugs block_unplug explicit' >$TRACING/dynamic_events
tracing_on block_plug block_unplug
echo 1 >$TRACING/events/tracepoints/who_unplugs/enable
# These events name no device, so they are counted for all disks together.
plugs=$(common plugs) unplugs=$(common unplugs) scheduled=$(common unplugs_schedule)
succeeds "plugs: fio" fio_quiet --filename=/dev/nbv1 --direct=1 --rw=randread --bs=4k \
	--ioengine=libaio --iodepth=200 --iodepth_batch=100 --number_ios=2000 --size=16m
echo 0 >$TRACING/events/tracepoints/who_unplugs/enable
tracing_off
holds "plugs: at least one" "$(common plugs) > plugs"
is "plugs: as traced" $(($(common plugs) - plugs)) "$(grep -c ' block_plug: ' $TRACING/trace)"
is "unplugs: as traced, by the submitter" $(($(common unplugs) - unplugs)) \
	"$(grep -c ' who_unplugs: .*explicit=1' $TRACING/trace)"
is "unplugs: as traced, by the scheduler" $(($(common unplugs_schedule) - scheduled)) \
	"$(grep -c ' who_unplugs: .*explicit=0' $TRACING/trace)"
is "unplugs: all of them" "$(grep -c ' who_unplugs: ' $TRACING/trace)" "$(grep -c ' block_unplug: ' $TRACING/trace)"
holds "unplugs: both at least once" \
	"$(common unplugs) > unplugs && $(common unplugs_schedule) > scheduled"
echo >$TRACING/dynamic_events
holds "remaps: each I/O to a partition" "$(event nbv bio_remaps) >= 2000"
refuses "partitions: no events directory" [ -d /sys/block/nbv/nbv1/iostat/events ]
exec 6<&-
remove_null_blk_disk nbv
reload
