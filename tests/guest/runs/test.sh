# SPDX-License-Identifier: GPL-2.0
# All guest tests of exact numbers, on the stock kernel. Each part also runs alone, in a guest of
# its own (PARTS="requeue"): it creates the disks and loads the modules it needs.

. /payload/tap.sh
. /payload/balance.sh
dmesg -n 3

ALL="load request null bio stacked multipath partitions departure flush requeue pairing scsi virtio nvme devices names churn
	interfaces text examples abi mmap memory latency events merges dtrace fileinfo ways hostile-namespaces waits parameters inflight regions-words regions regions-load
	regions-limits evcnt devstat kstat kstat-abi kstat-rust ported samples disk-events nfs
	tag-waits storm leaks"
for part in ${PARTS:-$ALL}; do
	echo "# $part"
	[ "$part" = load ] || [ -d /sys/module/iostat ] || load_module
	. "/payload/test-$part.sh"
done
finish
