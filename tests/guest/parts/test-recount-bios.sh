# SPDX-License-Identifier: GPL-2.0
# Bio-based disks and the disks below them, recounted.

. /payload/recount.sh
oracle_start

# random DEVICE
random()
{
	fio_quiet --filename="/dev/$1" --direct=1 --rw=randrw --bsrange=4k-16k --number_ios=300 --size=32m \
		--ioengine=libaio --iodepth=8
}

modprobe null_blk nr_devices=0
modprobe brd rd_nr=1 rd_size=65536
recount brd ram0 random ram0
rmmod brd

make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=2
dm_linear linear /dev/nbe 262144
recount dm-linear "$(dm_disk linear) nbe" random mapper/linear
dmsetup remove linear
remove_null_blk_disk nbe

# Chunks are so small that many I/Os are split in two or three.
modprobe raid0
legs=
for leg in 0 1 2 3 4 5 6 7; do
	make_null_blk_disk nb$leg size=32 irqmode=2 completion_nsec=1000000
	legs="$legs nb$leg"
done
mdadm --build /dev/md7 --level=0 --raid-devices=8 --chunk=4 $(printf '/dev/%s ' $legs) >/tmp/out 2>&1 ||
	fail "recount: no array" "$(tail -n 1 /tmp/out)"
head -c 4096 /dev/md7 >/dev/null # the first open looks for partitions
recount md-8 "md7$legs" random md7
mdadm --stop /dev/md7 2>/dev/null
for leg in $legs; do
	remove_null_blk_disk "$leg"
done
oracle_stop
nothing_lost "recount of bios"
