# SPDX-License-Identifier: GPL-2.0
# The parts that need the large image: programs that read the events.

PARTS="load clients recipes"
. /payload/test.sh
