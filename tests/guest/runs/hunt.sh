# SPDX-License-Identifier: GPL-2.0
# Only the search for torn reads: see scripts/hunt.sh.

PARTS="load hunt"
. /payload/test.sh
