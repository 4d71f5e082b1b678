# SPDX-License-Identifier: GPL-2.0
# CPUs go offline and come online: requests complete on other CPUs, and counters of offline CPUs
# remain. Sourced.

cpus()
{
	local cpu=/sys/devices/system/cpu/cpu1/online
	while going; do
		turn
		echo 0 >$cpu
		nap 5 60
		echo 1 >$cpu
		nap 5 100
	done
	[ "$(cat $cpu)" = 1 ]
}
