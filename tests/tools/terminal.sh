#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ioscope top of a recording, in a terminal of tmux: its screens are those in screens/, and the terminal is afterwards
# as it was before. Runs in the build root. KEEP=1 stores the screens that it sees: look at the difference.
# usage: terminal.sh IOSCOPE

set -u
cd "$(dirname "$0")"
ioscope=$1
dir=$(mktemp -d)
trap 'tmux -L "$server" kill-server 2>/dev/null; rm -rf "$dir"' EXIT
server=ioscope-$$
export LC_ALL=C.UTF-8 TZ=UTC
unset NO_COLOR COLORTERM

pass()
{
	echo "ok - $1"
}

fail()
{
	echo "not ok - $1: $2"
}

is()
{
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got '$2', want '$3'"; fi
}

# start COLUMNS LINES TERM ARGUMENT...: ioscope top in a new terminal.
start()
{
	local columns=$1 lines=$2 term=$3
	shift 3
	rm -f "$dir"/{before,after,status}
	cat >"$dir/run" <<-END
		echo line before
		stty -g >"$dir/before"
		TERM=$term "$ioscope" top $*
		echo \$? >"$dir/status"
		stty -g >"$dir/after"
		echo line after
		exec sleep 1000
	END
	tmux -L "$server" -f /dev/null new-session -d -s top -x "$columns" -y "$lines" "bash $dir/run"
}

screen()
{
	tmux -L "$server" capture-pane -t top -p "$@"
}

# shows PATTERN: waits up to 20 s until the screen does.
shows()
{
	local try
	for try in $(seq 200); do
		! screen | grep -qE "$1" || return 0
		sleep 0.1
	done
	fail "the screen shows '$1'" "$(screen)"
	return 1
}

# same NAME [OPTION]: within 20 s the screen is the stored one.
same()
{
	local name=$1 try
	shift
	if [ -n "${KEEP:-}" ]; then
		sleep 1
		screen "$@" >"screens/$name"
	fi
	for try in $(seq 200); do
		screen "$@" >"$dir/screen"
		! diff "screens/$name" "$dir/screen" >"$dir/diff" || { pass "screen $name"; return; }
		sleep 0.1
	done
	fail "screen $name" "$(cat "$dir/diff")"
}

keys()
{
	tmux -L "$server" send-keys -t top "$@"
}

# ended NAME: it has ended, and the terminal is as before.
ended()
{
	local try
	for try in $(seq 200); do
		[ ! -s "$dir/after" ] || break
		sleep 0.1
	done
	shows '^line after' || return
	is "$1: status" "$(cat "$dir/status")" 0
	is "$1: the terminal's settings" "$(cat "$dir/after")" "$(cat "$dir/before")"
	is "$1: the screen as before" "$(screen | grep .)" "line before
line after"
	is "$1: the cursor is seen, the other screen left" \
		"$(tmux -L "$server" display -t top -p '#{cursor_flag} #{alternate_on}')" "1 0"
	tmux -L "$server" kill-server
	sleep 0.2
}

for size in 80x24 200x60; do
	start "${size%x*}" "${size#*x}" screen --replay "$PWD/recording" 0.125
	shows 'at its end' || continue
	same "$size-devices"
	keys s s Down 2
	shows 'times from start to end' && same "$size-heat"
	keys 3
	shows 'run queue' && same "$size-device"
	keys t
	shows 'since counting began' && same "$size-device-all"
	keys 4
	shows 'a recording has no events' && pass "$size: no events of a recording"
	keys 5
	shows 'it is not known' && pass "$size: what is in flight was not recorded"
	keys 1 h
	shows 'half, or double' && same "$size-help"
	keys x q
	ended "$size, q"
done
start 80 24 screen-256color --replay "$PWD/recording" 0.125
shows 'at its end' && keys Down 2 && shows 'times from start to end' && same colours -e
tmux -L "$server" resize-window -t top -x 60 -y 10
shows '^ 1 devices' && same resized -e
keys C-c
ended "Ctrl-C"
start 80 24 screen --replay "$PWD/recording"
shows 'every 1 s' && pkill -TERM -f "^$ioscope top --replay $PWD/recording"
ended "SIGTERM"
