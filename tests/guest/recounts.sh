# SPDX-License-Identifier: GPL-2.0
# All that is recounted on the host, and the hunt for torn reads, in a guest with as many CPUs as they ask for.

PARTS="recount recount-troubles recount-bios hunt"
. /payload/test.sh
