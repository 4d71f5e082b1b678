# SPDX-License-Identifier: GPL-2.0
# Loading, what is there then, and what is refused.

succeeds "load: insmod" load_module
is "load: said how many disks" "$(dmesg | grep -c 'iostat: recording')" 1
is "load: every disk has an account" "$(cat /sys/class/misc/iostat/numdevs)" "$(ls /sys/block | wc -l)"
refuses "load: a second copy" load_module
is "load: version" "$(cat /sys/class/misc/iostat/version)" 1
