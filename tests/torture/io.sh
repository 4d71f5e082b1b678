# SPDX-License-Identifier: GPL-2.0
# Load on disks that stay for a round, and on those of other actors. Sourced.

engines=(libaio libaio psync)
[ ! -e /proc/sys/kernel/io_uring_disabled ] || engines+=(io_uring io_uring)

# fio_on DEVICE SECONDS [OPTION...]: starts fio, pid in $fio. Its status does not matter, as disks fail
# and are removed. A removed disk's node must not be replaced by a regular file.
fio_on()
{
	local rw depth engine size jobs extra
	one_of rw randrw randread randwrite rw randtrimwrite
	one_of depth 1 4 16 32
	one_of engine "${engines[@]}"
	one_of size 4k-4k 4k-32k 512-16k 64k-256k
	one_of jobs 1 2
	one_of extra "" "" --fsync=16 --iodepth_batch=8
	act "fio $rw depth $depth jobs $jobs $engine $size $extra ${*:3} on $1 for $2 s"
	fio --disk_util=0 --output=/dev/null --name=job --filename="$1" --direct=1 --rw="$rw" --bsrange="$size" \
		--ioengine="$engine" --iodepth="$depth" --time_based --runtime="$2" --randseed=$RANDOM \
		--numjobs="$jobs" --size=16m --nice=15 --continue_on_error=all --thread --allow_file_create=0 \
		$extra "${@:3}" >/dev/null 2>&1 &
	fio=$!
}

# make_base: creates a disk of each kind for the round, and sets base to their nodes.
make_base()
{
	local irqmode queues time disk
	base=()
	one_of irqmode 0 1 2 2
	one_of queues 1 2 2
	between time 10000 2000000
	make_null_blk_disk nb0 size=64 irqmode="$irqmode" submit_queues="$queues" completion_nsec="$time" \
		discard=1 || return 1
	base+=(/dev/nb0)
	# The disk has the I/O of its partition as well.
	/payload/nth 0 part /dev/nb0 >/dev/null
	[ ! -b /dev/nb0p1 ] || base+=(/dev/nb0p1)
	# Some requests to this disk always fail.
	make_null_blk_disk nb1 size=64 irqmode=2 submit_queues=2 completion_nsec=50000 \
		hw_queue_depth=4 badblocks=+4000-6000 && base+=(/dev/nb1 /dev/nb1)
	make_null_blk_disk nb2 size=64 irqmode=1 submit_queues=2 # for pair
	dm_linear base /dev/nb0 65536 && base+=(/dev/mapper/base)
	modprobe brd rd_nr=1 rd_size=32768 && base+=(/dev/ram0)
	if modprobe scsi_debug dev_size_mb=32 delay=1 lbpu=1 && disk=$(scsi_debug_disk); then
		base+=("/dev/$disk")
	fi
}

# last_word: issues some I/O to every disk when all actors have ended, and one that fails, in case
# there was no time for more.
last_word()
{
	local device
	for device in "${base[@]}"; do
		dd if="$device" of=/dev/null bs=64k count=2 iflag=direct
	done 2>/dev/null
	! dd if=/dev/nb1 of=/dev/null bs=64k skip=40 count=1 iflag=direct 2>/dev/null ||
		fail "round $round: a bad sector was read"
}

# load_done: prints the number of I/Os that the kernel counted on all disks.
load_done()
{
	cat /sys/block/*/stat 2>/dev/null | awk '{ sum += $1 + $5 + $12 } END { print sum + 0 }'
}

remove_base()
{
	dmsetup resume base 2>/dev/null
	dmsetup remove --retry base
	remove_null_blk_disk nb0
	remove_null_blk_disk nb1
	remove_null_blk_disk nb2
	rmmod brd
	modprobe -r scsi_debug
}

io()
{
	local fio device seconds
	while going; do
		turn
		one_of device "${base[@]}"
		between seconds 4 10
		fio_on "$device" "$seconds"
		while going && kill -0 $fio 2>/dev/null; do
			read -rt 0.2 -u 8
		done
		kill $fio 2>/dev/null
		wait $fio
	done
	true
}

# Two CPUs access one fast disk without a pause, so that a change under a probe, or a word shared
# between CPUs, causes a race.
pair()
{
	local fio engine
	one_of engine psync libaio
	fio --disk_util=0 --output=/dev/null --name=job --filename=/dev/nb2 --direct=1 --rw=randrw --bs=4k \
		--ioengine=$engine --iodepth=8 --numjobs=2 --time_based --runtime=600 --size=16m \
		--thread >/dev/null 2>&1 &
	fio=$!
	turn
	while going; do
		read -rt 0.2 -u 8
	done
	kill -0 $fio || return 1
	kill $fio
	wait $fio
	true
}
