# SPDX-License-Identifier: GPL-2.0
# NVMe: a hardware queue for each CPU, polling, passed-through commands; and a namespace with two
# paths, whose disk takes bios and passes them on as they are. The guest is booted with
# --nvme, --paths and nvme.poll_queues=1.

both="--numjobs=2 --group_reporting --cpus_allowed=0,1 --cpus_allowed_policy=split"
mix="--rw=randrw --bsrange=4k-64k --number_ios=500 --size=64m --ioengine=io_uring --iodepth=8"

# Which of them is found first is chance.
for try in $(seq 50); do
	paths=(/sys/block/nvme*c*n1)
	[ "${#paths[@]}" != 2 ] || [ "$(echo /sys/block/nvme?n1 | wc -w)" != 2 ] || break
	sleep 0.1
done
paths=("${paths[@]##*/}")
head=${paths[0]/c[0-9]/}
nvme=$(cd /sys/block && echo nvme?n1)
nvme=${nvme/$head/}
nvme=${nvme// /}
policy=/sys/class/nvme-subsystem/nvme-subsys${head:4:1}/iopolicy

is "nvme: two hardware queues, and one that is polled" "$(ls /sys/block/$nvme/mq | wc -l)" 3
exact "nvme" $nvme $mix $both
like_kernel "nvme"
holds "nvme: busy no longer than it was" "d_busy_time_ns <= d_snaptime"
holds "nvme: several at a time" "d_rtime < d_rlentime"
exact "nvme polled" $nvme $mix $both --hipri
like_kernel "nvme polled"

begin $nvme
fio_quiet --filename=/dev/$nvme --direct=1 --rw=randwrite --bs=4k --number_ios=50 --size=16m --fsync=1
succeeds "nvme: discard" blkdiscard -o 0 -l 8M /dev/$nvme
succeeds "nvme: zeroes" blkdiscard -z -o 8M -l 1M /dev/$nvme
delta $nvme
like_kernel "nvme flush, discard, zeroes"
is "nvme: bytes freed" "$d_bytes_free" $((8 << 20))
is "nvme: bytes written, and zeroes" "$d_bytes_write" $((50 * 4096 + (1 << 20)))
holds "nvme: a flush for each write but the last" "d_operations_none >= 49"
is "nvme: flushes are ordered" "$d_tag_ordered" "$d_operations_none"
balanced "nvme flush, discard, zeroes" $nvme

# Passed through: to the namespace's disk; the admin queue is no disk's.
begin $nvme
for try in 1 2 3 4 5; do
	succeeds "nvme passthrough: read" nvme io-passthru /dev/$nvme --opcode=2 --namespace-id=1 \
		--data-len=4096 --read --cdw10=0 --cdw12=7 --raw-binary
	succeeds "nvme passthrough: flush" nvme io-passthru /dev/$nvme --opcode=0 --namespace-id=1
	succeeds "nvme passthrough: identify" nvme admin-passthru /dev/$nvme --opcode=6 \
		--data-len=4096 --read --cdw10=1 --raw-binary
done
delta $nvme
is "nvme passthrough: no reads" "$d_operations_read" 0
is "nvme passthrough: operations of no class" "$d_operations_none" 10
is "nvme passthrough: with their bytes" "$d_bytes_none" $((5 * 4096))
balanced "nvme passthrough" $nvme

# driver_of NODE [DISK]: what the start of a read says, or that of the disk below which it goes to.
driver_of()
{
	: >$TRACING/trace
	echo 1 >$TRACING/options/fields
	echo 1 >$TRACING/events/io/start/enable
	dd if=/dev/$1 of=/dev/null bs=4k count=1 iflag=direct status=none
	echo 0 >$TRACING/events/io/start/enable
	sed -n "s/.* dev_name=\([^ ]*\) dev_statname=${2:-$1} .*/\1/p" $TRACING/trace | sort -u
	echo 0 >$TRACING/options/fields
}
is "nvme: dev_name" "$(driver_of $nvme)" nvme
is "multipath: dev_name" "$(driver_of $head)" nvme
is "multipath: dev_name of a path" "$(driver_of $head "${head/n1/c[0-9]n1}")" nvme

# Two paths.
is "multipath: two paths" "${#paths[@]}" 2

# on_both NAME FIO-ARGUMENT...: the disk has what fio has, and its paths have it together.
on_both()
{
	local name="multipath $1" file class before=() now=()
	shift
	for file in bytes_read bytes_write; do
		before+=("$(sum_of devstat/$file "${paths[@]}")")
	done
	exact "$name" $head "$@"
	for file in bytes_read bytes_write; do
		now+=("$(sum_of devstat/$file "${paths[@]}")")
	done
	is "$name: the paths have the bytes read" $((now[0] - before[0])) "$d_bytes_read"
	is "$name: the paths have the bytes written" $((now[1] - before[1])) "$d_bytes_write"
	for path in "${paths[@]}"; do
		balanced "$name: $path" "$path"
	done
}

for way in numa round-robin; do
	echo $way >$policy
	first=$(sum_of devstat/end_count "${paths[0]}")
	second=$(sum_of devstat/end_count "${paths[1]}")
	on_both "$way" $mix $both
	first=$(($(sum_of devstat/end_count "${paths[0]}") - first))
	second=$(($(sum_of devstat/end_count "${paths[1]}") - second))
	if [ $way = numa ]; then
		is "multipath numa: all on one path" $((first * second)) 0
	else
		# Each CPU takes turns without the other.
		holds "multipath round-robin: about half on either path" "first > 400 && second > 400"
	fi
	like_kernel "multipath $way"
	on_both "$way, polled" $mix --hipri
	on_both "$way, O_DSYNC" --rw=randwrite --bs=4k --sync=dsync --number_ios=50 --size=16m
	is "multipath $way: a flush for each, of no class" "$d_operations_none" 50
done

# Bios that become one request of a path.
echo numa >$policy
echo 0 >/sys/block/${paths[0]}/queue/nomerges
echo 0 >/sys/block/${paths[1]}/queue/nomerges
requests=$(sum_of devstat/operations_write "${paths[@]}")
on_both "merged" --rw=write --bs=4k --number_ios=2048 --size=32m --ioengine=io_uring --iodepth=64 \
	--iodepth_batch_submit=32 --iodepth_batch_complete_min=32
requests=$(($(sum_of devstat/operations_write "${paths[@]}") - requests))
is "multipath merged: one transaction for each bio" "$d_operations_write" 2048
holds "multipath merged: fewer requests" "requests < 2048"

# A sector that cannot be read.
begin $head
refuses "multipath: a read that fails" dd if=/dev/$head of=/dev/null iflag=direct bs=64k skip=1024 count=1
delta $head
is "multipath: is an operation of no bytes" "$d_operations_read $d_bytes_read" "1 0"
balanced "multipath error" $head

# A path goes in the middle of I/O: what it had is done by the other.
echo round-robin >$policy
begin $head
fio_quiet --filename=/dev/$head --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
	--time_based --runtime=3 --size=32m &
fio=$!
sleep 1.5
echo 1 >/sys/block/${paths[1]}/device/device/remove
succeeds "multipath: no I/O fails when a path goes" wait $fio
delta $head
like_fio "multipath: a path less"
is "multipath: one path is left" "$(echo /sys/block/nvme*c*n1)" "/sys/block/${paths[0]}"
balanced "multipath: a path less" $head

# And then the other: now I/O fails, and the disk goes.
fio_quiet --filename=/dev/$head --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
	--time_based --runtime=20 --size=32m >/dev/null &
fio=$!
sleep 1
echo 1 >/sys/block/${paths[0]}/device/device/remove
refuses "multipath: I/O fails when the last path goes" wait $fio
for try in $(seq 50); do
	[ -d /sys/block/$head ] || break
	sleep 0.1
done
is "multipath: no disk is left" "$(echo /sys/block/nvme*)" /sys/block/$nvme
is "multipath: nor an account" "$(cat /sys/class/misc/iostat/numdevs)" "$(ls /sys/block | wc -l)"
is "multipath: nothing left in the table" "$(cat /sys/class/misc/iostat/tracked)" 0
nothing_lost "nvme"
is "nvme: the kernel has nothing to say" "$(dmesg | grep -cE 'BUG|WARNING|Oops')" 0
