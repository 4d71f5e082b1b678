# SPDX-License-Identifier: GPL-2.0
# Two hundred times loaded and unloaded on a quiet machine: what is left behind.

. /payload/growth.sh
GRAIN=4
# Most of an unload is waiting for grace periods, the same ones however long they take.
echo 1 >/sys/kernel/rcu_expedited
[ ! -d /sys/module/iostat ] || rmmod iostat
cycles "load and unload" 100 cycle_load
echo 0 >/sys/kernel/rcu_expedited
no_complaint "load and unload"
