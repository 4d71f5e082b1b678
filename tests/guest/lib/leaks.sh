# SPDX-License-Identifier: GPL-2.0
# Memory leaks of loading, disks, readers and clients: see growth.sh. Sourced after it, by torture as well.

# asked MODULE LINE: passes a request to a client and sets result.
asked()
{
	echo "$2" >"/sys/module/$1/parameters/do" && read -r result <"/sys/module/$1/parameters/result"
}

# leave_behind CLIENT FLAGS: adds statistics that the client has when it is unloaded.
leave_behind()
{
	local result n
	for n in 0 1 2; do
		case $1 in
		kstat_client)
			asked $1 "create $n 1 1 $2 kstat_client $n left misc"
			asked $1 "named $n 0 4 number"
			asked $1 "install $n"
			;;
		evcnt_client)
			asked $1 "attach $n $((n - 1)) $n evcnt_client left"
			;;
		devstat_client)
			asked $1 "new $n left $n 512 0 0 0"
			asked $1 "start $n"
			;;
		esac
		[ "$result" = 0 ] || echo "$1: $n: $result"
	done
}

# Not a disk of null_blk, whose nodes in kernfs the stock kernel itself leaks.
# Most memory of a disk is allocated by its first I/O, which fails here, and is counted.
cycle_disk()
{
	local stat
	dmsetup create leaks --table "0 2048 error" && dmsetup mknodes leaks || return 1
	! dd if=/dev/mapper/leaks of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || return 1
	all_files "$(dm_disk leaks)" || return 1
	read -r stat <"/sys/block/$(dm_disk leaks)/iostat/devstat/end_count" && [ "$stat" -gt 0 ] && dmsetup remove leaks
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

# leaks LOADS CYCLES: the module is not loaded before and after.
leaks()
{
	# Most of an unload is waiting for RCU grace periods.
	echo 1 >/sys/kernel/rcu_expedited
	cycles "leaks: load and unload" "$1" cycle_load
	insmod /payload/iostat.ko
	cycles "leaks: a disk is added and removed" "$2" cycle_disk
	cycles "leaks: readers" "$2" cycle_read
	cycles "leaks: clients" "$2" cycle_clients
	unload_module
	echo 0 >/sys/kernel/rcu_expedited
}
