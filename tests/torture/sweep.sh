# SPDX-License-Identifier: GPL-2.0
# Allocations with the module on their stack fail, one at a time: the first and the last, which are all
# different, and as many of the rest as there is time for, which are mostly sysfs files. Sourced.

FAULT=/sys/kernel/debug

# The address range of modules. With CONFIG_RANDOMIZE_BASE it would be higher; the kernel's own text is
# never in it.
only_modules_fail()
{
	local kind
	for kind in failslab fail_page_alloc; do
		echo 0 >$FAULT/$kind/verbose
		echo N >$FAULT/$kind/ignore-gfp-wait
		echo 0xffffffffa0000000 >$FAULT/$kind/require-start
		echo 0xffffffffff000000 >$FAULT/$kind/require-end
	done
	echo N >$FAULT/fail_page_alloc/ignore-gfp-highmem
	echo 0 >$FAULT/fail_page_alloc/min-order
}

# inwards ALL: prints 1 ALL 2 ALL-1 ..., eight from either end, four if there is little time.
inwards()
{
	local i most=$((SECONDS_GIVEN < 300 ? 4 : 8))
	for ((i = 1; i <= most && i <= $1 - i + 1; i++)); do
		echo $i
		((i == $1 - i + 1)) || echo $(($1 - i + 1))
	done
}

# sweep NAME SECONDS CHECK COMMAND...: runs nth N COMMAND; CHECK is called after each
# with a name, the errno and the rest of N.
sweep()
{
	local name=$1 until=$((SECONDS + $2)) check=$3 n error left all ends tries=0 failing=0 shuffled
	local said=$SECONDS
	shift 3
	read -r error left <<<"$(/payload/nth 100000 "$@")"
	$check "$name, without a fault" "$error" "$left"
	all=$((100000 - left))
	echo "  $name: $all allocations"
	ends=($(inwards "$all"))
	shuffled $(seq $(((${#ends[@]} + 1) / 2 + 1)) $((all - ${#ends[@]} / 2)))
	for n in "${ends[@]}" "${shuffled[@]}"; do
		((++tries <= ${#ends[@]} || SECONDS <= until)) || break
		if ((SECONDS >= said + 30)); then
			said=$SECONDS
			echo "  $name: $tries tried, now allocation $n"
		fi
		read -r error left <<<"$(/payload/nth "$n" "$@")"
		$check "$name, allocation $n" "${error:-none}" "${left:-none}"
		[ "$left" != 0 ] || failing=$((failing + 1))
	done
	quiet_kernel "$name"
	echo "  $name: $failing of $all allocations failed"
	holds "$name: at least one allocation failed" "failing > 0"
}

# A load that fails returns ENOMEM and leaves nothing; after some faults it succeeds, and a disk is not
# recorded.
after_load()
{
	if [ "$2" = 0 ]; then
		/payload/nth 0 unload iostat >/dev/null
	else
		is "$1: errno" "$2" 12
	fi
	nothing_left "$1"
}

# A disk is added even if its account cannot be, and removed with what it has.
after_arrival()
{
	local with=0
	is "$1: the disk is added" "$2" 0
	[ ! -d /sys/block/loop40/iostat ] || with=1
	is "$1: number of accounts" "$(<$CONTROL/numdevs)" $((numdevs + with))
	[ "$3" = 0 ] || is "$1: without a fault it has an account" $with 1
	if [ $with = 1 ]; then
		losetup /dev/loop40 /tmp/loop40
		dd if=/dev/loop40 of=/dev/null bs=4k count=1 iflag=direct status=none
		since_birth "$1" loop40
		losetup -d /dev/loop40
	fi
	/payload/nth 0 remove 40 >/dev/null
	is "$1: the account is closed" "$(<$CONTROL/numdevs)" "$numdevs"
}

# Removing a disk makes no allocation in the module, so none can fail.
departure()
{
	local error left
	read -r error left <<<"$(/payload/nth 100000 remove 40)"
	is "departure: the disk is removed" "$error" 0
	is "departure: no allocation" "$left" 100000
	is "departure: its account is closed" "$(<$CONTROL/numdevs)" "$numdevs"
	/payload/nth 0 add 40 >/dev/null
	is "departure: the disk is added again" "$(</sys/block/loop40/iostat/devstat/operations_read)" 0
}

after_read()
{
	[ "$2" = 0 ] || is "$1: errno" "$2" 12
}

# Accounts by cgroup begin, or not at all.
after_on()
{
	if [ "$2" = 0 ]; then
		send @cgroups off
	else
		is "$1: errno" "$2" 12
	fi
	is "$1: no rows are in use" "$(<$CONTROL/cgroup_rows_used)" 0
}

# A client without memory for its statistics fails to load, and leaves nothing behind.
after_client()
{
	local lines behind
	if [ "$2" = 0 ]; then
		/payload/nth 0 unload "$client" >/dev/null
	else
		is "$1: errno" "$2" 12
	fi
	behind
	is "$1: no statistics are left" "$behind" ""
}

# sweeps SECONDS: runs all sweeps.
sweeps()
{
	local numdevs disk client in_c in_rust message
	# Each disk makes a hundred allocations like those of the next.
	for disk in 1 2 3 4 5 6 7; do
		/payload/nth 0 remove $disk >/dev/null
	done
	seeded sweep
	truncate -s 1M /tmp/loop40
	only_modules_fail
	sweep "load" $(($1 * 3 / 8)) after_load load /payload/iostat.ko
	insmod /payload/iostat.ko || fail "faults: the module does not load"
	numdevs=$(<$CONTROL/numdevs)
	sweep "arrival" $(($1 / 4)) after_arrival add 40
	/payload/nth 0 add 40 >/dev/null
	departure
	/payload/nth 0 remove 40 >/dev/null
	sweep "/dev/iostat" $(($1 / 16)) after_read read /dev/iostat
	for message in "@kstat unix" "@kstat_list unix" "@evcnt_list rollup" @inflight @slow; do
		sweep "$message" $(($1 / 32)) after_read ask "$message"
	done
	if [[ " ${cards[*]} " == *" cgroups "* ]]; then
		sweep "@cgroups on" $(($1 / 32)) after_on ask "@cgroups on"
		send @cgroups on
		sweep "@cgroups_list" $(($1 / 32)) after_read ask @cgroups_list
		send @cgroups off
	fi
	one_of in_c fake_tape fake_drum
	one_of in_rust fake_rpc fake_cache
	for client in $in_c $in_rust; do
		sweep "$client" $(($1 / 16)) after_client load /payload/$client.ko
	done
	in_balance "faults"
	rmmod iostat
	nothing_left "faults"
}
