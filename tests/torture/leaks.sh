# SPDX-License-Identifier: GPL-2.0
# What loading, disks and readers leave behind: see growth.sh. Sourced.

cycle_disk()
{
	/payload/nth 0 add 40 >/dev/null && /payload/nth 0 remove 40 >/dev/null
}

cycle_read()
{
	cat /dev/iostat /sys/block/loop*/iostat/stat >/dev/null
}

# leaks CYCLES
leaks()
{
	cycles "leaks: load and unload" "$1" cycle_load
	insmod /payload/iostat.ko
	cycles "leaks: a disk comes and goes" "$1" cycle_disk
	cycles "leaks: readers" "$1" cycle_read
	rmmod iostat
	quiet_kernel "leaks"
}
