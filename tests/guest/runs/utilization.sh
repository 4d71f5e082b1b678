# SPDX-License-Identifier: GPL-2.0
# Parts whose results must not depend on the host's load.

PARTS="readers utilization"
. /payload/test.sh
