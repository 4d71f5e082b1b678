# SPDX-License-Identifier: GPL-2.0
# The parts that cover what PREEMPT_RT changes.

PARTS="load request null bio flush latency events fileinfo renames hostile-namespaces kstat-rust samples cgroups inflight slow
	tag-waits"
. /payload/test.sh
