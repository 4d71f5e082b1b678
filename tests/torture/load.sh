# SPDX-License-Identifier: GPL-2.0
# The module is loaded and unloaded under load. rmmod may fail while the module is in use, and a second
# insmod or rmmod at the same time may fail; nothing else may. Sourced.

unload()
{
	local said
	said=$(rmmod iostat 2>&1) || case $said in
	*"in use"* | *"not currently loaded"* | *"temporarily unavailable"*) return 1 ;;
	*)
		echo "rmmod: $said"
		exit 1
		;;
	esac
}

# The last user has exited, but may still be releasing the module: a killed perf's events are freed
# asynchronously.
unload_at_last()
{
	local try
	for try in $(seq 50); do
		! unload || return 0
		read -rt 0.1 -u 8
	done
	return 1
}

# "File exists" if the module is loaded, "resource busy" while it is being unloaded.
insert()
{
	local said
	# Many I/Os are slow.
	said=$(insmod /payload/iostat.ko slow_threshold_ns=1000000 2>&1) || case $said in
	*"File exists"* | *"resource busy"*) return 1 ;;
	*)
		echo "insmod: $said"
		exit 1
		;;
	esac
}

load()
{
	local what other
	while going; do
		turn
		one_of what cycle cycle cycle twice race
		act "$what"
		case $what in
		cycle)
			unload
			nap 0 30
			insert
			;;
		twice) insert ;;
		race)
			unload &
			other=$!
			insert
			wait $other
			insert
			;;
		esac
		nap 0 150
	done
	insert || [ -d /sys/module/iostat ]
}
