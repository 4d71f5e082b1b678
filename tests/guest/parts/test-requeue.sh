# SPDX-License-Identifier: GPL-2.0
# A busy SCSI host and transport errors: requests return to the wait queue.

modprobe sd_mod
succeeds "requeue: scsi_debug" modprobe scsi_debug dev_size_mb=64 delay=0
sd=$(scsi_debug_disk) || fail "requeue: no disk"
params=/sys/bus/pseudo/drivers/scsi_debug
# trouble NAME OPTS: runs fio with every n-th command failing once.
trouble()
{
	begin "$sd"
	echo "$2" >$params/opts
	echo 5 >$params/every_nth
	fio_quiet --filename="/dev/$sd" --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=8 \
		--number_ios=200 --size=16m || fail "$1: fio"
	echo 0 >$params/every_nth
	echo 0 >$params/opts
	delta "$sd"
	is "$1: one operation each" "$d_operations_read" 200
	is "$1: bytes counted once" "$d_bytes_read" $((200 * 4096))
	like_kernel "$1"
	balanced "$1" "$sd"
}

# Without merges each read is one operation.
echo none >"/sys/block/$sd/queue/scheduler"
echo 2 >"/sys/block/$sd/queue/nomerges"
trouble "host busy" 0x8000
trouble "transport errors" 0x10
modprobe -r scsi_debug
nothing_lost "requeue"
