# SPDX-License-Identifier: GPL-2.0
# Disks come and go as fast as they can, with no I/O of their own: what probes
# of all the others look things up in is replaced under them. Three at a time,
# because what each does is mostly wait for grace periods. Sourced.

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
