# SPDX-License-Identifier: GPL-2.0
# Memory leaks of loading, disks, readers and clients: see growth.sh. Sourced.

cycle_disk()
{
	/payload/nth 0 add 40 >/dev/null && /payload/nth 0 remove 40 >/dev/null
}

cycle_read()
{
	cat /dev/iostat /sys/block/*/iostat/stat >/dev/null
}

# Clients of all kinds, which leave their statistics behind.
cycle_clients()
{
	local result client
	for client in kstat_client evcnt_client devstat_client; do
		insmod /payload/$client.ko && leave_behind $client 0 && rmmod $client || return 1
	done
}

# leaks CYCLES
leaks()
{
	# Most of an unload is waiting for RCU grace periods.
	echo 1 >/sys/kernel/rcu_expedited
	cycles "leaks: load and unload" "$1" cycle_load
	insmod /payload/iostat.ko
	cycles "leaks: a disk is added and removed" "$1" cycle_disk
	cycles "leaks: readers" "$1" cycle_read
	cycles "leaks: clients" "$1" cycle_clients
	rmmod iostat
	echo 0 >/sys/kernel/rcu_expedited
	quiet_kernel "leaks"
}
