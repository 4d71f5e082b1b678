# SPDX-License-Identifier: GPL-2.0
# Actors: functions that do their one thing over and over, from one process
# each, until the round is over. Sourced.

GOING=/run/going
LOGS=/tmp/log
mkfifo /run/never
exec 8<>/run/never

going()
{
	[ -e $GOING ]
}

# nap LOW HIGH: hundredths of a second; no process of its own.
nap()
{
	local time
	between time "$1" "$2"
	printf -v time %d.%02d $((time / 100)) $((time % 100))
	read -rt "$time" -u 8
}

# act TEXT: goes to the actor's log, which is shown if the round fails.
act()
{
	local now
	read -r now _ </proc/uptime
	echo "$now $*"
}

# start_actor NAME [ARGUMENT...]: the function NAME, in the background.
start_actor()
{
	local name="$*"
	(
		seeded "$*"
		"$@"
	) >>"$LOGS/$round-${name// /-}" 2>&1 &
	actors[$!]=$name
}

# stop_actors: each finishes what it is at and takes away what it made. One
# that does not come is a hang, after which nothing can be said.
stop_actors()
{
	local pid deadline=$((SECONDS + PATIENCE))
	rm -f $GOING
	for pid in "${!actors[@]}"; do
		while kill -0 "$pid" 2>/dev/null; do
			if ((SECONDS > deadline)); then
				echo "stuck: ${actors[$pid]}"
				tail -n 5 "$LOGS/$round-${actors[$pid]// /-}"
				echo w >/proc/sysrq-trigger
				echo l >/proc/sysrq-trigger
				fail "round $round: everything comes to its end" "${actors[$pid]} hangs"
				give_up
			fi
			read -rt 0.1 -u 8
		done
		wait "$pid" || fail "round $round: ${actors[$pid]}" "$(tail -n 1 "$LOGS/$round-${actors[$pid]// /-}")"
	done
	actors=()
}
