# SPDX-License-Identifier: GPL-2.0
# null_blk in all its modes: completion, scheduling, full queues and failures.

# kind NAME FIO-ARGUMENTS SETTING...: creates a disk and runs mixed I/O from both CPUs.
kind()
{
	local name="null_blk $1" arguments=$2
	shift 2
	make_null_blk_disk nbk size=256 "$@" || { fail "$name: no disk"; return; }
	[ -z "$scheduler" ] || echo "$scheduler" >/sys/block/nbk/queue/scheduler || fail "$name: scheduler"
	exact "$name" nbk --rw=randrw --bsrange=4k-64k --number_ios=300 --size=64m $both $arguments
	[ -z "$kernel_counts" ] || like_kernel "$name"
	remove_null_blk_disk nbk
}

both="--numjobs=2 --group_reporting --cpus_allowed=0,1 --cpus_allowed_policy=split"
ring="--ioengine=io_uring --iodepth=16"
modprobe kyber-iosched
modprobe mq-deadline
kernel_counts=yes scheduler=
for irqmode in 0 1 2; do
	kind "irqmode $irqmode" "$ring" irqmode=$irqmode submit_queues=2 completion_nsec=20000
	kind "irqmode $irqmode, may sleep" "$ring" irqmode=$irqmode blocking=1
done
kind "polled" "$ring --hipri" submit_queues=2 poll_queues=1
kind "polled, one at a time" "--ioengine=io_uring --hipri" poll_queues=1
kind "memory" "$ring" memory_backed=1 irqmode=2 completion_nsec=20000
kind "with a cache" "$ring" memory_backed=1 cache_size=16
for scheduler in kyber mq-deadline; do
	kind "$scheduler" "$ring" irqmode=2 completion_nsec=20000 submit_queues=2
done
# Throttled: the device requeues requests until its share of the next second.
scheduler=none
echo 1 >$TRACING/events/block/block_rq_requeue/enable
: >$TRACING/trace
kind "throttled" "$ring" mbps=40 irqmode=0
echo 0 >$TRACING/events/block/block_rq_requeue/enable
requeued=$(grep -c ' block_rq_requeue: ' $TRACING/trace)
holds "null_blk throttled: at least one requeue" "requeued > 0"
scheduler=
# In bio mode, where the kernel does not count.
kernel_counts=
kind "bio" "$ring" queue_mode=0 irqmode=0
kind "bio, timer" "$ring" queue_mode=0 irqmode=2 completion_nsec=20000

# Two CPUs with a hardware queue each, at most one I/O in each.
make_null_blk_disk nbk size=256 irqmode=2 completion_nsec=1000000 submit_queues=2
exact "two queues" nbk --rw=randrw --bs=4k --number_ios=300 --size=64m --ioengine=psync $both
holds "two queues: at the device 1 ms each" "d_rlentime >= 600 * 1000000"
holds "two queues: busy time at most the elapsed time" "d_busy_time_ns <= d_snaptime"
holds "two queues: two at a time at least once" "d_rtime < d_rlentime"
holds "two queues: never more than two at a time" "2 * d_rtime >= d_rlentime"
holds "two queues: busy at least while the run queue is" "d_busy_time_ns >= d_rtime"
remove_null_blk_disk nbk

# Discards and zeroes.
make_null_blk_disk nbk size=64 memory_backed=1 discard=1
begin nbk
succeeds "discard: blkdiscard" blkdiscard -o 1M -l 8M /dev/nbk
delta nbk
is "discard: bytes" "$d_bytes_free" $((8 << 20))
is "discard: as the kernel counts" "$d_operations_free $d_bytes_free" "$dk_discards $((dk_dsectors * 512))"
balanced "discard" nbk
remove_null_blk_disk nbk

# Unreadable sectors.
make_null_blk_disk nbk size=64 badblocks=+1024-1031
begin nbk
refuses "bad blocks: a read that fails" dd if=/dev/nbk of=/dev/null iflag=direct bs=64k skip=8 count=1
delta nbk
is "bad blocks: a failed read is an operation" "$d_operations_read" 1
is "bad blocks: a failed read has no bytes" "$d_bytes_read" 0
begin nbk
succeeds "bad blocks: a read before them" dd if=/dev/nbk of=/dev/null iflag=direct bs=64k skip=7 count=1
delta nbk
is "bad blocks: the read before has its bytes" "$d_operations_read $d_bytes_read" "1 65536"
balanced "bad blocks" nbk
remove_null_blk_disk nbk

# Zone management operations have no data.
make_null_blk_disk nbk size=256 zoned=1 zone_size=16 zone_nr_conv=0 irqmode=2 completion_nsec=20000
exact "zoned" nbk --rw=write --zonemode=zbd --bs=64k --ioengine=io_uring --iodepth=8 --number_ios=600 --size=64m
like_kernel "zoned"
begin nbk
succeeds "zoned: reset two" blkzone reset -o 0 -c 2 /dev/nbk
succeeds "zoned: finish one" blkzone finish -o 0 -c 1 /dev/nbk
delta nbk
is "zoned: three operations without data" "$d_operations_none $d_start_count" "3 3"
begin nbk
succeeds "zoned: reset all" blkzone reset /dev/nbk
delta nbk
is "zoned: one operation for all zones" "$d_operations_none $d_start_count" "1 1"
exact "zoned, random" nbk --rw=randrw --zonemode=zbd --bs=16k --ioengine=io_uring --iodepth=8 --number_ios=600 --size=64m --max_open_zones=4
balanced "zoned" nbk
remove_null_blk_disk nbk
nothing_lost "null_blk"
