# SPDX-License-Identifier: GPL-2.0
# NVMe: a hardware queue for each CPU, polling, passthrough commands; and a namespace with two paths,
# whose disk takes bios and passes them on unchanged. The guest is booted with --nvme, --paths and
# nvme.poll_queues=1.

both="--numjobs=2 --group_reporting --cpus_allowed=0,1 --cpus_allowed_policy=split"
mix="--rw=randrw --bsrange=4k-64k --number_ios=500 --size=64m --ioengine=io_uring --iodepth=8"

# The controllers are found in any order.
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

is "nvme: two hardware queues and a polled one" "$(ls /sys/block/$nvme/mq | wc -l)" 3
exact "nvme" $nvme $mix $both
like_kernel "nvme"
holds "nvme: busy time at most the elapsed time" "d_busy_time_ns <= d_snaptime"
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
is "nvme: bytes written and zeroed" "$d_bytes_write" $((50 * 4096 + (1 << 20)))
holds "nvme: a flush for each write but the last" "d_operations_none >= 49"
is "nvme: flushes are ordered" "$d_tag_ordered" "$d_operations_none"
balanced "nvme flush, discard, zeroes" $nvme

# Passthrough to the namespace's disk. Commands on the admin queue belong to no disk.
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
is "nvme passthrough: operations of class none" "$d_operations_none" 10
is "nvme passthrough: bytes of class none" "$d_bytes_none" $((5 * 4096))
balanced "nvme passthrough" $nvme

# driver_of NODE [DISK]: prints dev_name in the start of a read of NODE, or of the DISK below it.
driver_of()
{
	: >$TRACING/trace
	echo 1 >$TRACING/options/fields
	echo 1 >$TRACING/events/io/start/enable
	dd if=/dev/$1 of=/dev/null bs=4k count=1 iflag=direct status=none
	echo 0 >$TRACING/events/io/start/enable
	sed -n "/ dev_statname=${2:-$1} /s/.* dev_name=\([^ ]*\).*/\1/p" $TRACING/trace | sort -u
	echo 0 >$TRACING/options/fields
}
is "nvme: dev_name" "$(driver_of $nvme)" nvme
is "multipath: dev_name" "$(driver_of $head)" nvme
is "multipath: dev_name of a path" "$(driver_of $head "${head/n1/c[0-9]n1}")" nvme

# Two paths.
is "multipath: two paths" "${#paths[@]}" 2

# on_both NAME FIO-ARGUMENT...: the disk has fio's counts, and so have its paths together.
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
		# Each CPU alternates between the paths on its own.
		holds "multipath round-robin: about half on either path" "first > 400 && second > 400"
	fi
	like_kernel "multipath $way"
	on_both "$way, polled" $mix --hipri
	on_both "$way, O_DSYNC" --rw=randwrite --bs=4k --sync=dsync --number_ios=50 --size=16m
	is "multipath $way: one flush each, of class none" "$d_operations_none" 50
done

# Bios that are merged into one request of a path.
echo numa >$policy
echo 0 >/sys/block/${paths[0]}/queue/nomerges
echo 0 >/sys/block/${paths[1]}/queue/nomerges
requests=$(sum_of devstat/operations_write "${paths[@]}")
on_both "merged" --rw=write --bs=4k --number_ios=2048 --size=32m --ioengine=io_uring --iodepth=64 \
	--iodepth_batch_submit=32 --iodepth_batch_complete_min=32
requests=$(($(sum_of devstat/operations_write "${paths[@]}") - requests))
is "multipath merged: one transaction for each bio" "$d_operations_write" 2048
holds "multipath merged: fewer requests" "requests < 2048"

# An unreadable sector.
begin $head
refuses "multipath: a read that fails" dd if=/dev/$head of=/dev/null iflag=direct bs=64k skip=1024 count=1
delta $head
is "multipath: a failed read is an operation without bytes" "$d_operations_read $d_bytes_read" "1 0"
balanced "multipath error" $head

# A bio that the multipath disk splits into 64 parts, of which the first one has that sector. It ends with its last part,
# which succeeds, long after the first has failed.
echo 16 >/sys/block/$head/queue/max_sectors_kb
retries=$(cat /sys/module/nvme_core/parameters/max_retries)
echo 0 >/sys/module/nvme_core/parameters/max_retries
begin $head
refuses "multipath: a read whose first part fails" dd if=/dev/$head of=/dev/null iflag=direct bs=1M skip=64 count=1
delta $head
is "multipath: the status of a part is that of the bio" "$d_operations_read $d_bytes_read" "1 0"
echo "$retries" >/sys/module/nvme_core/parameters/max_retries
balanced "multipath error of a part" $head

# A path is removed in the middle of I/O: the other path completes it.
echo round-robin >$policy
begin $head
fio_quiet --filename=/dev/$head --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
	--time_based --runtime=3 --size=32m &
fio=$!
at_work ${paths[1]}
echo 1 >/sys/block/${paths[1]}/device/device/remove
succeeds "multipath: no I/O fails when a path is removed" wait $fio
delta $head
like_fio "multipath: a path less"
is "multipath: one path is left" "$(echo /sys/block/nvme*c*n1)" "/sys/block/${paths[0]}"
balanced "multipath: a path less" $head

# The other path is removed as well: I/O fails, and the disk is removed.
fio_quiet --filename=/dev/$head --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
	--time_based --runtime=20 --size=32m >/dev/null &
fio=$!
at_work ${paths[0]}
echo 1 >/sys/block/${paths[0]}/device/device/remove
refuses "multipath: I/O fails when the last path is removed" wait $fio
for try in $(seq 50); do
	[ -d /sys/block/$head ] || break
	sleep 0.1
done
is "multipath: no disk is left" "$(echo /sys/block/nvme*)" /sys/block/$nvme
is "multipath: all accounts closed" "$(cat /sys/class/misc/iostat/numdevs)" "$(ls /sys/block | wc -l)"
is "multipath: no I/O left in the table" "$(cat /sys/class/misc/iostat/tracked)" 0
nothing_lost "nvme"
