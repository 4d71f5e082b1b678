# SPDX-License-Identifier: GPL-2.0
# What another architecture or another size of pages can change, without the parts that need scsi_debug, which Debian's
# kernels for arm64 do not have.

PARTS="load request null bio virtio interfaces text abi mmap names fileinfo dtrace memory cgroups
	inflight slow"
. /payload/test.sh
