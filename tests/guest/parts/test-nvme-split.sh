# SPDX-License-Identifier: GPL-2.0
# The multipath disk of nvme splits a bio, of which the last part ends first; and its accounts by cgroup. The path is slow
# for the first 16 KiB, by the target loop of nvme.

. /payload/nvme-loop.sh
cgroups=/sys/fs/cgroup
mkdir -p $cgroups
grep -q " $cgroups " /proc/mounts || mount -t cgroup2 none $cgroups
echo +io >$cgroups/cgroup.subtree_control || fail "nvme-split: no controller"

make_null_blk_disk nbs size=64 memory_backed=1
dmsetup create mpbad --table "0 32 error" && dmsetup mknodes mpbad
# first DEVICE: makes the first part of the disk that device, 400 ms late. dm-delay counts from the last tick, which a busy
# host delays: the time of an I/O is compared with 300 ms.
first()
{
	dmsetup suspend mpslow 2>/dev/null
	printf '0 32 delay %s 0 400\n32 131040 linear /dev/nbs 32\n' "$1" | dmsetup "$2" mpslow && dmsetup resume mpslow
}
first /dev/nbs create || fail "nvme-split: dm-delay"
dmsetup mknodes mpslow
succeeds "nvme-split: connect" nvme_loop_connect split /dev/mapper/mpslow
echo 16 >"/sys/block/$head/queue/max_sectors_kb"
retries=$(cat /sys/module/nvme_core/parameters/max_retries)
echo 0 >/sys/module/nvme_core/parameters/max_retries

# The three parts end in the order 2, 3, 1.
begin "$head"
succeeds "nvme-split: a read" dd if="/dev/$head" of=/dev/null iflag=direct bs=48k count=1 status=none
delta "$head"
is "nvme-split: one operation" "$d_operations_read $d_bytes_read" "1 49152"
holds "nvme-split: it lasts as long as its slowest part ($d_duration_read_ns ns)" "d_duration_read_ns >= 300000000"
holds "nvme-split: and is in service as long" "d_rlentime >= 300000000"
balanced "nvme-split" "$head"
is "nvme-split: splits" "$(($(cat "/sys/block/$head/iostat/events/splits")))" 2

# The part that ends last fails.
first /dev/mapper/mpbad load || fail "nvme-split: an error target"
begin "$head"
refuses "nvme-split: a read of which the part that ends last fails" \
	dd if="/dev/$head" of=/dev/null iflag=direct bs=48k count=1 status=none
delta "$head"
is "nvme-split: an operation without bytes" "$d_operations_read $d_bytes_read" "1 0"
holds "nvme-split: failed, it lasts as long" "d_duration_read_ns >= 300000000"
balanced "nvme-split: failed" "$head"
# All parts, in any order, many at a time.
first /dev/nbs load || fail "nvme-split: without the error target"
exact "nvme-split: many" "$head" --rw=randrw --bsrange=4k-256k --number_ios=300 --size=32m --offset=64k --ioengine=libaio --iodepth=16
is "nvme-split: no I/O in the table" "$(cat /sys/class/misc/iostat/tracked)" 0

# Each disk has the operations that were submitted to it, and each bio once.
mkdir $cgroups/split
succeeds "nvme-split: accounts by cgroup" send "@cgroups on"
sh -c "echo \$\$ >$cgroups/split/cgroup.procs; exec dd if=/dev/$head of=/dev/null iflag=direct bs=8k skip=8 count=10 status=none"
for disk in "$head" "$path"; do
	wait_idle "$disk"
	is "nvme-split: the cgroup's I/Os, bytes and operations of ${disk/#$path/the path}" \
		"$( (open_iostat 7 && echo "@cgroups_list $disk" >&7; cat <&7) | awk -v id="$(stat -c %i $cgroups/split)" \
			'$3 == id && $4 == "read" { print $5, $6, $7 }')" "10 81920 10"
done
succeeds "nvme-split: accounts off" send "@cgroups off"
rmdir $cgroups/split

echo "$retries" >/sys/module/nvme_core/parameters/max_retries
succeeds "nvme-split: disconnect" nvme_loop_disconnect split
dmsetup remove mpslow
dmsetup remove mpbad
remove_null_blk_disk nbs
