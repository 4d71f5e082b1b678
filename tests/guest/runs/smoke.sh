# SPDX-License-Identifier: GPL-2.0
# The parts that show whether the module works on another kernel series.

PARTS="load request bio flush latency events fileinfo waits recount recount-troubles recount-bios"
. /payload/test.sh
