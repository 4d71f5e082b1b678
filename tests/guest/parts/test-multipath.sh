# SPDX-License-Identifier: GPL-2.0
# The disk below a request-based device-mapper disk, while it is busy: it refuses clones that it had
# accepted, and new clones are submitted later.

# With a scheduler a request gets its tag when it is issued: one of several clones gets it, the others
# are refused.
make_null_blk_disk nbp size=128 irqmode=2 completion_nsec=1000000 memory_backed=1 submit_queues=1 \
	hw_queue_depth=1 cache_size=16 fua=0
echo mq-deadline >/sys/block/nbp/queue/scheduler
dmsetup create mp --table "0 262144 multipath 0 0 1 1 round-robin 0 1 1 /dev/nbp 1" &&
	mp=$(dm_disk mp) || fail "multipath: no disk"
exact "multipath" "$mp" --rw=randrw --bs=4k --number_ios=200 --size=64m --ioengine=libaio --iodepth=8

# The same counts from a tracepoint: how often a clone was accepted.
start=$TRACING/events/block/block_io_start
IFS=: read -r major minor <"/sys/block/nbp/dev"
echo "dev == $((major << 20 | minor))" >$start/filter
begin nbp
echo >$TRACING/trace
echo 1 >$start/enable
fio_quiet --filename="/dev/$mp" --direct=1 --rw=randrw --bs=4k --number_ios=200 --size=64m \
	--ioengine=libaio --iodepth=8 || fail "multipath: fio"
echo 0 >$start/enable
echo 0 >$start/filter
delta nbp
starts=$(grep -c block_io_start: $TRACING/trace)
like_fio "multipath: the path"
is "multipath: every start of the path" "$d_start_count" "$starts"
is "multipath: each refused start is followed by another" "$d_refused" \
	$((starts - d_operations_read - d_operations_write))
holds "multipath: the path was busy" "d_refused > 0"

# Writes with flushes: a clone of a flush is a request like all others.
begin nbp
fio_quiet --filename="/dev/$mp" --direct=1 --rw=randwrite --bs=4k --number_ios=200 --size=64m \
	--ioengine=libaio --iodepth=8 --fsync=4 || fail "multipath: fio with flushes"
delta nbp
is "multipath: the path: writes between flushes" "$d_operations_write $d_bytes_write" "200 $((200 * 4096))"
holds "multipath: the path: flushes" "d_operations_none > 0"
holds "multipath: the path was busy with flushes" "d_refused > 0"
balanced "multipath: flushes" "$mp"
balanced "multipath: the path" nbp
nothing_lost "multipath"

# A write and its flush in one request, as the disk has no forced unit access: the probe for refused
# requests is also called at the end of the data, which is not the end of the request.
for disk in "$mp" nbp; do
	begin "$disk"
	succeeds "multipath: O_DSYNC on $disk: fio" fio_quiet --filename="/dev/$disk" --direct=1 --sync=dsync \
		--rw=write --bs=4k --number_ios=50 --size=1m
	delta "$disk"
	is "multipath: O_DSYNC on $disk: one operation each" "$d_operations_write $d_bytes_write" "50 $((50 * 4096))"
	is "multipath: O_DSYNC on $disk: one flush each" "$d_operations_none" 50
	is "multipath: O_DSYNC on $disk: all ordered" "$d_tag_ordered" 100
	is "multipath: O_DSYNC on $disk: none refused" "$d_refused" 0
	balanced "multipath: O_DSYNC on $disk" "$disk"
done

# The module is loaded after the disk was created.
reload
exact "multipath first" "$mp" --rw=randrw --bs=4k --number_ios=200 --size=64m --ioengine=libaio --iodepth=8
balanced "multipath first: the path" nbp
holds "multipath first: the path was busy" "s_refused > 0"
dmsetup remove mp
remove_null_blk_disk nbp
nothing_lost "multipath first"
