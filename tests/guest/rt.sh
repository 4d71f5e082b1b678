# SPDX-License-Identifier: GPL-2.0
# The tests that tell whether the module is at home on a kernel with PREEMPT_RT.

PARTS="load request null bio flush latency events fileinfo renames hostile-namespaces"
. /payload/test.sh
