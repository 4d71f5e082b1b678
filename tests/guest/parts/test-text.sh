# SPDX-License-Identifier: GPL-2.0
# Text that is generated while it is read: memory use, partial reads, and changes meanwhile.

. /payload/regions.sh
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
DISKS=256
disks=()
for ((i = 0; i < DISKS; i++)); do
	disks+=("txt$i")
done
make_null_blk_disks "${disks[@]}" -- size=1 || fail "text: disks"
is "text: many disks" "$(disk_table | grep -c '^txt')" $DISKS
for i in 1 2 3; do
	dd if=/dev/txt$i of=/dev/null bs=4k count=20 iflag=direct status=none
	dd if=/dev/zero of=/dev/txt$i bs=8k count=20 oflag=direct status=none
done

# bounded NAME FILES [MESSAGE]: reading takes at most a page per open file of an unprivileged user.
bounded()
{
	local name=$1 files opened by_reading
	shift
	sleep 1
	echo 3 >/proc/sys/vm/drop_caches
	read -r files opened by_reading < <(ulimit -n 1024 && $nobody /payload/textread hold "$@")
	echo "# $name: $files files, $opened bytes each, $by_reading more when one byte has been read"
	is "$name: all were read" "$files" "$1"
	# Other allocations meanwhile have a share in the sum.
	holds "$name: at most a page per open file being read" "by_reading <= 4096 + 256"
	# The slab allocator takes some of them from what it kept of the files before.
	holds "$name: the pages were counted" "by_reading > 1024"
	holds "$name: less than a page per open file" "opened < 4096"
}
open_files=$(repetitions 1000 4000)
bounded "memory: all disks" "$open_files"
bounded "memory: kstats" "$open_files" "@kstat"
bounded "memory: the list of kstats" "$open_files" "@kstat_list"
bounded "memory: event counters" "$open_files" "@evcnt_list all"
# The first line has the sum of all counters, so each file takes as long as a whole list.
bounded "memory: event counters with their children" "$(repetitions 500 4000)" "@evcnt_list all rollup"
sends "memory: a region" txt0 @stats_create - 1
for i in $(seq 100); do
	say txt1 @stats_create - 512 1 precise_timestamps program aux || fail "memory: region $i" "$reply"
done
# long_message DISK MESSAGE: bash writes at most 4096 bytes at a time.
long_message()
{
	echo "$2" | /payload/message iostat "$1"
}
is "memory: a histogram longer than a buffer" \
	"$(long_message txt2 "@stats_create - 1024 2 classes histogram:$(seq -s, 1 3000)")" "0 0%0a"
bounded "memory: a region" "$open_files" "txt0 @stats_print 0"
bounded "memory: regions" "$open_files" "txt1 @stats_list"
bounded "memory: a histogram" "$open_files" "txt2 @stats_print 0"
bounded "memory: a list with many bounds" "$open_files" "txt2 @stats_list"

# The text is the same whatever the sizes of the reads. Only current times differ: the disks are idle.
without_now()
{
	awk 'NF == 0 { exit } NR > 2 { $8 = "" } { print }' "$1"
	awk 'NF == 0 { times = 1 } times' "$1"
}
cat /dev/iostat >/tmp/whole
without_now /tmp/whole >/tmp/whole.quiet
is "pieces: histograms of all disks" \
	"$(awk 'NF == 0 { times = 1 } times && /^txt/ { print $1 }' /tmp/whole | sort -u | wc -l)" $DISKS
for bytes in 1 7 1000 4095 4096 4097 10000 1000000; do
	dd if=/dev/iostat of=/tmp/pieces bs=$bytes status=none
	is "pieces: of $bytes bytes" "$(without_now /tmp/pieces | cmp - /tmp/whole.quiet 2>&1)" ""
done
while read -r line; do
	echo "$line"
done </dev/iostat >/tmp/pieces
is "pieces: line by line, by a shell" "$(without_now /tmp/pieces | cmp - /tmp/whole.quiet 2>&1)" ""
mapfile -t lines </dev/iostat
is "pieces: by mapfile" "$(printf '%s\n' "${lines[@]}" >/tmp/pieces; without_now /tmp/pieces | cmp - /tmp/whole.quiet 2>&1)" ""

# check_pieces NAME MESSAGE: the reply equals /tmp/reply in reads of any size, and at any position.
check_pieces()
{
	local bytes at
	open_iostat 3
	echo "$2" >&3
	cat <&3 >/tmp/reply
	for at in 0 5000 10 4096 9000 4095 1000000 1 0; do
		is "pieces: $1, at $at" \
			"$(/payload/textread at $at 300 <&3 | cmp - <(tail -c +$((at + 1)) /tmp/reply | head -c 300) 2>&1)" ""
	done
	for bytes in 1 7 1000 4097 100000; do
		echo "$2" >&3
		is "pieces: $1, of $bytes bytes" "$(dd bs=$bytes status=none <&3 | cmp - /tmp/reply 2>&1)" ""
	done
	echo "$2" >&3
	while read -r line; do
		printf '%s\n' "$line"
	done <&3 >/tmp/pieces
	is "pieces: $1, line by line" "$(cmp /tmp/pieces /tmp/reply 2>&1)" ""
	exec 3>&-
}
check_pieces "a region" "txt0 @stats_print 0"
is "pieces: a line for each area" "$(wc -l </tmp/reply) $(sort -u /tmp/reply | wc -l)" "2048 2048"
check_pieces "some areas" "txt0 @stats_print 0 7 200"
is "pieces: those areas" "$(cut -d+ -f1 /tmp/reply | xargs)" "$(seq -s' ' 7 206)"
check_pieces "regions" "txt1 @stats_list"
is "pieces: a line for each region" "$(wc -l </tmp/reply)" 100
check_pieces "a histogram" "txt2 @stats_print 0"
is "pieces: its counts" "$(awk 'NR == 1 { print split($15, counts, ":"), NF }' /tmp/reply)" "3001 19"
is "pieces: its areas and total" "$(cut -d' ' -f1 /tmp/reply | xargs)" "0+1024 1024+1024 total"
check_pieces "a list with many bounds" "txt2 @stats_list"
is "pieces: its bounds" "$(awk '{ print split($6, bounds, ","), $NF }' /tmp/reply)" "3000 classes"
check_pieces "the list of kstats" "@kstat_list"
is "pieces: a line for each kstat" "$(tail -n +3 /tmp/reply | cut -d' ' -f1 | sort -u | wc -l)" \
	"$(($(wc -l </tmp/reply) - 2))"
holds "pieces: kstats of each disk" "$(grep -c ':txt' /tmp/reply) == DISKS"
check_pieces "statistics" "@kstat :::reads"
is "pieces: a statistic of each disk" "$(grep -c '^null.*:txt[0-9]*:reads' /tmp/reply)" $DISKS
open_iostat 3
for options in all "all rollup"; do
	echo "@evcnt_list $options" >&3
	dd bs=100 status=none <&3 >/tmp/pieces
	echo "@evcnt_list $options" >&3
	is "pieces: event counters, $options" "$(cat <&3 | cut -c1-34 | cmp - <(cut -c1-34 /tmp/pieces) 2>&1)" ""
	holds "pieces: counters of each disk, $options" "$(grep -c '^txt' /tmp/pieces) >= DISKS"
done
exec 3>&-

# Disks are added and removed during a read. A disk that exists all the time has one line.
exec 3</dev/iostat
dd bs=4000 count=1 status=none <&3 >/tmp/half
read_last=$(grep -a '^txt' /tmp/half | tail -n 2 | head -n 1 | cut -d' ' -f1)
remove_null_blk_disk txt0
remove_null_blk_disk "$read_last"
remove_null_blk_disk txt200
make_null_blk_disk txt0 size=1
cat <&3 >>/tmp/half
exec 3<&-
is "change: a disk that stays has one line" "$(disk_table /tmp/half | awk '{ print $1 }' | grep -vx "txt0\|$read_last\|txt200" | sort | uniq -c | awk '$1 != 1')" ""
is "change: all disks that stay have a line" "$(disk_table /tmp/half | awk '{ print $1 }' | grep '^txt' | grep -vxc "txt0\|$read_last\|txt200")" $((DISKS - 3))
is "change: a disk removed after its line has one" "$(disk_table /tmp/half | grep -c "^$read_last ")" 1
is "change: a disk removed before its line has none" "$(disk_table /tmp/half | grep -c '^txt200 ')" 0
is "change: two disks of one name, the old and the new, have a line each" "$(disk_table /tmp/half | grep -c '^txt0 ')" 2
is "change: no device number twice" "$(disk_table /tmp/half | cut -d' ' -f2 | sort | uniq -d)" ""
touch /tmp/churning
while [ -e /tmp/churning ]; do
	for i in 5 90 180 250; do
		remove_null_blk_disk "txt$i"
		make_null_blk_disk "txt$i" size=1
	done
done &
churn=$!
for bytes in 300 4000 100000; do
	for round in $(seq 6); do
		dd if=/dev/iostat of=/tmp/pieces bs=$bytes status=none
		disk_table /tmp/pieces | cut -d' ' -f1,2 >>/tmp/numbers
		echo "end" >>/tmp/numbers
	done
done
rm /tmp/churning
wait $churn
is "churn: eighteen complete texts" "$(grep -c end /tmp/numbers)" 18
is "churn: a disk that stays has one line in each" "$(awk '
	$1 == "end" { for (name in seen) delete seen[name]; next }
	seen[$2]++ { print "twice", $0 }
	$1 !~ /^txt(5|90|180|250)$/ { lines[$1]++ }
	END { for (name in lines) if (lines[name] != 18) print name, lines[name] }' /tmp/numbers)" ""

# Reading the reply of a region that is deleted fails.
open_iostat 3
open_iostat 4
sends "gone: create" txt4 @stats_create - 1
echo "txt4 @stats_print 0" >&3
head -c 1 <&3 >/dev/null
sends "gone: delete" txt4 @stats_delete 0
refuses "gone: a read fails" cat <&3
is "gone: ENOENT" "$(grep -c 'No such file' /tmp/out)" 1
sends "gone: create another with the same id" txt4 @stats_create - 1
refuses "gone: the new region is not read" cat <&3
echo "txt4 @stats_print 0" >&4
head -c 1 <&4 >/dev/null
remove_null_blk_disk txt4
refuses "gone: a read fails after the disk was removed" cat <&4
is "gone: ENXIO" "$(grep -c 'No such device' /tmp/out)" 1
exec 3>&- 4>&-
# Reading the reply of a region goes on when the region is resized.
sends "resize: a region" txt5 @stats_create 0+1000 1
open_iostat 3
echo "txt5 @stats_print 0" >&3
dd bs=4000 count=1 status=none <&3 >/tmp/half
sends "resize: while it is read" txt5 @stats_resize 0 500+1000
cat <&3 >>/tmp/half
exec 3>&-
is "resize: areas that stay once, and the new ones" \
	"$(cut -d+ -f1 /tmp/half | awk '$1 >= 500' | xargs)" "$(seq -s' ' 500 1499)"

# @stats_print_clear clears what is read, and only that.
sends "clear: a region" txt6 @stats_create - 1 1 "histogram:1,1000"
for i in 1 2 3; do
	dd if=/dev/txt6 of=/dev/null bs=4k count=256 iflag=direct status=none
done
sum()
{
	awk '{ reads += $2; sectors += $4; split($NF, counts, ":"); all += counts[1] + counts[2] + counts[3] }
		END { print reads + 0, sectors + 0, all + 0 }' "$@"
}
wait_idle txt6
say txt6 @stats_print 0
all=$(sum <<<"$reply")
is "clear: counts before" "$all" "6144 6144 6144"
open_iostat 3
echo "txt6 @stats_print_clear 0" >&3
exec 3>&-
say txt6 @stats_print 0
is "clear: what was not read is not cleared" "$(sum <<<"$reply")" "$all"
open_iostat 3
echo "txt6 @stats_print_clear 0" >&3
dd bs=5 count=1 status=none <&3 >/dev/null
echo "txt6 @stats_list" >&3
say txt6 @stats_print 0
is "clear: a partial line clears nothing" "$(sum <<<"$reply")" "$all"
# Some lines are read, then another message is sent, the file is closed, or the region is resized.
echo "txt6 @stats_print_clear 0" >&3
dd bs=5000 count=1 status=none <&3 >/tmp/one
echo "txt6 @stats_print_clear 0 1000 -" >&3
dd bs=1 count=3001 status=none <&3 >/tmp/two
sends "clear: resize in between" txt6 @stats_resize 0 0+2000
exec 3>&-
say txt6 @stats_print_clear 0
echo "$reply" >/tmp/three
for file in /tmp/one /tmp/two; do
	# The last line may be incomplete.
	head -n "$(wc -l <$file)" $file >$file.whole
done
echo "# lines: $(wc -l </tmp/one.whole) $(wc -l </tmp/two.whole) $(wc -l </tmp/three)"
is "clear: counts of the first 2000 areas, in three prints" "$(cat /tmp/one.whole /tmp/two.whole /tmp/three | sum)" "6000 6000 6000"
holds "clear: lines in each of the prints" "$(sum </tmp/one.whole | cut -d' ' -f1) > 0 && $(sum </tmp/two.whole | cut -d' ' -f1) > 0"
say txt6 @stats_print 0
is "clear: all is cleared" "$(sum <<<"$reply")" "0 0 0"
# A line longer than the buffer is cleared part by part: columns and counts, then the classes.
is "clear: long lines" \
	"$(long_message txt2 "@stats_create - 2048 2 classes histogram:$(seq -s, 1000 1000 3000000)")" "0 1%0a"
dd if=/dev/txt2 of=/dev/null bs=4k count=100 iflag=direct status=none
wait_idle txt2
# read_some BYTES READS: reads READS times BYTES of a print, and prints what the next print has: reads,
# counts and reads by class, of the area and the total.
read_some()
{
	open_iostat 3
	echo "txt2 @stats_print_clear 1" >&3
	dd bs="$1" count="$2" status=none <&3 >/dev/null
	exec 3>&-
	say txt2 @stats_print 1
	awk '{ line = $0; sub(/.* read:/, "", line); sub(/:.*/, "", line); all = 0; n = 0 }
		$1 != "total" { n = split($15, counts, ":"); for (i = 1; i <= n; i++) all += counts[i]; print $2, all, line }
		$1 == "total" { print $3, line }' <<<"$reply" | xargs
}
is "clear: long lines: nothing read" "$(read_some 3000 0)" "100 100 100 100 100"
is "clear: long lines: a part of the first piece" "$(read_some 3000 1)" "100 100 100 100 100"
is "clear: long lines: the first piece" "$(read_some 5000 1)" "0 0 100 100 100"
is "clear: long lines: all" "$(read_some 4096 1000)" "0 0 0 0 0"
# A line longer than the buffer whose area a resize removes.
open_iostat 3
echo "txt2 @stats_print 0" >&3
dd bs=3000 count=1 status=none <&3 >/dev/null
sends "resize: a part of a long line was read" txt2 @stats_resize 0 1024+1024
refuses "resize: the rest of a long line" cat <&3
is "resize: the rest of a long line: ESTALE" "$(grep -c 'Stale file handle' /tmp/out)" 1
exec 3>&-
open_iostat 3
echo "txt6 @stats_print_clear 0 0 1" >&3
sends "clear: all" txt6 @stats_clear 0
dd if=/dev/txt6 of=/dev/null bs=4k count=1 iflag=direct status=none
exec 3>&-
wait_idle txt6
say txt6 @stats_print 0 0 1
is "clear: cleared counts do not return" "$(cut -d' ' -f2 <<<"$reply")" 1

cd /sys/kernel/config/nullb
remove_null_blk_disk txt*
cd "$OLDPWD"
rm -f /tmp/whole* /tmp/pieces /tmp/half /tmp/one* /tmp/two* /tmp/three /tmp/reply /tmp/numbers
