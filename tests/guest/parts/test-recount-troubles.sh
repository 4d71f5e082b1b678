# SPDX-License-Identifier: GPL-2.0
# Flushes, discards, requeues, errors, and a disk that is removed during I/O, recounted.

. /payload/recount.sh
oracle_start

# Writes with a flush each, and writes with one flush after every fourth.
flushes()
{
	begin "$1"
	fio_quiet --filename="/dev/$1" --direct=1 --rw=write --bs=4k --size=1m --number_ios=30 --sync=dsync &&
		fio_quiet --filename="/dev/$1" --direct=1 --rw=write --bs=4k --size=1m --number_ios=60 --fsync=4
	delta "$1"
	holds "recount flushes: ordered I/Os of $1" "d_tag_ordered >= 45"
}
recount flushes-virtio vda flushes vda

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=1 lbpu=1
params=/sys/bus/pseudo/drivers/scsi_debug
sd=$(scsi_debug_disk) || fail "recount: no SCSI disk"
recount flushes-scsi "$sd" flushes "$sd"

discards()
{
	begin "$sd"
	fio_quiet --filename="/dev/$sd" --direct=1 --rw=randtrim --bs=64k --size=16m --number_ios=50
	blkdiscard -o 0 -l 8M "/dev/$sd" || fail "recount: blkdiscard"
	delta "$sd"
	holds "recount discards: more than 50" "d_operations_free > 50"
}
recount discards "$sd" discards

# trouble OPTS: an error in every fifth command.
trouble()
{
	echo "$1" >$params/opts
	echo 5 >$params/every_nth
	fio_quiet --filename="/dev/$sd" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 \
		--number_ios=200 --size=16m || fail "recount: fio with errors"
	echo 0 >$params/every_nth
	echo 0 >$params/opts
}
echo 0 >/sys/block/"$sd"/queue/wbt_lat_usec 2>/dev/null
recount requeues-of-a-busy-host "$sd" trouble 0x8000
recount requeues-of-a-bad-cable "$sd" trouble 0x10

# Ten bad sectors: the part of a read before them is transferred, the rest fails.
bad_sectors()
{
	begin "$sd"
	echo 2 >$params/opts
	dd if="/dev/$sd" of=/dev/null iflag=direct bs=16k skip=128 count=64 conv=noerror 2>/dev/null
	echo 0 >$params/opts
	delta "$sd"
	holds "recount errors: some bytes were not read" "d_bytes_read < d_operations_read << 14"
}
recount errors "$sd" bad_sectors
modprobe -r scsi_debug

# pulled_out: reads the statistics until the disk is removed.
pulled_out()
{
	local number=0 account='' fio
	fio --disk_util=0 --name=job --filename=/dev/nbe --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=64 \
		--time_based --runtime=20 --size=32m >/dev/null 2>&1 &
	fio=$!
	(
		at_work nbe
		sleep 0.3
		remove_null_blk_disk nbe
	) &
	while account_stat $number nbe >/tmp/oracle/try 2>/dev/null; do
		account=$(</tmp/oracle/try)
		number=$((number + 1))
		sleep 0.02
	done
	wait $fio
	wait
	echo "$account" >/tmp/oracle/last
	holds "recount pulled-out: at least two reads of the statistics" "number > 1"
}
modprobe null_blk nr_devices=0
make_null_blk_disk nbe size=64 irqmode=2 completion_nsec=2000000
recount pulled-out nbe pulled_out
oracle_stop
nothing_lost "recount of troubles"
is "recount of troubles: no I/O left in the table" "$(cat /sys/class/misc/iostat/tracked)" 0
