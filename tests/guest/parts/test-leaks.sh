# SPDX-License-Identifier: GPL-2.0
# Looks for memory leaks of repeated cycles, on an idle machine.

. /payload/growth.sh
. /payload/leaks.sh
GRAIN=4
[ ! -d /sys/module/iostat ] || unload_module
modprobe dm-mod
leaks "$(repetitions 20 60)" 20
