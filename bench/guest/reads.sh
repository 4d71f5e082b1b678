# SPDX-License-Identifier: GPL-2.0
# A read of all statistics, with 1, 16 and 256 disks: what ROWS has of the ways there
# are. Goes to file "read": way cpus disks cycles bytes.

# reading WAY ARGUMENT...
reading()
{
	local name=$1 cycles bytes last
	shift
	/payload/readall 5 "$@" >/tmp/readall || die "$name cannot be read"
	while read -r cycles bytes; do
		sample read "$name $cpus $disks $cycles $bytes"
		last=$cycles
	done </tmp/readall
	profiled 1 "$name - $disks-disks $cpus"
	echo "  $cpus CPU, $disks disks: $name: $last instructions"
}

sleep 8
for disks in 1 16 256; do
	null_blk irqmode=0 nr_devices="$disks" gb=1
	load_module
	for disk in /sys/block/nullb*; do
		echo 1 >"$disk/queue/iostats"
	done
	# Something to add up, on every CPU, by both.
	for cpu in $(seq 0 $((cpus - 1))); do
		taskset -c "$cpu" head -q -c 4096 /dev/nullb* >/dev/null || die "no reads"
	done
	# Records appear soon behind the first I/O.
	sleep 1
	reading ioctl ioctl
	reading oldest oldest
	reading histograms histograms
	reading histogram histogram
	reading mmap mmap
	reading /dev/iostat /dev/iostat
	reading sysfs /sys/block/nullb*/iostat/stat
	reading /proc/diskstats /proc/diskstats
	rmmod iostat
	rmmod null_blk
done
give read </tmp/read
give_profile
