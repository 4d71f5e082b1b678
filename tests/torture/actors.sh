# SPDX-License-Identifier: GPL-2.0
# Actors: functions that do their one thing over and over, from one process
# each, until the round is over. Sourced.

GOING=/run/going
LOGS=/tmp/log
# How long an actor may do nothing at all when it has to end, and how long it may take
# in all: a slow machine is no hang.
PATIENCE=90 MOST_PATIENCE=900
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

# turn: every actor calls it each time it begins anew; the sums are in the summary.
turn()
{
	turns=$((turns + 1))
}

# start_actor NAME [ARGUMENT...]: the function NAME, in the background, its processes in a
# group of their own.
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

# activity GROUP: how much time its processes have used, and which they are. It stays the
# same only while all of them wait.
activity()
{
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$1" '{
		pid = $1
		sub(/.*\) /, "")
		if ($3 == group)
			print pid, $8, $12, $13
	}'
}

# await_end PID: of an actor. False if it hangs.
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

# stop_actors: each finishes what it is at and takes away what it made. One
# that does not come is a hang, after which nothing can be said.
stop_actors()
{
	local pid
	rm -f $GOING
	for pid in "${!actors[@]}"; do
		await_end "$pid" || {
			echo "stuck: ${actors[$pid]}"
			tail -n 5 "$LOGS/$round-${actors[$pid]// /-}"
			fail "round $round: everything comes to its end" "${actors[$pid]} hangs"
			give_up
		}
		wait "$pid" || fail "round $round: ${actors[$pid]}" "$(tail -n 1 "$LOGS/$round-${actors[$pid]// /-}")"
	done
	actors=()
}
