# SPDX-License-Identifier: GPL-2.0
# The text and sysfs interfaces: content, permissions and errors.

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
make_null_blk_disk nbi size=64
fio_quiet --filename=/dev/nbi --direct=1 --rw=randwrite --bs=4k --number_ios=100 --size=16m
wait_idle nbi

succeeds "/dev/iostat: every user may read" $nobody cat /dev/iostat
# Writes are messages: see test-regions-limits.sh.
succeeds "/dev/iostat: every user may send @stats_list" $nobody sh -c 'echo "nbi @stats_list" >/dev/iostat'
refuses "/dev/iostat: an unprivileged user may not change anything" $nobody sh -c 'echo "nbi @stats_create - /1" >/dev/iostat'
refuses "/dev/iostat: an invalid message" send x
succeeds "sysfs: every user may read" $nobody cat /sys/block/nbi/iostat/stat
for file in /sys/block/nbi/iostat/stat /sys/block/nbi/iostat/kstat/reads; do
	is "sysfs: $file cannot be written" "$(stat -c %a $file)" 444
done
is "/dev/iostat: first line" "$(head -n 1 /dev/iostat | cut -d' ' -f1-3)" "iostat 1 generation"
is "/dev/iostat: a line per disk" "$(disk_table | wc -l)" \
	"$(cat /sys/class/misc/iostat/numdevs)"
is "/dev/iostat: as many values as names" "$(awk 'NF == 0 { exit } NR > 1 { print NF }' /dev/iostat | sort -u | wc -l)" 1
is "/dev/iostat: the disk's line agrees with its stat line" \
	"$(disk_table | awk '$1 == "nbi" { for (i = 9; i <= NF; i++) printf "%s ", $i }')" \
	"$(awk '{ for (i = 2; i <= NF; i++) printf "%s ", $i }' /sys/block/nbi/iostat/stat)"
# A reader with a small buffer gets one text, of one time.
dd if=/dev/iostat of=/tmp/pieces bs=7 status=none
is "/dev/iostat: in pieces" "$(disk_table /tmp/pieces | awk '{ print NF }' | sort -u | wc -l)" 1
is "/dev/iostat: in pieces, every disk" "$(disk_table /tmp/pieces | wc -l)" \
	"$(cat /sys/class/misc/iostat/numdevs)"
# Two programs that share an open file description get one text between them.
exec 4</dev/iostat
{ dd bs=9 count=1 status=none; cat; } <&4 >/tmp/shared
exec 4<&-
is "/dev/iostat: a shared file position" \
	"$(disk_table /tmp/shared | awk '{ print NF }' | sort -u | wc -l) $(disk_table /tmp/shared | wc -l)" \
	"1 $(cat /sys/class/misc/iostat/numdevs)"

# Every statistic is a file with one value, and a column of the stat line.
columns=$(cat /sys/block/nbi/iostat/stat_columns)
for file in /sys/block/nbi/iostat/devstat/* /sys/block/nbi/iostat/kstat/*; do
	[ "$(wc -l <"$file")" = 1 ] && [ "$(wc -w <"$file")" = 1 ] || fail "sysfs: $file is not one value"
done
pass "sysfs: one value per file"
stat_of nbi s_
for name in $columns; do
	for group in devstat kstat; do
		file=/sys/block/nbi/iostat/$group/$name value=s_$name
		[ ! -e $file ] || [ "$name" = snaptime ] || [ "$(cat $file)" = "${!value}" ] ||
			fail "sysfs: $group/$name is $(cat $file), stat says ${!value}"
	done
done
pass "sysfs: files and stat line agree"

# The module cannot be unloaded while the device is open.
exec 5</dev/iostat
refuses "open: rmmod is refused" rmmod iostat
exec 5<&-

# Successive snapshots never go back, under load.
fio --disk_util=0 --name=job --filename=/dev/nbi --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
	--numjobs=2 --time_based --runtime=3 --size=32m >/dev/null 2>&1 &
for round in $(seq 300); do
	cat /sys/block/nbi/iostat/stat
done >/tmp/stats
wait $!
is "under load: values never go back and agree" "$(awk -v names="$columns" '
	BEGIN { n = split(names, name); for (i = 1; i <= n; i++) c[name[i]] = i }
	function v(x) { return $(c[x]) }
	{
		if (v("start_count") < v("end_count")) print "more ends than starts"
		if (v("operations_read") + v("operations_write") + v("merged") != v("end_count"))
			print "operations do not add up to the ends"
		if (v("wcnt") + v("rcnt") != v("start_count") - v("end_count"))
			print "queues do not add up to the transactions in flight"
		if (NR > 1) for (i = 1; i <= n; i++)
			if (name[i] !~ /^[wr]cnt$/ && $i < last[i]) print name[i] " goes backwards"
		if (NR > 1 && v("busy_time_ns") - last[c["busy_time_ns"]] > $1 - last[1])
			print "busy time grows faster than time"
		for (i = 1; i <= n; i++) last[i] = $i
	}' /tmp/stats | sort | uniq -c | head -n 3)" ""
balanced "under load" nbi
remove_null_blk_disk nbi
