# SPDX-License-Identifier: GPL-2.0
# The multipath disk of nvme splits a bio, of which the last part ends first; and its accounts by cgroup. The path is slow
# for the first 16 KiB, by the target loop of nvme.

cgroups=/sys/fs/cgroup
mkdir -p $cgroups
grep -q " $cgroups " /proc/mounts || mount -t cgroup2 none $cgroups
echo +io >$cgroups/cgroup.subtree_control || fail "nvme-split: no controller"

make_null_blk_disk nbs size=64 memory_backed=1
dmsetup create mpbad --table "0 32 error" && dmsetup mknodes mpbad
# first DEVICE: makes the first part of the disk that device, 300 ms late.
first()
{
	dmsetup suspend mpslow 2>/dev/null
	printf '0 32 delay %s 0 300\n32 131040 linear /dev/nbs 32\n' "$1" | dmsetup "$2" mpslow && dmsetup resume mpslow
}
first /dev/nbs create || fail "nvme-split: dm-delay"
dmsetup mknodes mpslow
modprobe nvme-loop && modprobe nvmet || fail "nvme-split: nvme-loop"
nvmet=/sys/kernel/config/nvmet
mkdir $nvmet/subsystems/split $nvmet/ports/78
echo 1 >$nvmet/subsystems/split/attr_allow_any_host
mkdir $nvmet/subsystems/split/namespaces/1
echo -n /dev/mapper/mpslow >$nvmet/subsystems/split/namespaces/1/device_path
echo 1 >$nvmet/subsystems/split/namespaces/1/enable
echo loop >$nvmet/ports/78/addr_trtype
ln -s $nvmet/subsystems/split $nvmet/ports/78/subsystems/split
known=" $(echo /sys/block/nvme*) "
succeeds "nvme-split: connect" nvme connect -t loop -n split
head='' path=''
for try in $(seq 50); do
	for dir in /sys/block/nvme*; do
		case "$known" in
		*" $dir "*) continue ;;
		esac
		case ${dir##*/} in
		nvme*c*n1) path=${dir##*/} ;;
		*) head=${dir##*/} ;;
		esac
	done
	[ -z "$head" ] || [ -z "$path" ] || [ ! -b "/dev/$head" ] || break
	sleep 0.1
done
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
succeeds "nvme-split: disconnect" nvme disconnect -n split
rm $nvmet/ports/78/subsystems/split
rmdir $nvmet/ports/78 $nvmet/subsystems/split/namespaces/1 $nvmet/subsystems/split
modprobe -r nvme-loop nvmet
dmsetup remove mpslow
dmsetup remove mpbad
remove_null_blk_disk nbs
no_complaint nvme-split
