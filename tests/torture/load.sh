# SPDX-License-Identifier: GPL-2.0
# The module comes and goes under load. Who holds it, or comes second, is
# refused; nobody else. Sourced.

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

# Whoever held it has gone, but may be on the way out for a moment yet: a killed
# perf's events are freed behind its back.
unload_at_last()
{
	local try
	for try in $(seq 50); do
		! unload || return 0
		read -rt 0.1 -u 8
	done
	return 1
}

# "Exists" hears the second comer, "busy" whoever comes while it goes.
insert()
{
	local said
	said=$(insmod /payload/iostat.ko 2>&1) || case $said in
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
