# SPDX-License-Identifier: GPL-2.0
# What only a guest that does not feel the host's load can tell.

PARTS="readers utilization"
. /payload/test.sh
