# SPDX-License-Identifier: GPL-2.0
# The hunt for torn reads alone: see scripts/hunt.sh.

PARTS="load hunt"
. /payload/test.sh
