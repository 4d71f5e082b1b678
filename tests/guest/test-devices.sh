# SPDX-License-Identifier: GPL-2.0
# Disks come and go.

control=/sys/class/misc/iostat
generation=$(cat $control/generation)
numdevs=$(cat $control/numdevs)
make_null_blk_disk nbx size=64
is "arrival: one more" "$(cat $control/numdevs)" $((numdevs + 1))
is "arrival: generation" "$(cat $control/generation)" $((generation + 1))
number=$(cat /sys/block/nbx/iostat/devstat/device_number)
remove_null_blk_disk nbx
is "departure: one less" "$(cat $control/numdevs)" "$numdevs"
is "departure: generation" "$(cat $control/generation)" $((generation + 2))
make_null_blk_disk nbx size=64
again=$(cat /sys/block/nbx/iostat/devstat/device_number)
holds "a disk that returns is a new entry" "again > number"
is "and starts from zero" "$(cat /sys/block/nbx/iostat/devstat/bytes_write)" 0
is "its identity is the kernel's" "$(cat /sys/block/nbx/iostat/devstat/diskseq)" \
	"$(cat /sys/block/nbx/diskseq)"

is "and its device number" "$(awk '$1 == "nbx" { print $3; exit }' /dev/iostat)" "$(cat /sys/block/nbx/dev)"

# Gone in the middle of I/O, with readers in every file.
(while :; do cat /sys/block/nbx/iostat/*/* /sys/block/nbx/iostat/stat /dev/iostat; done) \
	>/dev/null 2>&1 &
reader=$!
for round in 1 2 3 4 5; do
	[ "$round" = 1 ] || make_null_blk_disk nbx size=64 irqmode=2 completion_nsec=2000000
	fio --name=job --filename=/dev/nbx --direct=1 --rw=randrw --bs=4k --ioengine=libaio \
		--iodepth=64 --time_based --runtime=20 --size=32m >/dev/null 2>&1 &
	fio=$!
	sleep 0.5
	remove_null_blk_disk nbx
	wait $fio
done
kill $reader
wait $reader 2>/dev/null
is "hot removal: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "hot removal: nothing left in the table" "$(cat $control/tracked)" 0

for round in $(seq 20); do
	make_null_blk_disk nbx size=16 && remove_null_blk_disk nbx
done
is "churn: all accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "churn: the list agrees" "$(awk 'NF == 0 { exit } NR > 2' /dev/iostat | wc -l)" "$numdevs"
