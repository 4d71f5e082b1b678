# SPDX-License-Identifier: GPL-2.0
# The ways of reading the statistics.

PARTS="load interfaces privileges text examples manual abi mmap memory latency sizes samples inflight hung slow"
. /payload/test.sh
