# SPDX-License-Identifier: GPL-2.0
# Slow I/Os: which of them a disk keeps, what is known of them, and who may see it.

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
unload_module
for ns in 0 9223372036854775809 18446744073709551616 -1 x; do
	refuses "slow: a threshold of $ns: refused" load_module slow_threshold_ns=$ns
done
load_module
is "slow: the threshold unless another is given" "$(cat /sys/class/misc/iostat/slow_threshold_ns)" 500000000
reload slow_threshold_ns=300000000
is "slow: the threshold of the parameter" "$(cat /sys/class/misc/iostat/slow_threshold_ns)" 300000000

# slow [DISK]: prints the slow I/Os without the heading.
slow()
{
	reply "@slow $*" | sed 1d
}

# what [DISK]: the device, error, operation, sector, bytes and comm of each, the oldest first.
what()
{
	slow "$@" | tac | cut -d' ' -f1,6,9-11,13 | paste -sd,
}

# read_at DEVICE SECTOR...: a read of 8 KiB at each of these sectors, in the background.
read_at()
{
	local device=$1 sector
	shift
	for sector; do
		dd if="$device" of=/dev/null bs=8k count=1 skip=$((sector * 512)) iflag=direct,skip_bytes status=none &
		readers+=" $!"
	done
}

event()
{
	cat "/sys/block/$1/iostat/events/$2"
}

# Each I/O takes 400 ms, but on the second disk 100 ms.
make_null_blk_disk nbs size=64 irqmode=2 completion_nsec=400000000 submit_queues=1 hw_queue_depth=4 badblocks=+4096-4103
make_null_blk_disk nbq size=64 irqmode=2 completion_nsec=100000000 submit_queues=1 hw_queue_depth=4
for disk in nbs nbq; do
	echo none >/sys/block/$disk/queue/scheduler
	wait_idle $disk
done
before=$(event nbs slow_ios)
# What the kernel has read to find partitions was slow, too.
holds "slow: reads of the kernel were counted" "before > 0"
is "slow: and kept" "$(slow nbs | wc -l)" "$before"
for round in 1 2 3; do
	readers=
	read_at /dev/nbs $((round * 16))
	read_at /dev/nbq $((round * 16))
	wait $readers
	pid=${readers# } pid=${pid% *}
	is "slow: one more, $round" "$(event nbs slow_ios)" $((before + round))
	is "slow: what it was, $round" "$(slow nbs | head -n 1 | cut -d' ' -f1,6-13)" \
		"nbs 0 0 0 read $((round * 16)) 8192 $pid dd"
	stat_of nbs
	# shellcheck disable=SC2154 # set by stat_of
	slow nbs | head -n 1 | {
		read -r _ _ end wait service _
		holds "slow: its times, $round" "wait >= 0 && 400000000 <= service && wait + service < 2000000000"
		holds "slow: its end, $round" "end <= snaptime && end > snaptime - 10000000000"
	}
done
is "slow: what was fast" "$(event nbq slow_ios) $(slow nbq)" "0 "

# Several at a time: each leaves the others in the queue. They end on one CPU: two that end at the same time on
# different CPUs may leave each other out of the count.
succeeds "slow: three reads at a time" fio_quiet --filename=/dev/nbs --rw=read --bs=8k --offset=32k --size=24k --direct=1 \
	--ioengine=libaio --iodepth=3 --cpus_allowed=0
is "slow: how many others there were" "$(slow nbs | head -n 3 | cut -d' ' -f8 | sort | paste -sd,)" 0,1,2
is "slow: their sectors" "$(slow nbs | head -n 3 | cut -d' ' -f10 | sort -n | paste -sd,)" 64,80,96
# One that fails.
refuses "slow: a read that fails" dd if=/dev/nbs of=/dev/null bs=4k count=1 skip=512 iflag=direct status=none
is "slow: how it ended" "$(slow nbs | head -n 1 | cut -d' ' -f1,6,9-11,13)" "nbs 5 read 4096 4096 dd"
# Bios of a device above it, and a write.
dm_linear upon /dev/nbs 8192
dm=$(dm_disk upon)
dd if=/dev/mapper/upon of=/dev/null bs=8k count=1 iflag=direct status=none
is "slow: a bio of a device-mapper device" "$(slow "$dm" | head -n 1 | cut -d' ' -f1,6,9-11,13)" "$dm 0 read 0 8192 dd"
is "slow: and the disk below it" "$(slow nbs | head -n 1 | cut -d' ' -f1,6,9-11)" "nbs 0 read 0 8192"
dmsetup remove upon
dd if=/dev/zero of=/dev/nbs bs=8k count=1 seek=3 oflag=direct status=none
is "slow: a write" "$(slow nbs | head -n 1 | cut -d' ' -f1,6,9-11,13)" "nbs 0 write 48 8192 dd"

# A flush sequence: the data of the write is done before its end. If the data fails, there is no flush, and no bytes are left.
# The flush of the device that dd waits for after it is a write of no bytes.
make_null_blk_disk nbw size=64 memory_backed=1 cache_size=1 fua=0 irqmode=2 completion_nsec=400000000 badblocks=+4096-4103
slow_write()
{
	slow nbw | awk '$9 == "write" && ($6 != 0 || $11 != 0)' | head -n 1
}
for sector in 2 64; do
	dd if=/dev/zero of=/dev/nbw bs=4k count=1 seek=$((sector * 512)) oflag=direct,dsync,seek_bytes conv=notrunc status=none
	is "slow: the end of a flush sequence, sector $sector" "$(slow_write | cut -d' ' -f1,6,9-11,13)" "nbw 0 write $sector 4096 dd"
	holds "slow: it waited for the flush, sector $sector" "$(slow_write | cut -d' ' -f4) >= 400000000"
done
refuses "slow: the data of a flush sequence fails" \
	dd if=/dev/zero of=/dev/nbw bs=4k count=1 seek=512 oflag=direct,dsync conv=notrunc status=none
is "slow: how it ended" "$(slow_write | cut -d' ' -f1,6,9-11,13)" "nbw 5 write 4096 0 dd"
remove_null_blk_disk nbw

# While the end of each I/O is traced as well: both are of the same instant.
: >$TRACING/trace
echo 1 >$TRACING/events/io/done/enable
readers=
read_at /dev/nbs 112
wait $readers
readers=
read_at /dev/nbs 128
wait $readers
echo 0 >$TRACING/events/io/done/enable
is "slow: while it is traced" "$(slow nbs | head -n 2 | cut -d' ' -f9-11 | paste -sd,)" "read 128 8192,read 112 8192"
is "slow: the times are those of the trace" "$(slow nbs | head -n 2 | tac | awk '{ print $10, $11, $4, $5, $12, $13 }')" \
	"$(sed -nE 's/.* done: .* dev=nbs .* blkno=([0-9]+) bcount=([0-9]+) .* wait_ns=([0-9]+) service_ns=([0-9]+) .*\bpid=([0-9]+) .* comm=([^ ]+) .*/\1 \2 \3 \4 \5 \6/p' \
		$TRACING/trace)"

# In a region of the disk, on the fast path and before.
region=$(reply "nbs @stats_create - /1")
for sector in 144 160 176; do
	readers=
	read_at /dev/nbs $sector
	wait $readers
done
is "slow: in a region: reads, sectors and in flight" \
	"$(reply "nbs @stats_print $region" | cut -d' ' -f2,4,10)" "3 48 0"
is "slow: in a region: kept as well" "$(slow nbs | head -n 3 | cut -d' ' -f10 | paste -sd,)" 176,160,144
send "nbs @stats_delete $region"

# A partition's are in the ring of the disk.
succeeds "slow: a partition is added" /payload/partition /dev/nbs 1 2048 4096
for round in general fast; do
	readers=
	read_at /dev/nbs1 16
	wait $readers
	is "slow: of a partition, $round" "$(slow nbs | head -n 1 | cut -d' ' -f1,6-11)" "nbs1 0 0 0 read 2064 8192"
done
is "slow: those of the partition" "$(what nbs1 | tr , '\n' | sort -u)" "nbs1 0 read 2064 8192 dd"
is "slow: the number of its device" "$(slow nbs1 | cut -d' ' -f2 | sort -u)" \
	"$(cat /sys/block/nbs/nbs1/iostat/devstat/device_number)"

# The cgroup.
mkdir -p /sys/fs/cgroup
grep -q ' /sys/fs/cgroup ' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/slow
sh -c 'echo $$ >/sys/fs/cgroup/slow/cgroup.procs; exec dd if=/dev/nbs of=/dev/null bs=4k count=1 iflag=direct status=none'
is "slow: its cgroup" "$(slow nbs | head -n 1 | cut -d' ' -f14)" "$(stat -c %i /sys/fs/cgroup/slow)"
rmdir /sys/fs/cgroup/slow

# The file of the disk.
is "slow: the file in sysfs" "$(cut -d' ' -f2- /sys/block/nbs/iostat/slow)" "$(reply "@slow nbs" | cut -d' ' -f2-)"
is "slow: the file in sysfs: all that are kept" "$(wc -l </sys/block/nbs/iostat/slow)" $(($(event nbs slow_ios) + 1))
is "slow: who may read it" "$(stat -c %a /sys/block/nbs/iostat/slow)" 400
refuses "slow: other users may not" $nobody cat /sys/block/nbs/iostat/slow
is "slow: the file in sysfs, root without CAP_SYS_ADMIN: times only" \
	"$(setpriv --bounding-set=-sys_admin cat /sys/block/nbs/iostat/slow | sed -n 2p | awk '{ print ($5 > 3e8), $6, $9, $10, $11, $12, $13, $14 }')" \
	"1 0 - - - - - -"
rm -f /tmp/ready
/payload/waitfile /sys/block/nbs/iostat/slow /tmp/ready &
waiter=$!
while [ ! -e /tmp/ready ]; do sleep 0.1; done
readers=
read_at /dev/nbs 16
wait $readers
succeeds "slow: the file is pollable" wait $waiter

# Other users.
is "slow: other users: times only" "$($nobody sh -c '[ -c /dev/iostat ] && exec 7<>/dev/iostat; echo "@slow nbs" >&7; cat <&7' |
	sed 1d | head -n 1 | awk '{ print $1, ($5 > 3e8), $6, $9, $10, $11, $12, $13, $14 }')" "nbs 1 0 - - - - - -"
is "slow: other users, binary" "$($nobody /payload/slow list nbs 1 | head -n 1 | cut -d' ' -f2-)" "0 0 0 0 0 0 "
is "slow: binary" "$(/payload/slow list nbs 1 | head -n 1 | cut -d' ' -f2-6)" "1 0 0 16 8192"
is "slow: binary: number and threshold" "$(/payload/slow list nbs | tail -n 1)" "$(event nbs slow_ios) 300000000"
is "slow: binary: all of them" "$(/payload/slow list nbs | sed '$d' | cut -d' ' -f5,6)" "$(slow nbs | cut -d' ' -f10,11)"
is "slow: invalid calls" "$(/payload/slow refused nbs)" ""

# What is refused.
for message in "@slow nosuch" "@slow nbs nbq" "@slow_threshold" "@slow_threshold 0" "@slow_threshold 9223372036854775809" \
	"@slow_threshold -1" "@slow_threshold 1 2" "@slow_threshold 5ms"; do
	want=EINVAL
	[ "$message" != "@slow nosuch" ] || want=ENXIO
	is "slow: $message: refused" "$(/payload/message raw - <<<"$message" | cut -d' ' -f1)" $want
done
is "slow: the reason" "$(reply "@slow_threshold 0")" "0: a threshold is a number of ns from 1 to 9223372036854775808"
is "slow: the threshold is as it was" "$(cat /sys/class/misc/iostat/slow_threshold_ns)" 300000000

# A disk that goes, with I/Os in its ring and in flight, and one of the same name.
readers=
read_at /dev/nbs 16
at_work nbs 0 1
remove_null_blk_disk nbs
wait $readers
is "slow: a disk that has gone" "$(/payload/message raw - <<<"@slow nbs")" "ENXIO nbs: there is no such disk%0a"
is "slow: none of a disk that has gone" "$(slow | grep -c '^nbs')" 0
remove_null_blk_disk nbq

# The ring turns.
make_null_blk_disk nbr size=128 irqmode=0 submit_queues=1
wait_idle nbr
before=$(event nbr slow_ios)
succeeds "slow: a threshold is set" send "@slow_threshold 1"
dd if=/dev/nbr of=/dev/null bs=4k count=$((100 - before)) iflag=direct status=none
succeeds "slow: it is set again" send "@slow_threshold 9223372036854775808"
dd if=/dev/nbr of=/dev/null bs=4k count=9 iflag=direct status=none
is "slow: each I/O was slow" "$(event nbr slow_ios)" 100
is "slow: none was dropped" "$(event nbr slow_ios_dropped)" 0
is "slow: the oldest were replaced" "$(event nbr slow_ios_replaced)" 36
is "slow: the latest are kept" "$(slow nbr | cut -d' ' -f10)" "$(seq $(((99 - before) * 8)) -8 $(((36 - before) * 8)))"
is "slow: their numbers" "$(/payload/slow list nbr | cut -d' ' -f1 | head -n 64)" "$(seq 100 -1 37)"

# It turns while it is read.
send "@slow_threshold 1"
fio --disk_util=0 --direct=1 --ioengine=libaio --iodepth=32 --time_based --runtime=1000000 --filename=/dev/nbr --thread=0 \
	--name=reads --rw=randread --bs=4k --size=64m --numjobs=$(nproc) \
	--name=writes --rw=randwrite --bs=8k --offset=64m --size=64m --numjobs=$(nproc) >/dev/null 2>&1 &
fio=$!
echo 2 >/sys/block/nbr/queue/nomerges
while [ "$(cat /sys/block/nbr/iostat/devstat/operations_write)" -lt 1000 ]; do
	sleep 0.1
done
is "slow: whole lines while it turns" "$(/payload/slow turning nbr 500)" "500 calls, 0 wrong, 1, 1"
kill $fio
wait $fio
wait_idle nbr
send "@slow_threshold 9223372036854775808"
stat_of nbr
holds "slow: each of them was counted" "$(event nbr slow_ios) > 1000 && $(event nbr slow_ios) <= start_count"
remove_null_blk_disk nbr

# More disks at a time than there are rings in advance: each is kept or counted.
for disk in 0 1 2 3 4 5 6 7; do
	make_null_blk_disk nbm$disk size=8 irqmode=2 completion_nsec=100000000
	wait_idle nbm$disk
done
send "@slow_threshold 1000"
readers=
for disk in 0 1 2 3 4 5 6 7; do
	read_at /dev/nbm$disk 0
done
wait $readers
send "@slow_threshold 9223372036854775808"
for disk in 0 1 2 3 4 5 6 7; do
	is "slow: many disks: $disk" $(($(event nbm$disk slow_ios_dropped) + $(slow nbm$disk | wc -l))) "$(event nbm$disk slow_ios)"
	holds "slow: many disks: $disk: counted" "$(event nbm$disk slow_ios) > 0"
	remove_null_blk_disk nbm$disk
done
reload
