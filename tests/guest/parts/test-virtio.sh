# SPDX-License-Identifier: GPL-2.0
# virtio-blk: a hardware queue for each CPU.

both="--numjobs=2 --group_reporting --cpus_allowed=0,1 --cpus_allowed_policy=split"
is "virtio: two hardware queues" "$(ls /sys/block/vda/mq | wc -l)" 2
exact "virtio psync" vda --rw=randrw --bsrange=4k-64k --number_ios=400 --size=64m $both
like_kernel "virtio psync"
holds "virtio psync: busy time at most the elapsed time" "d_busy_time_ns <= d_snaptime"
holds "virtio psync: two at a time at least once" "d_wlentime + d_rlentime > d_busy_time_ns"
holds "virtio psync: never more than two at a time" "d_wlentime + d_rlentime <= 2 * d_busy_time_ns"
exact "virtio io_uring" vda --rw=randrw --bsrange=4k-64k --number_ios=800 --size=64m --ioengine=io_uring \
	--iodepth=16 $both
like_kernel "virtio io_uring"
holds "virtio io_uring: busy time at most the elapsed time" "d_busy_time_ns <= d_snaptime"
begin vda
succeeds "virtio: discard" blkdiscard -o 0 -l 8M /dev/vda
succeeds "virtio: zeroes" blkdiscard -z -o 8M -l 1M /dev/vda
delta vda
is "virtio: bytes freed" "$d_bytes_free" $((8 << 20))
is "virtio: bytes of zeroes" "$d_bytes_write" $((1 << 20))
like_kernel "virtio"
balanced "virtio" vda
nothing_lost "virtio"
