# SPDX-License-Identifier: GPL-2.0
# Client modules: they add and remove thousands of statistics, and are loaded and unloaded, with their
# statistics removed or left behind, while all of it is read; see lists.c and tests/modules. Sourced.

SAMPLES=(fake_tape fake_drum fake_rpc fake_cache)

# message WORD...: sets the array lines to the reply.
message()
{
	lines=()
	exec 5<>$NODE || return 1
	echo "$*" >&5 && mapfile -t -u 5 lines
	exec 5<&-
}

# behind: sets behind to the statistics of clients that are listed, except dormant kstats.
behind()
{
	local line lines kid type flags rest
	behind=
	message @kstat_list 'fake_*' 'evcnt_*' 'kstat_*' 'devstat_*'
	for line in "${lines[@]:2}"; do
		read -r kid type flags rest <<<"$line"
		((flags & 0x10)) || behind+=" $line"
	done
	message @evcnt_list all
	for line in "${lines[@]}"; do
		[[ ! $line =~ ^(fake|evcnt)_ ]] || behind+=" $line"
	done
	for line in $CONTROL/devstat/*/; do
		[[ $line == *'*/' ]] || behind+=" $line"
	done
}

# census: sets kstats, counters and devices to their numbers, and chain to the chain's id.
census()
{
	local lines
	message @kstat_list
	kstats=$((${#lines[@]} - 2)) chain=${lines[0]#chain_id }
	message @evcnt_list all
	counters=$((${#lines[@]} - 1)) devices=$(<$CONTROL/numdevs)
}

look()
{
	/payload/lists "$1" $GOING
}

# crowd SECONDS KSTATS: so many kstats, ten times as many event counters, and devstat(9) entries at the same time, at
# least twice, under readers of all of them.
crowd()
{
	local kstats counters devices chain before before_chain result lines behind what reads turns=0
	local until=$((SECONDS + $1))
	declare -A many=([kstat_client]="storm $2" [evcnt_client]="many $((10 * $2))") many_of=()
	many[devstat_client]="many 50"
	insmod /payload/iostat.ko || fail "crowd: the module does not load"
	for what in "${!many[@]}"; do
		insmod "/payload/$what.ko" || fail "crowd: $what does not load"
	done
	census
	before="$kstats kstats, $counters counters, $devices devices" before_chain=$chain
	: >$GOING
	for what in kstat chain evcnt table ioctl; do
		start_actor look $what
	done
	start_actor readers
	while ((++turns <= 1 || SECONDS <= until)); do
		echo "  crowd: turn $turns"
		for what in "${!many[@]}"; do
			asked $what "${many[$what]}" && echo "$result" >/tmp/crowd-$what &
			many_of[$!]=$what
		done
		for what in "${!many_of[@]}"; do
			wait "$what"
		done
		many_of=()
		for what in "${!many[@]}"; do
			is "crowd: $what, ${many[$what]}, turn $turns" "$(</tmp/crowd-$what)" 0
		done
	done
	stop_actors
	for what in kstat chain evcnt table ioctl; do
		read -r _ reads result <<<"$(tail -n 1 "$LOGS/$round-look-$what")"
		echo "  crowd: $what read $reads times in $((turns - 1)) turns, $result statistics of clients seen"
		holds "crowd: $what saw statistics of clients" "result > 0"
	done
	census
	is "crowd: as many as before" "$kstats kstats, $counters counters, $devices devices" "$before"
	holds "crowd: the chain's id has changed for each kstat" "chain - before_chain >= (turns - 1) * 2 * $2"
	behind
	is "crowd: all statistics are removed" "$behind" ""
	for what in "${!many[@]}"; do
		is "crowd: $what leaves statistics behind" "$(leave_behind $what 0)" ""
		rmmod $what || fail "crowd: $what cannot be unloaded"
	done
	behind
	is "crowd: statistics left behind are removed" "$behind" ""
	unload_at_last || fail "crowd: the module cannot be unloaded"
	nothing_left "crowd"
}

# come MODULE NTH: loads a module, with a fault or not; false if it fails for an allowed reason. iostat
# may not be loaded, or be loading.
come()
{
	local errno left
	read -r errno left <<<"$(/payload/nth "$2" load "/payload/$1.ko")"
	case $errno in
	0) return 0 ;;
	2 | 16) [ ! -d "/sys/module/$1" ] && return 1 ;;
	12) [ "$2" != 0 ] && return 1 ;;
	esac
	echo "$1 does not load: $errno, with $left of $2 left"
	exit 1
}

# leave MODULE: unloads it.
leave()
{
	rmmod "$1" || exit 1
}

# client_does MODULE NTH LINE ERRNO...: the result must be 0, or one of these with a fault.
client_does()
{
	local result
	echo "$3" | /payload/nth "$2" send "/sys/module/$1/parameters/do" >/dev/null
	read -r result <"/sys/module/$1/parameters/result"
	[ "$result" = 0 ] || [[ $2 != 0 && " ${*:4} " == *" $result "* ]] || {
		echo "$1: $3: $result"
		exit 1
	}
}

# client_KIND NTH NUMBER WHAT: loads a client, uses it, and unloads it. Only one of a kind at a time.
client_sample()
{
	local module=${SAMPLES[$2 % 4]} file
	come "$module" "$1" || return 0
	for file in write read; do
		file=/sys/module/$module/parameters/$file
		# The write may still be in progress when the client is unloaded.
		[ ! -e "$file" ] || echo $(($2 % 7)) >"$file" &
	done
	[ "$3" = leave ] || wait
	cat "/sys/module/$module/parameters/motions" >/dev/null 2>&1
	leave "$module"
	wait
}

# A client is unloaded while a reader is in its function for 2 s.
left_while_read()
{
	local line result
	for line in "create 3 1 1 0 kstat_client 3 slow misc" "named 3 0 4 number" "callbacks 3 1" \
		"inside 3 2" "install 3"; do
		asked kstat_client "$line"
	done
	/payload/nth 0 ask "@kstat kstat_client:3" >/dev/null &
	nap 5 30
}

client_kstat()
{
	come kstat_client 0 || return 0
	client_does kstat_client "$1" "storm $(($2 % 400))" -5 -12
	case $3 in
	leave)
		leave_behind kstat_client 0
		left_while_read
		;;
	persist) leave_behind kstat_client 8 ;;
	esac
	leave kstat_client
}

client_evcnt()
{
	come evcnt_client 0 || return 0
	client_does evcnt_client "$1" "many $2" -12
	[ "$3" = stay ] || leave_behind evcnt_client 0
	if [ "$3" = persist ] && come evcnt_other 0; then
		# The parent's module is unloaded first.
		asked evcnt_client "where 0"
		asked evcnt_other "adopt 4 $result"
		leave evcnt_client
		asked evcnt_other "irq 4 3"
		leave evcnt_other
	else
		leave evcnt_client
	fi
}

client_devstat()
{
	come devstat_client 0 || return 0
	client_does devstat_client "$1" "many $(($2 % 10))" -12
	if [ "$3" != stay ]; then
		leave_behind devstat_client 0
		asked devstat_client "spread 1 $2"
	fi
	leave devstat_client
}

clients()
{
	local kind nth number how shuffled pids status looks=() behind result
	for kind in kstat chain evcnt ioctl; do
		look $kind &
		looks+=($!)
	done
	while going; do
		turn
		shuffled sample kstat evcnt devstat
		pids=()
		for kind in "${shuffled[@]:0:2}"; do
			nth=0
			! chance 40 || between nth 1 60
			between number 0 1500
			one_of how leave persist stay
			act "$kind nth $nth number $number $how"
			"client_$kind" $nth "$number" "$how" &
			pids+=($!)
		done
		for kind in "${pids[@]}"; do
			wait "$kind" || return 1
		done
		if [ -c /dev/iostat ] && behind 2>/dev/null && [ -n "$behind" ]; then
			act "left:$behind"
			return 1
		fi
		nap 0 60
	done
	for kind in "${looks[@]}"; do
		wait "$kind" || return 1
	done
}
