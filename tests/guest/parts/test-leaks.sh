# SPDX-License-Identifier: GPL-2.0
# Loads and unloads the module two hundred times on an idle machine, and looks for memory leaks.

. /payload/growth.sh
GRAIN=4
# Most of an unload is waiting for RCU grace periods.
echo 1 >/sys/kernel/rcu_expedited
[ ! -d /sys/module/iostat ] || rmmod iostat
cycles "load and unload" 100 cycle_load
echo 0 >/sys/kernel/rcu_expedited
no_complaint "load and unload"
