# SPDX-License-Identifier: GPL-2.0
# Stacked disks: each records what was submitted to it, and the disks below record what it submits.

# Not io_uring, which submits bios with REQ_NOWAIT: a bio that would have to be split fails and is
# submitted again.
mix="--rw=randrw --bsrange=4k-64k --number_ios=500 --size=64m --ioengine=libaio --iodepth=8"
small=${mix/4k-64k/4k-4k}
make_null_blk_disk nba size=128 irqmode=2 completion_nsec=20000 memory_backed=1 submit_queues=2
make_null_blk_disk nbb size=128 irqmode=2 completion_nsec=20000 memory_backed=1 submit_queues=2
legs=(nba nbb)
for leg in "${legs[@]}"; do
	echo 2 >/sys/block/$leg/queue/nomerges
done

# exact_above NAME DISK FIO-ARGUMENT...: exact, and the sums of both disks below.
exact_above()
{
	local column
	for column in operations_read operations_write bytes_read bytes_write; do
		printf -v "before_$column" %s "$(sum_of devstat/$column "${legs[@]}")"
	done
	exact "$@"
	for column in operations_read operations_write bytes_read bytes_write; do
		before=before_$column
		printf -v "l_$column" %s $(($(sum_of devstat/$column "${legs[@]}") - ${!before}))
	done
	for leg in "${legs[@]}"; do
		balanced "$1: $leg" $leg
	done
}

# dm_table NAME TABLE...: creates a device-mapper disk and sets disk.
dm_table()
{
	dmsetup create "$1" --table "$2" && disk=$(dm_disk "$1") || fail "dm: $1"
}

dm_table striped "0 262144 striped 2 128 /dev/nba 0 /dev/nbb 0"
exact_above "dm-stripe" "$disk" $mix
is "dm-stripe: bytes of both disks below" "$l_bytes_read $l_bytes_write" "$d_bytes_read $d_bytes_write"
exact_above "dm-stripe 4k" "$disk" $small
is "dm-stripe: operations of both disks below, without splits" "$l_operations_read $l_operations_write" \
	"$d_operations_read $d_operations_write"
like_kernel "dm-stripe 4k"
begin nba
fio_quiet --filename=/dev/$disk --direct=1 --rw=write --bs=128k --number_ios=100 --size=64m
delta nba
is "dm-stripe: half of each write on one disk" "$d_operations_write $d_bytes_write" "100 $((100 * 65536))"
dmsetup remove striped

# fio_fastest: prints the minimal latency of fio's reads, in ns.
fio_fastest()
{
	awk '$1 == "\"lat_ns\"" { inside = 1 } inside && $1 == "\"min\"" { print $3 + 0; exit }' /tmp/fio.json
}

# The delay is time at the device: at least half of 20 ms, as it is made of ticks of 4 ms, which may come
# late.
dm_table delay "0 262144 delay /dev/nba 0 20"
exact_above "dm-delay" "$disk" --rw=randread --bs=4k --number_ios=100 --size=64m --ioengine=libaio --iodepth=4
like_kernel "dm-delay"
read -r h_count h_min h_max h_buckets < <(latency_of "$disk" read_service)
holds "dm-delay: min is at most fio's" "h_min <= $(fio_fastest)"
holds "dm-delay: sum of the delays" "d_rlentime >= 100 * 10000000"
holds "dm-delay: four at a time" "4 * d_rtime >= d_rlentime"
is "dm-delay: each read once on the disk below" "$l_operations_read $l_bytes_read" "100 409600"
dmsetup remove delay

# dm-error: half of the disk fails all I/O, which does not reach the disk below.
dm_table broken "$(printf '0 131072 linear /dev/nba 0\n131072 131072 error')"
exact_above "dm-error, the good half" "$disk" $mix --size=64m
begin "$disk"
for try in 1 2 3; do
	refuses "dm-error: a write fails" dd if=/dev/zero of="/dev/$disk" oflag=direct bs=4k seek=20000 count=1
done
refuses "dm-error: half of a write fails" dd if=/dev/zero of="/dev/$disk" oflag=direct bs=64k seek=1023 count=2
delta "$disk"
is "dm-error: all operations, bytes of the one that succeeded" "$d_operations_write $d_bytes_write" "5 65536"
balanced "dm-error" "$disk"
dmsetup remove broken

# raid0: like stripes. raid1: writes to both disks, reads from one.
modprobe raid0
modprobe raid1
succeeds "raid0: built" mdadm --build /dev/md7 --level=0 --raid-devices=2 --chunk=64 /dev/nba /dev/nbb
head -c 4096 /dev/md7 >/dev/null # the first open looks for partitions
exact_above "raid0" md7 $mix
is "raid0: bytes of both disks below" "$l_bytes_read $l_bytes_write" "$d_bytes_read $d_bytes_write"
exact_above "raid0 4k" md7 $small
is "raid0: operations of both disks below, without splits" "$l_operations_read $l_operations_write" \
	"$d_operations_read $d_operations_write"
# Failed REQ_NOWAIT bios are operations without bytes.
begin md7
fio_quiet --filename=/dev/md7 --direct=1 ${mix/libaio/io_uring}
delta md7
bytes_like_fio "raid0 io_uring"
holds "raid0 io_uring: bios to be split are submitted twice" \
	"d_operations_read + d_operations_write > $(fio_value read total_ios) + $(fio_value write total_ios)"
balanced "raid0 io_uring" md7
mdadm --quiet --stop /dev/md7
succeeds "raid1: built" mdadm --build /dev/md7 --level=1 --raid-devices=2 --assume-clean /dev/nba /dev/nbb
head -c 4096 /dev/md7 >/dev/null
exact_above "raid1" md7 $mix
is "raid1: both disks below have every byte written" "$l_bytes_write" $((2 * d_bytes_write))
is "raid1: both disks below have every write" "$l_operations_write" $((2 * d_operations_write))
is "raid1: one disk below has each byte read" "$l_bytes_read" "$d_bytes_read"
exact_above "raid1, writes" md7 --rw=write --bs=16k --number_ios=200 --size=64m
is "raid1, writes: each on both disks below" "$l_operations_write $l_bytes_write" "400 $((400 * 16384))"
mdadm --quiet --stop /dev/md7

# loop: on a disk and on a file, buffered and direct. It splits and merges none of this load; buffered,
# it writes to the disk below later.
loop_on()
{
	local disk
	disk=$(losetup --show -f --direct-io=$2 "$3") || { fail "loop $1: no disk"; return; }
	disk=${disk#/dev/}
	head -c 4096 "/dev/$disk" >/dev/null
	exact_above "loop $1" "$disk" $mix
	like_kernel "loop $1"
	if [ "$1" = "on a disk, direct" ]; then
		is "loop $1: the disk below has the bytes" "$l_bytes_read $l_bytes_write" \
			"$d_bytes_read $d_bytes_write"
	fi
	begin "$disk"
	succeeds "loop $1: zeroes" blkdiscard -z -l 1M "/dev/$disk"
	delta "$disk"
	is "loop $1: bytes of zeroes" "$d_bytes_write" $((1 << 20))
	balanced "loop $1: zeroes" "$disk"
	losetup -d "/dev/$disk"
}
modprobe loop
truncate -s 64M /tmp/loop
loop_on "on a disk, direct" on /dev/nba
# The page cache is written to the disk below at any time.
legs=()
loop_on "on a disk, cached" off /dev/nba
loop_on "on tmpfs" off /tmp/loop
rm /tmp/loop
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/nba && mount /dev/nba /mnt && truncate -s 64M /mnt/loop || fail "loop: ext4"
loop_on "on ext4" on /mnt/loop
umount /mnt
balanced "loop on ext4: the disk below" nba
remove_null_blk_disk nba
remove_null_blk_disk nbb

# A flush is a bio without data.
make_null_blk_disk nbf size=64 memory_backed=1 cache_size=1
dm_table flushed "0 131072 linear /dev/nbf 0"
begin "$disk"
succeeds "dm flushes: fio" fio_quiet --filename="/dev/$disk" --direct=1 --rw=write --bs=4k --number_ios=20 --size=1m --fsync=1
delta "$disk"
is "dm flushes: one for each fsync, of class none" "$d_operations_none" "$(cat "/sys/block/$disk/iostat/events/flushes")"
holds "dm flushes: at least one after each write" "d_operations_none >= 19"
balanced "dm flushes" "$disk"
dmsetup remove flushed
remove_null_blk_disk nbf

# zram: completes an I/O when it is submitted.
modprobe zram num_devices=1
echo 64M >/sys/block/zram0/disksize
exact "zram" zram0 $mix --size=32m
like_kernel "zram"
is "zram: the wait queue stays empty" "$d_wlentime" 0
begin zram0
succeeds "zram: discard" blkdiscard -o 1M -l 4M /dev/zram0
delta zram0
is "zram: bytes freed" "$d_bytes_free" $((4 << 20))
balanced "zram: discard" zram0
rmmod zram
nothing_lost "stacked"
