# SPDX-License-Identifier: GPL-2.0
# Disks without I/O are added and removed as fast as possible, so that the lookup tables of all probes
# change. Three at a time, as each mostly waits for grace periods. Sourced.

churn()
{
	local disk
	while going; do
		turn
		for disk in 41 42 43; do
			/payload/nth 0 churn $disk &
		done
		wait
	done
}
