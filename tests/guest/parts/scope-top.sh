# SPDX-License-Identifier: GPL-2.0
# ioscope top in a terminal, that of tmux: its pages under a known load, keys, sizes, devices that leave, and how it ends.

mkdir -p /dev/pts
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
export LC_ALL=C.UTF-8

# terminal COLUMNS LINES COMMAND: runs it in a terminal of this size; its status is in /tmp/top.status.
terminal()
{
	rm -f /tmp/top.status
	tmux -L top -f /dev/null new-session -d -s top -x "$1" -y "$2" "$3 2>/tmp/top.err; echo \$? >/tmp/top.status; sleep 1000"
}

screen()
{
	tmux -L top capture-pane -t top -p
}

keys()
{
	tmux -L top send-keys -t top "$@"
}

# shows NAME PATTERN: the screen does within 20 s; the last one is in /tmp/screen.
shows()
{
	local try
	for try in $(seq 80); do
		screen >/tmp/screen
		! grep -qE "$2" /tmp/screen || { pass "$1"; return; }
		sleep 0.25
	done
	fail "$1" "no '$2' in: $(cat /tmp/screen)"
}

# ended NAME STATUS: it ends within 20 s.
ended()
{
	local try
	for try in $(seq 80); do
		[ ! -s /tmp/top.status ] || break
		sleep 0.25
	done
	is "$1" "$(cat /tmp/top.status)" "$2"
	is "$1: what it says" "$(cat /tmp/top.err)" ""
	tmux -L top kill-server
	sleep 0.25
}

make_null_blk_disk nullb3 irqmode=2 completion_nsec=4000000 submit_queues=1 hw_queue_depth=1
fio --disk_util=0 --name=load --filename=/dev/nullb3 --direct=1 --rw=read --bs=4k --ioengine=psync --runtime=600 --time_based \
	--output=/dev/null --eta=never &
load=$!
terminal 160 30 "ioscope top 0.5"
# A device of depth 1 that takes 4 ms for each read.
shows "top: the busy device comes first" '^nullb3 +[^ ]+ +2[0-4][0-9]\.[0-9] +0\.0 '
is "top: its place" "$(sed -n 3p /tmp/screen | cut -d ' ' -f 1)" nullb3
# As long as its reads took, however late fio is scheduled.
is "top: how busy it was" \
	"$(awk '$1 == "nullb3" { off = $16 - $3 * $10 / 10; print ($16 <= 100 && off >= -2 && off <= 2) }' /tmp/screen)" 1
sed 's/^/# /' /tmp/screen | head -n 8
shows "top: a line of how busy it was, over time" '^nullb3 +(█){4,}'
keys 2
shows "top: heat: the time of its reads" '^ +(3\.9|4\.6|5\.5)ms \|.*@@@@'
keys Enter
shows "top: the page of the device" '^nullb3  disk '
shows "top: its run queue" '^run queue +now [01] +mean (0\.9|1\.0)'
shows "top: its histogram" 'ms : +[0-9]+ \|\*\*\*\*'
keys 4
shows "top: files" '^ +[0-9]{2,} +0 +[0-9]+ +0 +4\.[0-9]+ +0 nullb3 +/dev/nullb3$'
shows "top: processes" '^ +[0-9]{2,} +0 +[0-9]+ +0 +4\.[0-9]+ +0 [0-9]+ +fio$'
is "top: a tracefs instance, while files are shown" "$(ls $TRACING/instances | wc -l)" 1
keys 5
shows "top: what is in flight" '^nullb3 +running +[0-9.]+ +[0-9.]+ read +[0-9]+ +4096 +[0-9]+ fio$'
keys 1
shows "top: the devices again" '^device '
is "top: the instance is gone" "$(ls $TRACING/instances)" ""
keys h
shows "top: help" 'half, or double the interval'
keys x
keys a
for try in $(seq 80); do
	listed=$(screen | sed -n '3,29p' | grep -c .)
	[ "$listed" != 1 ] || break
	sleep 0.25
done
is "top: without the idle ones, the list has one device" "$listed" 1
keys a
tmux -L top resize-window -t top -x 50 -y 8
shows "top: another size" '^ 1 devices  2 heat  3 device'
is "top: its last line is the terminal's" "$(sed -n 8p /tmp/screen | cut -c 1-10)" " 1 devices"
tmux -L top resize-window -t top -x 160 -y 30
keys 3
kill $load
wait $load 2>/dev/null
remove_null_blk_disk nullb3
shows "top: a device that leaves while it is looked at" '^nullb3  disk .* has left$'
keys 1
shows "top: it is in the list no more" '^nullb1 '
is "top: no line of it" "$(grep -c nullb3 /tmp/screen)" 0
keys q
ended "top: q" 0
terminal 80 24 "ioscope top 0.2 3 nullb0"
ended "top: it ends after a count" 0
terminal 80 24 "ioscope top"
shows "top: on another terminal" '^nullb0 '
keys 4
shows "top: no process does I/O" 'READS +WRITES'
kill -TERM "$(pidof ioscope)"
ended "top: SIGTERM" 0
is "top: no instance is left" "$(ls $TRACING/instances)" ""
says "top: no terminal" 1 "ioscope: top draws on a terminal: ioscope INTERVAL writes lines" ioscope top
unset LC_ALL
