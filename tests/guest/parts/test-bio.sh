# SPDX-License-Identifier: GPL-2.0
# Bio-based disks (brd and dm-linear): one transaction per submitted bio, and an empty wait queue.

modprobe brd rd_nr=1 rd_size=65536
make_null_blk_disk nbd size=256 irqmode=2 completion_nsec=50000
succeeds "dm: linear device" dm_linear linear /dev/nbd 262144

for device in ram0 mapper/linear; do
	disk=$device
	[ "$device" = ram0 ] || disk=$(dm_disk linear)
	begin "$disk"
	succeeds "$device: fio" fio_quiet --filename=/dev/$device --direct=1 --rw=randrw --bsrange=4k-64k \
		--ioengine=libaio --iodepth=8 --number_ios=1000 --size=32m
	delta "$disk"
	like_fio "$device"
	# brd does not use the kernel's accounting.
	[ "$device" = ram0 ] || like_kernel "$device"
	is "$device: the wait queue stays empty" "$d_wlentime" 0
	is "$device: durations add up to the run queue's integral" \
		$((d_duration_read_ns + d_duration_write_ns)) "$d_rlentime"
	balanced "$device" "$disk"
done

# The disk below dm-linear records the same I/O.
begin nbd
fio_quiet --filename=/dev/mapper/linear --direct=1 --rw=randread --bs=8k --number_ios=500 --size=32m
delta nbd
is "dm: reads of the disk below" "$d_operations_read" 500
is "dm: bytes of the disk below" "$d_bytes_read" $((500 * 8192))
succeeds "dm: remove" dmsetup remove linear
remove_null_blk_disk nbd
rmmod brd
nothing_lost "bio"
