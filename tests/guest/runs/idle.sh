# SPDX-License-Identifier: GPL-2.0
# What 500 disks with a partition each take before their first I/O. The guest has few CPUs, since an emulated machine
# with 256 of them starts too slowly; memory that each possible CPU has is counted 256 times.

. /payload/tap.sh
. /payload/balance.sh
. /payload/kernel-log.sh
. /payload/memory.sh
dmesg -n 3
control=/sys/class/misc/iostat
disks=500
most_kib=$((24 * 1024)) cpus=256
possible=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))

# load NAME: loads the module, and sets NAME_kib to what it takes with all disks there are, as if there were 256 CPUs.
load()
{
	memory before
	succeeds "idle: load: $1" load_module
	memory after
	# shellcheck disable=SC2154 # set by memory
	printf -v "$1_kib" %s $((after_all - before_all + (after_percpu - before_percpu) * (cpus - possible) / possible))
	echo "# $1: $((after_all - before_all)) KiB, of which $((after_percpu - before_percpu)) for $possible possible CPUs"
}

load alone
numdevs=$(cat $control/numdevs)
succeeds "idle: rmmod" rmmod iostat
succeeds "idle: disks" modprobe null_blk queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=2 gb=1 nr_devices=$disks
succeeds "idle: partitions" /payload/disks partition nullb $disks
load all
is "idle: disks and partitions" "$(cat $control/numdevs)" $((numdevs + 2 * disks))
is "idle: none was used" "$(cat /sys/block/nullb*/iostat/devstat/start_count \
	/sys/block/nullb*/nullb*/iostat/devstat/start_count | sort | uniq -c | tr -s ' ')" " $((2 * disks)) 0"
is "idle: none has the files of a used one" "$(ls -d /sys/block/nullb*/iostat/kstat 2>/dev/null | wc -l)" 0
# The module, its caches and the memory of CPUs that all disks share are in both.
# shellcheck disable=SC2154 # set by load
more_kib=$((all_kib - alone_kib))
echo "# the module: $alone_kib KiB; $((2 * disks)) disks and partitions: $more_kib KiB more, $((
	more_kib * 1024 / (2 * disks))) bytes each"
holds "idle: $((2 * disks)) disks and partitions take more than their pages" "more_kib > 2 * disks * 8"
holds "idle: $((2 * disks)) disks and partitions take at most 24 MiB" "more_kib <= most_kib"
succeeds "idle: use" /payload/disks use nullb $disks
succeeds "idle: the files of the last disk" all_files nullb$((disks - 1))
succeeds "idle: the files of its partition" all_files "nullb$((disks - 1))/nullb$((disks - 1))p1"
nothing_lost "idle"
no_complaint "idle"
finish
