# SPDX-License-Identifier: GPL-2.0
# Loading: the interfaces afterwards, and refused loads.

make_null_blk_disk nbload memory_backed=1
make_partitions /dev/nbload 2048:8192 10240:8192
succeeds "load: insmod" load_module
disks=$(ls /sys/block | wc -l)
is "load: number of disks and partitions in the log" \
	"$(dmesg | sed -n 's/.*iostat: recording //p')" "$disks disks and 2 partitions"
remove_null_blk_disk nbload
is "load: modinfo has the version" "$(modinfo -F version /payload/iostat.ko)" "$(</payload/release)"
is "load: sysfs has the version" "$(</sys/module/iostat/version)" "$(</payload/release)"
is "load: every disk has an account" "$(cat /sys/class/misc/iostat/numdevs)" "$(ls /sys/block | wc -l)"
refuses "load: a second copy" load_module
is "load: version" "$(cat /sys/class/misc/iostat/version)" 1
