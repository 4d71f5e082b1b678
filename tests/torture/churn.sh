# SPDX-License-Identifier: GPL-2.0
# Disks come and go as fast as they can, with no I/O of their own: what probes
# of all the others look things up in is replaced under them. Sourced.

churn()
{
	while going; do
		/payload/nth 0 churn 41
	done
}
