# SPDX-License-Identifier: GPL-2.0
# All guest tests of exact numbers, on the stock kernel.

. /payload/tap.sh
. /payload/balance.sh
dmesg -n 3

ALL="load request null bio stacked flush requeue scsi virtio nvme devices interfaces latency events
	recount parameters storm"
for part in ${PARTS:-$ALL}; do
	echo "# $part"
	. "/payload/test-$part.sh"
done
finish
