# SPDX-License-Identifier: GPL-2.0
# Tens of thousands of I/Os in flight, and a disk with too many of them, which must not cost another disk
# its statistics.

. /payload/nvme-loop.sh
control=/sys/class/misc/iostat
page_bytes=$(page_bytes)
modprobe dm-delay

# The default: three quarters of the table's entries, which take a 256th of the memory, rounded up to a
# power of two.
kbytes=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
entries=8192
while [ $entries -lt 131072 ] && [ $((entries * 128 * 256)) -lt $((kbytes * 1024)) ]; do
	entries=$((entries * 2))
done
usual=$((entries / 4 * 3))
is "inflight: default by memory size" "$(cat $control/inflight_max)" $usual

# promised DISK: prints the number of I/Os a disk's queues can have in flight.
promised()
{
	local queue=/sys/block/$1/queue queues=(/sys/block/"$1"/mq/*)
	echo $(($(cat "$queue/nr_requests") * ${#queues[@]}))
}

# A disk is promised room when it is used for the first time.
dd if=/dev/vda of=/dev/null bs=4k count=1 iflag=direct status=none
succeeds "inflight: a disk that is used" all_files vda
before=$(cat $control/inflight_promised)
dm_linear unused /dev/vda 64 || fail "inflight: dm-linear"
is "inflight: an unused disk is promised nothing" "$(cat $control/inflight_promised)" "$before"
is "inflight: files of an unused disk" "$(cd "/sys/block/$(dm_disk unused)/iostat" && echo *)" "devstat stat stat_columns"
succeeds "inflight: its first I/O" dd if=/dev/mapper/unused of=/dev/null bs=4k count=1 iflag=direct status=none
succeeds "inflight: all its files" all_files "$(dm_disk unused)"
is "inflight: a used disk that takes bios is promised 1024" "$(cat $control/inflight_promised)" $((before + 1024))
dmsetup remove unused
is "inflight: it returns them" "$(cat $control/inflight_promised)" "$before"
make_null_blk_disk nbq size=128 memory_backed=1 irqmode=2 completion_nsec=2000000 submit_queues=2 hw_queue_depth=256
is "inflight: a disk is promised its queues' depth" \
	"$(cat $control/inflight_promised)" $((before + $(promised nbq)))
make_partitions /dev/nbq 2048:131072
is "inflight: its partition shares the promise" "$(cat $control/inflight_promised)" \
	$((before + $(promised nbq)))
make_null_blk_disk nbx size=64 submit_queues=2 hw_queue_depth=8192
is "inflight: at most 4096 are promised to a disk" "$(cat $control/inflight_promised)" \
	$((before + $(promised nbq) + 4096))
remove_null_blk_disk nbx
make_null_blk_disk nbf size=512 hw_queue_depth=256
sectors=$(blockdev --getsz /dev/nbf)
is "inflight: a removed disk returns its promise" "$(cat $control/inflight_promised)" \
	$((before + $(promised nbq) + $(promised nbf)))

# slow NAME MS: creates a disk without a limit on bios in flight that delays each one. Sets slow to its
# name in /sys/block.
slow()
{
	dmsetup create "$1" --table "0 $sectors delay /dev/nbf 0 $2" && dmsetup mknodes "$1" &&
		slow=$(dm_disk "$1")
}

# flood NAME DISK MIB: writes through the page cache, a page per bio. $peak is the highest number in
# flight.
flood()
{
	local writer now
	peak=0
	dd if=/dev/zero "of=/dev/$2" bs=1M "count=$3" conv=fsync status=none &
	writer=$!
	while kill -0 $writer 2>/dev/null; do
		now=$(cat $control/tracked)
		[ "$now" -le $peak ] || peak=$now
		sleep 0.02
	done
	succeeds "$1: writes" wait $writer
}

# all_there NAME DISK MIB: checks the last delta for lost I/Os.
all_there()
{
	is "$1: every byte" "$d_bytes_write" $(($3 << 20))
	is "$1: a write for each page" "$d_operations_write" $((($3 << 20) / page_bytes))
	like_kernel "$1"
	is "$1: untracked of the disk" "$(cat "/sys/block/$2/iostat/events/untracked")" 0
	balanced "$1" "$2"
}

# Up to 40,960 bios of a page each.
slow late 3000 || fail "inflight: dm-delay"
size=$((usual * 9 / 10 * page_bytes >> 20))
[ $size -le 160 ] || size=160
begin "$slow"
flood "inflight" "$slow" $size
delta "$slow"
all_there "inflight" "$slow" $size
is "inflight: as many as the kernel counts" "$d_operations_write" "$dk_writes"
holds "inflight: more than 60 % in flight at a time ($peak)" "peak > ($size << 20) / page_bytes * 6 / 10"
nothing_lost "inflight"
dmsetup remove late

# A multipath head of nvme, as in blktests' nvme/014: bios of a page become requests of a path and then
# of the slow disk below.
make_null_blk_disk nbs size=512 irqmode=2 completion_nsec=1000000000 submit_queues=2 hw_queue_depth=256
succeeds "inflight: nvme: connect" nvme_loop_connect flood /dev/nbs
begin "$head"
for disk in "$path" nbs; do
	wait_idle "$disk"
	stat_of "$disk" "${disk}_"
done
flood "inflight: nvme" "$head" $size
delta "$head"
all_there "inflight: nvme" "$head" $size
for disk in "$path" nbs; do
	was=${disk}_bytes_write
	wait_idle "$disk"
	is "inflight: nvme: bytes of $disk" \
		$(($(cat "/sys/block/$disk/iostat/devstat/bytes_write") - ${!was})) $((size << 20))
	is "inflight: nvme: untracked of $disk" "$(cat "/sys/block/$disk/iostat/events/untracked")" 0
	balanced "inflight: nvme" "$disk"
done
# With large pages there are fewer writes.
least=$(((size << 20) / page_bytes * 6 / 10))
[ $least -le 8192 ] || least=8192
holds "inflight: nvme: more than $least in flight ($peak)" "peak > least"
nothing_lost "inflight: nvme"
succeeds "inflight: nvme: disconnect" nvme_loop_disconnect flood
remove_null_blk_disk nbs

# One disk has many times more I/Os in flight than the table's entries. Other disks have as many as
# they can, with events enabled, which have records for the reserve as well.
reload inflight=64
is "inflight: 64 rounded up" "$(cat $control/inflight_max)" 96
slow late 400 || fail "inflight: dm-delay"
IFS=: read -r major minor </sys/block/nbq/nbq1/dev
kbytes=$(cat $TRACING/buffer_size_kb)
echo 8192 >$TRACING/buffer_size_kb
echo >$TRACING/trace
for event in start done; do
	echo "dev_major == $major && dev_minor == $minor" >$TRACING/events/io/$event/filter
	echo 1 >$TRACING/events/io/$event/enable
done
# This disk is created during the flood.
make_null_blk_disk nbl size=64 irqmode=2 completion_nsec=2000000 submit_queues=2 hw_queue_depth=512
echo 2 >/sys/block/nbq/queue/nomerges
begin "$slow"
rm -f /tmp/enough
(
	while [ ! -e /tmp/enough ]; do
		dd if=/dev/zero "of=/dev/$slow" bs=1M count=24 conv=fsync status=none
	done
) &
flood=$!
lost=/sys/block/$slow/iostat/events/untracked
succeeds "inflight: the flood has begun" all_files "$slow"
for try in $(seq 300); do
	[ "$(cat "$lost")" = 0 ] || break
	sleep 0.1
done
deep="--size=32m --ioengine=libaio --iodepth=600 --iodepth_batch=128"
# On a busy machine the flood may pause for a whole round.
floods=0
for round in $(seq 8); do
	began=$(cat "$lost")
	begin nbq/nbq1
	succeeds "inflight: beside a flood: fio on a partition" fio_quiet --filename=/dev/nbq1 --direct=1 \
		--rw=randrw --bs=4k --number_ios=2000 $deep
	delta nbq/nbq1
	like_fio "inflight: beside a flood: a partition"
	balanced "inflight: beside a flood: a partition" nbq/nbq1
	balanced "inflight: beside a flood: its disk" nbq
	exact "inflight: beside a flood: a disk" nbl --rw=randread --bs=4k --number_ios=4000 $deep
	[ "$(cat "$lost")" = "$began" ] || floods=$((floods + 1))
	[ $floods -lt 2 ] || break
done
is "inflight: rounds in which I/Os of the flood were untracked" $floods 2
touch /tmp/enough
wait $flood
delta "$slow"
for disk in nbq nbl nbf; do
	is "inflight: beside a flood: untracked of $disk" \
		"$(cat /sys/block/$disk/iostat/events/untracked /sys/block/$disk/iostat/events/table_overflows)" \
		$'0\n0'
	balanced "inflight: beside a flood" $disk
done
untracked=$(cat "$lost")
is "inflight: all untracked I/Os belong to the flood" "$(cat $control/untracked)" "$untracked"
is "inflight: tracked and untracked I/Os add up to the kernel's count" $((d_operations_write + untracked)) "$dk_writes"
is "inflight: bytes of the tracked I/Os" "$d_bytes_write" $((d_operations_write * page_bytes))
is "inflight: one overflow for each untracked I/O" "$(cat "/sys/block/$slow/iostat/events/table_overflows")" "$untracked"
balanced "inflight: the flood" "$slow"
is "inflight: no I/O left in the table after the flood" "$(cat $control/tracked)" 0
is "inflight: none abandoned" "$(cat $control/abandoned)" 0

# Each start has a done.
for event in start done; do
	echo 0 >$TRACING/events/io/$event/enable
	echo 0 >$TRACING/events/io/$event/filter
	grep " $event: id=" $TRACING/trace | sed 's/.* id=\([0-9]*\) .*/\1/' | sort >/tmp/$event
done
is "inflight: an event for each start" "$(sort -u /tmp/start | wc -l)" 4000
succeeds "inflight: a done for each start" cmp /tmp/start /tmp/done
echo "$kbytes" >$TRACING/buffer_size_kb
echo >$TRACING/trace
dmsetup remove late
remove_null_blk_disk nbl
remove_null_blk_disk nbq

# More requests than a disk is promised.
make_null_blk_disk nbx size=512 irqmode=2 completion_nsec=5000000000 hw_queue_depth=8192
echo none >/sys/block/nbx/queue/scheduler
echo 600000 >/sys/block/nbx/queue/io_timeout
begin nbx
fio_quiet --filename=/dev/nbx --direct=1 --rw=randwrite --bs=4k --number_ios=6500 --size=128m \
	--ioengine=libaio --iodepth=6000 || fail "inflight: fio, 6000 at a time"
delta nbx
before=$untracked
untracked=$(($(cat $control/untracked) - before))
unmarked=$(cat $control/unmarked)
holds "inflight: more than promised: some untracked" "untracked > 0"
holds "inflight: more than promised: completions without a start" \
	"0 < unmarked && unmarked <= untracked"
holds "inflight: more than promised: the promise is kept" "d_operations_write >= 4096"
is "inflight: more than promised: tracked and untracked add up" $((d_operations_write + untracked)) "$dk_writes"
is "inflight: more than promised: untracked of the disk" \
	"$(cat /sys/block/nbx/iostat/events/untracked)" "$untracked"
holds "inflight: more than promised: the table's overflows" \
	"$(cat /sys/block/nbx/iostat/events/table_overflows) >= untracked"
balanced "inflight: more than promised" nbx
is "inflight: no I/O left in the table" "$(cat $control/tracked)" 0
remove_null_blk_disk nbx
remove_null_blk_disk nbf
reload
