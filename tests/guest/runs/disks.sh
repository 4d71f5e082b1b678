# SPDX-License-Identifier: GPL-2.0
# Every kind of disk, and what happens to its requests.

PARTS="load request null bio stacked multipath partitions departure flush requeue pairing scsi virtio nvme nvme-split devices cgroups names churn
	storm leaks"
. /payload/test.sh
