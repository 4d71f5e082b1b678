# SPDX-License-Identifier: GPL-2.0
# Two hundred and forty disks are created and removed, some with I/O in flight, while the interfaces are
# read. Two jobs of each kind run at a time, as most of their time is waiting.

CHURNS=60
control=/sys/class/misc/iostat
generation=$(cat $control/generation)
numdevs=$(cat $control/numdevs)
rm -f /tmp/churn-*
: >/tmp/churning
[ -p /tmp/never ] || mkfifo /tmp/never
exec 9<>/tmp/never # read -t sleeps on it without a new process

churning()
{
	[ -e /tmp/churning ]
}

# entered WHO DISK: records the values that identify this entry.
entered()
{
	local number created diskseq
	read -r number <"/sys/block/$2/iostat/devstat/device_number"
	read -r created <"/sys/block/$2/iostat/devstat/creation_time_ns"
	read -r diskseq <"/sys/block/$2/iostat/devstat/diskseq"
	echo "$number $created $diskseq" >>"/tmp/churn-entries-$1"
}

# use DISK WHO: returns when a read is in flight, which the driver completes after 20 ms.
use()
{
	local reads writes
	dd if="/dev/$1" of=/dev/null bs=64k count=3 iflag=direct 2>/dev/null &
	while kill -0 $! 2>/dev/null; do
		read -r reads writes <"/sys/block/$1/inflight"
		((reads == 0)) || { echo "$1" >>"/tmp/churn-used-$2"; break; }
	done
}

churn_null()
{
	local i
	for ((i = 0; i < CHURNS; i++)); do
		make_null_blk_disk "nbc$1" size=16 irqmode=2 completion_nsec=20000000 || return 1
		entered "null$1" "nbc$1"
		((i % 5)) || use "nbc$1" "null$1"
		remove_null_blk_disk "nbc$1" || return 1
		wait
	done
}

# The disk below has the dm disk among its holders. A dm disk that is in use is removed when its
# reader ends.
churn_dm()
{
	local i disk
	make_null_blk_disk "nbd$1" size=16 irqmode=2 completion_nsec=20000000 || return 1
	for ((i = 0; i < CHURNS; i++)); do
		dmsetup create "churn$1" --table "0 32768 linear /dev/nbd$1 0" || return 1
		disk=$(echo "/sys/block/nbd$1/holders/"*)
		disk=${disk##*/}
		entered "dm$1" "$disk"
		((i % 5)) || use "$disk" "dm$1"
		dmsetup remove --deferred "churn$1" || return 1
		wait
		while [ -e "/sys/block/nbd$1/holders/$disk" ]; do read -rt 0.01 -u 9; done
	done
	remove_null_blk_disk "nbd$1"
}

# read_list: checks that each list has as many lines as its first line says, that its entries are in
# order, that one generation is one list, and that a device number is never used for two disks.
read_list()
{
	while churning; do
		read -rt 0.05 -u 9
		IFS= read -rd '' list </dev/iostat # all of it, without a new process
		printf %s "$list"
		echo "after $(<$control/generation)"
	done 2>>/tmp/churn-errors | awk '
		function bad(what) { print what ": " $0; wrong++ }
		# The text is generated while it is read: it is complete if the generation is the same afterwards.
		$1 == "after" {
			lists++
			if ($2 != generation) next
			same++
			if (lines != numdevs) bad(lines " of " numdevs " lines")
			if (generation in list && list[generation] != all) bad("generation " generation " again")
			list[generation] = all
		}
		$1 == "iostat" {
			if (table) bad("no end")
			if ($4 < generation) bad("back from " generation)
			generation = $4; numdevs = $6; lines = 0; all = ""; priority = ""; table = 1
			getline
			next
		}
		table && NF == 0 { table = 0 }
		table && NF {
			lines++
			all = all " " $2
			if (priority != "" && ($5 > priority || $5 == priority && $2 <= number)) bad("order")
			priority = $5; number = $2
			self = $1 " " $3 " " $4 " " $6
			if (number in identity && identity[number] != self) bad("was " identity[number])
			identity[number] = self
		}
		END { print lists + 0, wrong + 0, same + 0 }' >/tmp/churn-lists
}

# read_stat: checks that lines are complete.
read_stat()
{
	while churning; do read -rt 0.05 -u 9; cat /sys/block/*/iostat/stat; done 2>>/tmp/churn-errors |
		awk -v columns="$1" 'NF != columns { wrong++; print } END { print NR, wrong + 0 }' >/tmp/churn-stats
}

read_files()
{
	while churning; do read -rt 0.05 -u 9; cat /sys/block/*/iostat/*/*; done >/dev/null 2>>/tmp/churn-errors
}

readers=() churns=()
read_list & readers+=($!)
read_stat "$(wc -w </sys/block/vda/iostat/stat_columns)" & readers+=($!)
read_files & readers+=($!)
for who in "null 1" "null 2" "dm 1" "dm 2"; do
	churn_$who & churns+=($!)
done
for who in "${churns[@]}"; do
	wait "$who" || fail "churn: a job failed"
done
rm /tmp/churning
wait "${readers[@]}"

made=$(cat /tmp/churn-entries-* | wc -l)
is "churn: disks created" "$made" $((4 * CHURNS))
holds "churn: at least half removed with I/O in flight" "$(cat /tmp/churn-used-* | wc -l) >= $CHURNS / 2"
for column in 1 2 3; do
	is "churn: values of column $column are unique" "$(cut -d ' ' -f $column /tmp/churn-entries-* | sort -u | wc -l)" "$made"
done
for who in /tmp/churn-entries-*; do
	is "churn: numbers and times increase: ${who##*-}" \
		"$(awk '$1 <= n || $2 <= t || $3 <= s { print } { n = $1; t = $2; s = $3 }' "$who")" ""
done
is "churn: generation" "$(cat $control/generation)" $((generation + 2 * made + 4))
is "churn: accounts closed" "$(cat $control/numdevs)" "$numdevs"
is "churn: lines of the list" "$(disk_table | wc -l)" "$numdevs"
is "churn: no I/O left in the table" "$(cat $control/tracked)" 0
nothing_lost "churn"
is "churn: readers get no error but ENOENT and ENODEV" \
	"$(grep -vE 'No such (file or directory|device)$' /tmp/churn-errors | sort | uniq -c | head -n 3)" ""
read -r lists wrong same < <(tail -n 1 /tmp/churn-lists)
holds "churn: lists were read" "lists >= 100"
holds "churn: some lists were read without a change" "same >= lists / 10"
is "churn: every list is consistent" "$wrong $(head -n 1 /tmp/churn-lists)" "0 $lists 0 $same"
read -r stats wrong < <(tail -n 1 /tmp/churn-stats)
holds "churn: lines were read" "stats >= 1000"
is "churn: every line is complete" "$wrong" 0
