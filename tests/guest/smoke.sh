# SPDX-License-Identifier: GPL-2.0
# The tests that tell whether the module is at home on another series.

PARTS="load request bio flush latency events recount-troubles recount-bios"
. /payload/test.sh
