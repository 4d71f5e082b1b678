# SPDX-License-Identifier: GPL-2.0
# Actors: functions that repeat one activity, in one process each, until the round ends. Sourced.

GOING=/run/going
LOGS=/tmp/log
# How many seconds an actor may be idle when it has to end, and how many it may take in all: a slow
# machine is not a hang.
PATIENCE=90 MOST_PATIENCE=900
mkfifo /run/never
exec 8<>/run/never

going()
{
	[ -e $GOING ]
}

# nap LOW HIGH: sleeps for a random time in 1/100 s, without a new process.
nap()
{
	local time
	between time "$1" "$2"
	printf -v time %d.%02d $((time / 100)) $((time % 100))
	read -rt "$time" -u 8
}

# act TEXT: writes to the actor's log, which is shown if the round fails.
act()
{
	local now
	read -r now _ </proc/uptime
	echo "$now $*"
}

# turn: an actor calls it at the start of each turn; the summary has the sums.
turn()
{
	turns=$((turns + 1))
}

# start_actor NAME [ARGUMENT...]: runs the function NAME in the background, in a process group of its
# own.
start_actor()
{
	local name="$*"
	set -m
	(
		set +m
		turns=0
		trap 'echo "$turns $name" >>$LOGS/turns' EXIT
		seeded "$*"
		"$@"
	) >>"$LOGS/$round-${name// /-}" 2>&1 &
	actors[$!]=$name
	set +m
}

# activity GROUP: prints the processes of a group and the time they have used. It changes unless all
# of them wait.
activity()
{
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$1" '{
		pid = $1
		sub(/.*\) /, "")
		if ($3 == group)
			print pid, $8, $12, $13
	}'
}

# await_end PID: waits for an actor. False if it hangs.
await_end()
{
	local now before='' since=$SECONDS moved=$SECONDS said=$SECONDS
	while kill -0 "$1" 2>/dev/null; do
		read -rt 0.1 -u 8
		((SECONDS >= said + 10)) || continue
		said=$SECONDS
		now=$(activity "$1")
		[ "$now" = "$before" ] || moved=$SECONDS
		before=$now
		echo "  waiting for ${actors[$1]}, $((SECONDS - since)) s"
		((SECONDS < moved + PATIENCE && SECONDS < since + MOST_PATIENCE)) || return 1
	done
}

# stop_actors: each actor finishes its turn and removes what it created. One that does not end is a
# hang, after which no check is possible.
stop_actors()
{
	local pid
	rm -f $GOING
	for pid in "${!actors[@]}"; do
		await_end "$pid" || {
			echo "stuck: ${actors[$pid]}"
			tail -n 5 "$LOGS/$round-${actors[$pid]// /-}"
			fail "round $round: an actor does not end" "${actors[$pid]} hangs"
			give_up
		}
		wait "$pid" || fail "round $round: ${actors[$pid]}" "$(tail -n 1 "$LOGS/$round-${actors[$pid]// /-}")"
	done
	actors=()
}
