# SPDX-License-Identifier: GPL-2.0
# Raw events of the block layer, handed to the host for recount.py, with what
# the module made of the same I/O.

RQ_EVENTS="block_io_start block_rq_issue block_rq_requeue block_rq_merge block_rq_complete"
BIO_EVENTS="block_bio_queue block_bio_complete"
echo 60000 >$TRACING/buffer_size_kb
echo mono >$TRACING/trace_clock

# recount NAME DISK EVENTS COMMAND...
recount()
{
	local name=$1 disk=$2 events=$3 event column value
	shift 3
	: >$TRACING/trace
	# A bio merged in front by chance would move a request's first sector, which
	# the recount knows it by.
	echo 2 >"/sys/block/$disk/queue/nomerges" 2>/dev/null
	begin "$disk"
	for event in $events; do
		echo 1 >$TRACING/events/block/$event/enable
	done
	"$@" || fail "recount $name: $*"
	delta "$disk"
	echo 0 >$TRACING/events/block/enable
	{
		printf '# stat %s %s' "$name" "$(cat "/sys/block/$disk/dev")"
		for column in $(cat "/sys/block/$disk/iostat/stat_columns"); do
			value=d_$column
			printf ' %s=%s' "$column" "${!value}"
		done
		echo
		cat $TRACING/trace
	} | give "recount-$name"
	is "recount $name: no event lost" "$(grep -h overrun $TRACING/per_cpu/cpu*/stats | grep -cv ': 0$')" 0
}

random="--direct=1 --rw=randrw --bsrange=4k-16k --number_ios=500 --size=32m"

make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=2
recount psync nbe "$RQ_EVENTS" fio_quiet --filename=/dev/nbe $random --ioengine=psync
recount libaio nbe "$RQ_EVENTS" fio_quiet --filename=/dev/nbe $random --ioengine=libaio --iodepth=16
recount think nbe "$RQ_EVENTS" fio_quiet --filename=/dev/nbe $random --ioengine=libaio --iodepth=4 \
	--thinktime=1500

# A bio-based disk on top of it.
dm_linear linear /dev/nbe 262144
recount dm "$(dm_disk linear)" "$BIO_EVENTS" fio_quiet --filename=/dev/mapper/linear $random \
	--ioengine=libaio --iodepth=8
dmsetup remove linear
remove_null_blk_disk nbe

# A scheduler above a device that takes two at a time: long waits.
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 hw_queue_depth=2
echo mq-deadline >/sys/block/nbe/queue/scheduler
recount waiting nbe "$RQ_EVENTS" fio_quiet --filename=/dev/nbe $random --ioengine=libaio --iodepth=16
recount jobs nbe "$RQ_EVENTS" fio_quiet --filename=/dev/nbe $random --ioengine=psync --numjobs=4 \
	--group_reporting --number_ios=125
remove_null_blk_disk nbe

modprobe brd rd_nr=1 rd_size=65536
recount brd ram0 "$BIO_EVENTS" fio_quiet --filename=/dev/ram0 $random --ioengine=libaio --iodepth=8
rmmod brd

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=1 lbpu=1
sd=$(scsi_debug_disk)
writes_and_discards()
{
	fio_quiet --filename="/dev/$sd" $random --ioengine=libaio --iodepth=8 --number_ios=100 &&
		blkdiscard -o 0 -l 8M "/dev/$sd"
}
recount scsi "$sd" "$RQ_EVENTS" writes_and_discards
modprobe -r scsi_debug
