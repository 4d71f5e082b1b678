# SPDX-License-Identifier: GPL-2.0
# Measures the time to load the module, with one disk. Results go to file "load": disks ns.

sleep 8
null_blk irqmode=0 nr_devices=1 gb=1
# Not the first load: it makes trampolines and caches that stay.
for round in 0 1 2 3; do
	ns=$(/payload/loadtime /payload/iostat.ko) || die "iostat.ko cannot be loaded"
	[ $round = 0 ] || sample load "1 $ns"
	profiled 1 "load - 1-disk 1"
	rmmod iostat
done
echo "  load: $ns ns"
give load </tmp/load
give_profile
