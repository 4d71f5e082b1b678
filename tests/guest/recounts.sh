# SPDX-License-Identifier: GPL-2.0
# All that is recounted on the host, in a guest with as many CPUs as the loads ask for.

PARTS="recount recount-troubles recount-bios"
. /payload/test.sh
