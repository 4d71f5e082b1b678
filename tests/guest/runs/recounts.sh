# SPDX-License-Identifier: GPL-2.0
# All parts that the host recounts, and the search for torn reads, in a guest with the CPUs they need.

PARTS="recount recount-troubles recount-bios hunt"
. /payload/test.sh
