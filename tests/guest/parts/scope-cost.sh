# SPDX-License-Identifier: GPL-2.0
# What ioscope costs, beside sysstat: to start, and with 256 disks.

start()
{
	local begin=${EPOCHREALTIME/./} try
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >/dev/null
	done
	echo $(((${EPOCHREALTIME/./} - begin) / 10))
}
ours=$(start ioscope -x nullb0)
theirs=$(start iostat -dx nullb0)
echo "# start to end, us: ioscope $ours, iostat $theirs"
holds "it starts in less than 30 ms, or twice what sysstat takes" "ours < 30000 || ours < theirs * 2"

# Ten busy disks in a recording: each with reads and writes of times that vary.
disks=
for number in 0 1 2 3 4 5 6 7 8 9; do
	make_null_blk_disk rec$number irqmode=2 completion_nsec=$((number * 200000 + 100000)) submit_queues=1 hw_queue_depth=4
	disks+=" --name=rec$number --filename=/dev/rec$number"
done
# shellcheck disable=SC2086 # a job for each
fio --disk_util=0 --output=/dev/null --direct=1 --rw=randrw --bsrange=4k-64k --ioengine=libaio --iodepth=4 --rate_iops=60,40 --size=64m \
	--time_based --runtime=14 $disks >/dev/null 2>&1 &
loader=$!
sleep 1
for count in 2 12; do
	rm -f /tmp/ten
	ioscope record /tmp/ten 1 $count
	eval "size_$count=$(stat -c %s /tmp/ten)"
	[ $count = 12 ] || sleep 0.2
done
wait $loader
day=$(((size_12 - size_2) / 10 * 8640))
each=$(ioscope -H -o csv --replay /tmp/ten rec0 rec9 | awk -F , '{ print $16 + $17 }' | xargs)
echo "# a day of ten disks at 10 s, by samples with $each reads and writes of the first and the last in 11 s: $day bytes"
holds "a recording of a day is small" "1000000 < day && day < 60000000"
for number in 0 1 2 3 4 5 6 7 8 9; do
	remove_null_blk_disk rec$number
done

modprobe -q brd rd_nr=256 rd_size=1024
sleep 1

# cpu_ms COMMAND...: of the process and the kernel for it.
cpu_ms()
{
	local TIMEFORMAT='%U %S' times
	times=$( { time "$@" >/dev/null 2>&1; } 2>&1)
	awk '{ printf "%.0f\n", ($1 + $2) * 1000 }' <<<"$times"
}

is "disks there are at least" "$(($(ioscope -H | grep -c '^ram') >= 256))" 1

rm -f /tmp/ours /tmp/theirs
# Ten intervals, beside each other, the median of three: other work on the host is seen as time of a guest's process.
for try in 1 2 3; do
	cpu_ms ioscope -x -Y 1 10 >>/tmp/ours &
	cpu_ms iostat -dxy 1 10 >>/tmp/theirs &
	wait %% %-
done
ours=$(sort -n /tmp/ours | sed -n 2p)
theirs=$(sort -n /tmp/theirs | sed -n 2p)
echo "# 10 intervals of 256 disks: ioscope -x $ours ms, iostat -x $theirs ms"
# sysstat does not show disks that have no I/O at all, and has the less to do.
holds "an interval costs less than sysstat's" "ours < theirs"

ioscope -o json 0.5 >/dev/null &
sleep 4
rss=$(awk '/VmHWM/ { print $2 }' /proc/$!/status)
kill $!
wait $!
echo "# the first line with 256 disks, us: ioscope -x $(start ioscope -x nullb0), -s $(start ioscope -s nullb0), iostat $(start iostat -dx nullb0)"
echo "# resident with 256 disks and all histograms: $rss KiB"
holds "it takes less than 20 MiB" "rss < 20480"
