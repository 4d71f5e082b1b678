# SPDX-License-Identifier: GPL-2.0
# Disks are added and removed.

control=/sys/class/misc/iostat
generation=$(cat $control/generation)
numdevs=$(cat $control/numdevs)
make_null_blk_disk nbx size=64
is "arrival: number of accounts" "$(cat $control/numdevs)" $((numdevs + 1))
is "arrival: generation" "$(cat $control/generation)" $((generation + 1))
number=$(cat /sys/block/nbx/iostat/devstat/device_number)
remove_null_blk_disk nbx
is "departure: number of accounts" "$(cat $control/numdevs)" "$numdevs"
is "departure: generation" "$(cat $control/generation)" $((generation + 2))
make_null_blk_disk nbx size=64
again=$(cat /sys/block/nbx/iostat/devstat/device_number)
holds "return: a new entry" "again > number"
is "return: starts from zero" "$(cat /sys/block/nbx/iostat/devstat/bytes_write)" 0
is "identity: diskseq of the kernel" "$(cat /sys/block/nbx/iostat/devstat/diskseq)" \
	"$(cat /sys/block/nbx/diskseq)"

is "identity: device number" "$(awk '$1 == "nbx" { print $3; exit }' /dev/iostat)" "$(cat /sys/block/nbx/dev)"

# Removed in the middle of I/O, with readers of every file.
(while :; do cat /sys/block/nbx/iostat/*/* /sys/block/nbx/iostat/stat /dev/iostat; done) \
	>/dev/null 2>&1 &
reader=$!
for round in 1 2 3 4 5; do
	[ "$round" = 1 ] || make_null_blk_disk nbx size=64 irqmode=2 completion_nsec=2000000
	fio --disk_util=0 --name=job --filename=/dev/nbx --direct=1 --rw=randrw --bs=4k --ioengine=libaio \
		--iodepth=64 --time_based --runtime=20 --size=32m >/dev/null 2>&1 &
	fio=$!
	at_work nbx
	remove_null_blk_disk nbx
	wait $fio
done
kill $reader
wait $reader 2>/dev/null
is "hot removal: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "hot removal: no I/O left in the table" "$(cat $control/tracked)" 0

for round in $(seq 20); do
	make_null_blk_disk nbx size=16 && remove_null_blk_disk nbx
done
is "churn: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "churn: lines of the list" "$(disk_table | wc -l)" "$numdevs"

# Types and order: arrays before disks, each in order of arrival.
modprobe raid0
make_null_blk_disk nbm size=64
make_null_blk_disk nbn size=64
succeeds "array: mdadm" mdadm --build /dev/md7 --level=0 --raid-devices=2 --chunk=64 /dev/nbm /dev/nbn
type_of()
{
	cat "/sys/block/$1/iostat/devstat/device_type" "/sys/block/$1/iostat/devstat/priority" | xargs
}
is "type: an array" "$(type_of md7)" "0x3c 0x120"
is "type: no flag for a missing feature" "$(cat /sys/block/nbm/iostat/devstat/flags)" 0x0
is "type: null_blk" "$(type_of nbm)" "0x30 0x110"
is "type: virtio" "$(type_of vda)" "0x30 0x110"
is "order: by priority, high to low" "$(disk_table | awk '{ print $5 }' | sort -c -rn 2>&1)" ""
is "order: the array is first" "$(disk_table | awk 'NR == 1 { print $1 }')" md7
is "order: then by arrival" "$(disk_table | awk '$5 == 272 { print $2 }' | sort -c -n 2>&1)" ""
head -c 4096 /dev/md7 >/dev/null # the first open looks for partitions
begin md7
fio_quiet --filename=/dev/md7 --direct=1 --rw=randrw --bs=4k --number_ios=300 --size=32m
delta md7
like_fio "array"
balanced "array" md7
mdadm --stop /dev/md7 2>/dev/null
remove_null_blk_disk nbm
remove_null_blk_disk nbn
