# SPDX-License-Identifier: GPL-2.0
# devstat(9): entries of other modules, each function as the manual page describes it, and what
# happens on misuse.

devstat=/sys/class/misc/iostat/devstat
client=/sys/module/devstat_client/parameters

# asked LINE: passes a request to the client and prints the result.
asked()
{
	echo "$1" >$client/do || return 1
	cat $client/result
}

# of ENTRY FILE...: prints the values of the entry's files.
of()
{
	local entry=$1
	shift
	(cd "$devstat/$entry" && cat "$@" | paste -sd' ')
}

# line ENTRY COLUMN...: prints values of the entry's line in /dev/iostat.
line()
{
	local entry=$1
	shift
	awk -v entry="$entry" -v want="$*" '
		NR == 2 { for (i = 1; i <= NF; i++) if (!($i in column)) column[$i] = i; n = split(want, name, " ") }
		$1 == entry { for (i = 1; i <= n; i++) printf "%s%s", $column[name[i]], i < n ? " " : "\n"; exit }
	' /dev/iostat
}

# order: prints the client's entries in the order of the list.
order()
{
	awk 'NR > 2 && $1 == "device" { exit } NR > 2 && $1 ~ /^p[a-z]+[0-9]/ { print $1 }' /dev/iostat | paste -sd' '
}

# kstat SELECTOR: prints its value.
kstat()
{
	open_iostat 7
	echo "@kstat $1" >&7 && cut -f 2 <&7
	exec 7<&-
}

number()
{
	cat /sys/class/misc/iostat/"$1"
}

warned=0
# warns NAME WANT LINE: checks the result of a request, and that it logs one line.
warns()
{
	local before
	before=$(dmesg | grep -c 'iostat: devstat: ')
	is "$1: result" "$(asked "$3")" "$2"
	is "$1: one line" $(($(dmesg | grep -c 'iostat: devstat: ') - before)) 1
	warned=$((warned + 1))
	# Ten in five seconds are logged.
	((warned % 8)) || sleep 6
}

# The two samples.
is "directory: empty at first" "$(ls $devstat)" ""
numdevs=$(number numdevs) generation=$(number generation)
succeeds "samples: in C" insmod /payload/fake_tape.ko
echo 10 >/sys/module/fake_tape/parameters/write
is "sample in C: blocks and filemarks" "$(of fake_tape0 devstat/operations_{none,read,write,free})" "2 0 10 0"
is "sample in C: bytes" "$(of fake_tape0 devstat/bytes_{none,read,write,free})" "0 0 102400 0"
is "sample in C: identity" \
	"$(of fake_tape0 devstat/{device_name,unit_number,device_type,flags,priority,block_size,driver})" \
	"fake_tape 0 0x11 0x2 0x60 10240 fake_tape"
is "sample in C: as a kstat" "$(of fake_tape0 kstat/{module,instance,name,class,nwritten,writes})" \
	"fake_tape 0 fake_tape0 tape 102400 10"
holds "sample in C: its durations" "$(of fake_tape0 devstat/duration_write_ns) >= 10000"
is "sample in C: one at a time, so durations are busy time" \
	$(($(of fake_tape0 devstat/duration_write_ns) + $(of fake_tape0 devstat/duration_none_ns))) \
	"$(of fake_tape0 devstat/busy_time_ns)"
is "sample in C: a line in the list" "$(line fake_tape0 dev diskseq class operations_write)" "0:0 0 tape 10"
is "sample in C: its kind by a call" "$(/payload/abi list | awk '$1 == "fake_tape0" { print $7 }')" tape
is "sample in C: a histogram" "$(awk '$1 == "fake_tape0" && $3 == "write" && $4 == "total"' /dev/iostat | wc -l)" 1
is "sample in C: a line of its own" "$(wc -w <$devstat/fake_tape0/stat)" "$(wc -w <$devstat/fake_tape0/stat_columns)"
is "numdevs: the entry is counted" "$(number numdevs)" $((numdevs + 1))
is "generation: one change" "$(number generation)" $((generation + 1))
refuses "clients: iostat cannot be unloaded" rmmod iostat
refuses "regions: not supported for an entry without sectors" send "fake_tape0 @stats_create - /10"
succeeds "samples: in Rust" insmod /payload/fake_rpc.ko calls=25
is "sample in Rust: calls" "$(of fake_rpc0 devstat/{operations_read,bytes_read,start_count,end_count})" "25 25600 25 25"
is "sample in Rust: identity" "$(of fake_rpc0 devstat/{device_type,flags,priority} kstat/class)" "0x39 0x1 0x20 misc"
is "sample in Rust: its kind by a call" "$(/payload/abi list | awk '$1 == "fake_rpc0" { print $7 }')" misc
is "sample in Rust: idle again" "$(of fake_rpc0 kstat/rcnt)" 0
succeeds "samples: both are unloaded" rmmod fake_tape fake_rpc
is "samples: their entries are removed" "$(ls $devstat)" ""
is "samples: numdevs as before" "$(number numdevs)" "$numdevs"
is "samples: generation, four changes" "$(number generation)" $((generation + 4))
is "samples: no warning" "$(dmesg | grep -c 'iostat: devstat: ')" 0

# devstat_new_entry(), devstat_add_entry(), devstat_remove_entry().
succeeds "client: loads" insmod /payload/devstat_client.ko
is "new: an entry" "$(asked 'new 0 pa 3 512 0 0x30 0x110')" 0
is "new: identity" \
	"$(of pa3 devstat/{device_name,unit_number,device_type,flags,priority,block_size,driver,diskseq})" \
	"pa 3 0x30 0x0 0x110 512 devstat_client 0"
is "new: a kstat" "$(kstat devstat_client:3:pa3:class)" misc
is "new: counts are 0" "$(of pa3 devstat/{start_count,end_count,busy_time_ns})" "0 0 0"
is "new: a name that ends in a digit" "$(asked 'new 1 pb2 1 0 7 0x149 0xfff')" 0
is "new: its kstat has the unit" "$(kstat devstat_client:1:pb21:class)" misc
is "new: name and unit are separate values" "$(of pb21 devstat/{device_name,unit_number,device_type,flags})" "pb2 1 0x149 0x7"
is "new: a name of 15" "$(asked 'new 2 pcccccccccccccc 2147483647 0 0 0 0')" 0
is "new: a name of 15 is not cut" "$(of pcccccccccccccc2147483647 devstat/device_name)" pcccccccccccccc
before=$(of pa3 devstat/device_number)
is "add: in the client's memory" "$(asked 'add 3 pd 0 512 0 0x30 0x110')" 0
is "list: by priority, equal ones in order of attachment" "$(order)" \
	"pb21 pa3 pd0 pcccccccccccccc2147483647"
is "device_number: grows" "$(of pd0 devstat/device_number)" $((before + 3))
is "remove: an entry of devstat_new_entry()" "$(asked 'remove 0')" 0
is "remove: its kstat is removed" "$(kstat devstat_client:3:pa3:class)" ""
is "new: the same name again" "$(asked 'new 0 pa 3 512 0 0x30 0x110')" 0
is "list: now after entries of the same priority" "$(order)" "pb21 pd0 pa3 pcccccccccccccc2147483647"
is "device_number: never used again" "$(of pa3 devstat/device_number)" $((before + 4))
is "list: each line has a directory" "$(order | wc -w)" "$(ls $devstat | wc -w)"
is "remove: an entry of devstat_add_entry()" "$(asked 'remove 3') $(order)" "0 pb21 pa3 pcccccccccccccc2147483647"
is "add: the same memory again" "$(asked 'add 3 pd 0 512 0 0x30 0x110')" 0
generation=$(number generation) numdevs=$(number numdevs) listed=$(order)
is "unit -1: any pointer for its name" "$(asked 'new 4 anything -1 512 0 0x30 0x110')" 0
is "unit -1: not listed" "$(number numdevs) $(order)" "$numdevs $listed"
is "unit -1: no kstat" "$(kstat devstat_client:-1)" ""
is "unit -1: the generation changes" "$(number generation)" $((generation + 1))
is "unit -1: takes no device_number" "$(asked 'new 5 pe 0 0 0 0 0') $(of pe0 devstat/device_number)" "0 $((before + 6))"
is "unit -1: counts" "$(asked 'start 4') $(asked 'end 4 1 0 1') $(asked 'remove 4')" "0 0 0"
is "unit -1: the generation changes on removal" "$(number generation)" $((generation + 3))
asked 'remove 5' >/tmp/out

# devstat_start_transaction() and devstat_end_transaction() of pa3, at known times.
is "now: same clock as snapshots" "$((($(of pa3 kstat/snaptime) - $(asked 'now 0')) / 1000000000))" 0
now=$(asked 'now 0')
is "start: NULL time" "$(asked 'start 0')" 0
is "start: one in flight" "$(of pa3 kstat/rcnt devstat/{start_count,end_count})" "1 1 0"
holds "start: the device is busy" "$(of pa3 devstat/busy_time_ns) > 0"
is "end: four arguments" "$(asked 'end 0 100 0 1')" 0
is "end: counted" "$(of pa3 kstat/rcnt devstat/{end_count,operations_read,bytes_read,tag_simple})" "0 1 1 100 1"
is "end: without a start time no duration" "$(of pa3 devstat/duration_read_ns)" 0
is "end: without a start time not in a histogram" "$(awk '$1 == "pa3" && $3 == "read"' /dev/iostat | grep -c total)" 0
busy=$(of pa3 devstat/busy_time_ns) queue=$(of pa3 kstat/rlentime)
start=$(asked 'now 0')
is "start: at a time" "$(asked "start_at 0 $start") $(asked "start_at 0 $((start + 1000))")" "0 0"
is "end: six arguments" "$(asked "end_at 0 5000000000 1 2 $((start + 3000)) $start")" 0
is "end: the last in flight" "$(asked "end_at 0 7 2 3 $((start + 6000)) $((start + 1000))")" 0
is "end: durations" "$(of pa3 devstat/duration_{none,read,write,free}_ns)" "0 0 3000 5000"
is "end: bytes of more than 32 bits" "$(of pa3 devstat/bytes_{none,read,write,free})" "0 100 5000000000 7"
is "end: tag types" "$(of pa3 devstat/tag_{simple,head,ordered})" "1 1 1"
is "end: busy from the first start to the last end" $(($(of pa3 devstat/busy_time_ns) - busy)) 6000
is "end: the queue's integral" $(($(of pa3 kstat/rlentime) - queue)) 8000
is "end: no data, no tag" "$(asked 'start 0') $(asked 'end 0 0 3 0')" "0 0"
is "end: no data, no tag: counted" "$(of pa3 devstat/{operations_none,tag_simple,tag_head,tag_ordered})" "1 1 1 1"
is "end: a start time after the end adds no duration" "$(asked 'start 0') $(asked "end_at 0 0 3 2 $start $((start + 5))") $(of pa3 devstat/duration_write_ns)" "0 0 3000"
is "histograms: only operations with times" \
	"$(of pa3 latency/write_total | cut -d' ' -f1) $(awk '$1 == "pa3" && $4 == "total" { print $3, $5 }' /dev/iostat | paste -sd' ')" \
	"2 write 2 free 1"
for tag in 0 1 2; do
	asked 'start 1' && asked "end 1 1 $tag 2"
done >/tmp/out
is "NO_ORDERED_TAGS: no tag is counted" "$(of pb21 devstat/{operations_write,tag_simple,tag_head,tag_ordered})" "3 0 0 0"
cpus=$(nproc)
is "all CPUs: at the same time" "$(asked 'spread 3 20000')" 0
is "all CPUs: exact" "$(of pd0 devstat/{start_count,end_count,operations_write,bytes_write} kstat/rcnt)" \
	"$((cpus * 20000)) $((cpus * 20000)) $((cpus * 20000)) $((cpus * 60000)) 0"
# In new entries, whose CPUs have no records yet: on_each_cpu() keeps interrupts off, so all transactions are in the one
# record that the CPUs share.
for i in {1..20}; do
	asked 'new 6 ps 0 512 0 0x30 0x110' && asked 'spread 6 2000'
	of ps0 devstat/{start_count,end_count,bytes_write} kstat/rcnt
	asked 'remove 6'
done | sort | uniq -c | xargs >/tmp/out
is "all CPUs: exact in the record that they share" "$(cat /tmp/out)" \
	"60 0 20 $((cpus * 2000)) $((cpus * 2000)) $((cpus * 6000)) 0"
is "all CPUs: with interrupts off" "$(asked 'irq 3') $(of pd0 devstat/operations_write)" "0 $((cpus * 20000 + 1))"
holds "busy time: at most the entry's age" "$(of pd0 devstat/busy_time_ns) <= $(of pd0 kstat/snaptime) - $(of pd0 devstat/creation_time_ns)"

# Transactions recorded after they happened, with a read in between: the bounds that devstat.rst gives.
asked 'new 9 pj 0 512 0 0x30 0x110' >/tmp/out
start=$(asked 'now 9')
asked "start_at 9 $start" >/tmp/out
read -r snaptime busy rtime area <<<"$(line pj0 snaptime busy_time_ns rtime rlentime)"
is "late: a read includes the open interval in all times" "$busy $rtime $area" \
	"$((snaptime - start)) $((snaptime - start)) $((snaptime - start))"
asked "end_at 9 512 1 1 $((start + 1000)) $start" >/tmp/out
is "late: times do not fall below what was read" "$(line pj0 busy_time_ns rtime rlentime)" "$busy $rtime $area"
is "late: too high by the time from the end to the read" $((busy - 1000)) $((snaptime - (start + 1000)))
is "late: the duration is exact" "$(of pj0 devstat/duration_read_ns)" 1000
# The error of a second delayed end does not add to the first.
start=$(asked 'now 9')
asked "start_at 9 $start" >/tmp/out
read -r snaptime again <<<"$(line pj0 snaptime busy_time_ns)"
asked "end_at 9 512 1 1 $((start + 1000)) $start" >/tmp/out
holds "late: errors of two delayed ends do not add up" "again - 2000 <= (busy - 1000 > snaptime - start - 1000 ? busy - 1000 : snaptime - start - 1000) + 1000"
# The exact value exceeds the value that was read.
missing=$(($(line pj0 busy_time_ns) - 2000))
start=$(($(asked 'now 9') - missing - 7))
is "late: exact once the exact value exceeds what was read" \
	"$(asked "start_at 9 $start") $(asked "end_at 9 512 1 1 $((start + missing + 7)) $start") $(line pj0 busy_time_ns)" \
	"0 0 $((2000 + missing + 7))"
# A start that is recorded after it happened.
read -r before busy area <<<"$(line pj0 snaptime busy_time_ns rlentime)"
start=$(($(asked 'now 9') - 2000000000))
asked "start_at 9 $start" >/tmp/out
asked "end_at 9 512 1 1 $((start + 1500000000)) $start" >/tmp/out
read -r after late <<<"$(line pj0 snaptime busy_time_ns)"
holds "late: busy time grows no faster than the clock" "late > busy && late - busy <= after - before"
holds "late: at most the delay is missing" "busy + 1500000000 - late <= after - start"
is "late: the queue's integral is exact" "$(line pj0 rlentime)" $((area + 1500000000))
asked 'remove 9' >/tmp/out

# devstat_start_transaction_bio(), _bio_t0(), devstat_end_transaction_bio(), _bio_bt(): operations 0 read, 1
# write, 2 flush, 3 discard, 5 secure erase, 9 write zeroes, 15 zone finish. REQ_FUA and REQ_PREFLUSH.
fua=$((1 << 17)) preflush=$((1 << 18))
asked 'new 5 pf 0 512 0 0 0x110' >/tmp/out
is "bio: a read" "$(asked 'bio 5 0 0 4096 0') $(of pf0 devstat/{operations_read,bytes_read,duration_read_ns,tag_simple})" "0 1 4096 1000 1"
is "bio: a write" "$(asked 'bio 5 1 0 512 0') $(of pf0 devstat/{operations_write,bytes_write,tag_simple,tag_ordered})" "0 1 512 2 0"
is "bio: an ordered write" "$(asked "bio 5 1 $fua 512 0") $(of pf0 devstat/{operations_write,bytes_write,tag_simple,tag_ordered})" "0 2 1024 2 1"
is "bio: a flush" "$(asked "bio 5 1 $preflush 0 0") $(of pf0 devstat/{operations_none,bytes_none,tag_ordered})" "0 1 0 2"
is "bio: discards" "$(asked 'bio 5 3 0 8192 0') $(asked 'bio 5 5 0 512 0') $(of pf0 devstat/{operations_free,bytes_free})" "0 0 2 8704"
is "bio: write zeroes and a zone operation" "$(asked 'bio 5 9 0 512 0') $(asked 'bio 5 15 0 0 0') $(of pf0 devstat/{operations_write,operations_none})" "0 0 3 2"
is "bio: a failed read" "$(asked 'bio 5 0 0 4096 10') $(of pf0 devstat/{operations_read,bytes_read})" "0 2 4096"
is "bio: the two functions without a time argument" "$(asked 'whole_bio 5') $(of pf0 devstat/{operations_read,bytes_read,start_count,end_count})" "0 3 4608 10 10"
asked 'remove 5' >/tmp/out
is "NULL: ignored by all functions" "$(asked null)" 0
is "all functions: no warning" "$(dmesg | grep -c 'iostat: devstat: ')" 0

# Misuse. ENOENT 2, EEXIST 17, EINVAL 22, ERANGE 34, ENAMETOOLONG 36.
listed=$(order) generation=$(number generation)
counted=$(cat $devstat/pa3/stat | cut -d' ' -f2-21)
warns "a name of 16" -36 "new 6 pggggggggggggggg 0 0 0 0 0"
warns "a name in use" -17 "new 6 pa 3 0 0 0 0"
warns "a name in use, with another unit" -17 "new 6 pb 21 0 0 0 0"
warns "added twice" -17 "add 3 pz 0 0 0 0 0"
warns "no name" -22 "new 6 / 0 0 0 0 0"
warns "no unit" -22 "new 6 pz -2 0 0 0 0"
warns "invalid flags" -22 "new 6 pz 0 0 8 0 0"
warns "invalid type" -22 "new 6 pz 0 0 0 0xf 0"
warns "invalid interface" -22 "new 6 pz 0 0 0 0x50 0"
warns "invalid priority" -22 "new 6 pz 0 0 0 0 0x1000"
warns "an end without a start" -34 "end 0 1 0 1"
warns "an end with an invalid tag type" -22 "end 0 1 4 1"
warns "an end with an invalid class" -22 "end 0 1 0 4"
is "an end without a start: changes nothing" "$(cut -d' ' -f2-21 $devstat/pa3/stat)" "$counted"
is "an end without a start: the message names the module" \
	"$(dmesg | grep 'devstat: .*no transaction in progress' | grep -c '\[devstat_client\]')" 1
asked 'new 7 ph 0 0 0 0 0' >/tmp/out
asked 'start 7' >/tmp/out
is "removed: with a transaction in flight" "$(asked 'remove 7')" 0
warns "removed twice" -2 "remove 7"
warns "a start after it was removed" -2 "start 7"
asked 'new 8 ph 0 0 0 0 0' >/tmp/out
warns "an end after the removal, with another entry in its slot" -2 "end 7 1 0 1"
is "an end after the removal: not counted for the other entry" "$(of ph0 devstat/{start_count,end_count})" "0 0"
asked 'remove 8' >/tmp/out
sleep 6
before=$(dmesg | grep -c 'iostat: devstat: ')
is "garbage" "$(asked garbage)" 0
is "garbage: eight lines" $(($(dmesg | grep -c 'iostat: devstat: ') - before)) 8
sleep 6
is "misuse: the list is unchanged" "$(order)" "$listed"
is "misuse: four changes of the generation" $(($(number generation) - generation)) 4
before=$(dmesg | grep -c 'iostat: devstat: ')
for round in $(seq 100); do
	asked "end 0 1 0 1"
done >/tmp/out
is "often: each call returns the error" "$(sort -u /tmp/out)" -34
holds "often: the log is rate limited" "$(($(dmesg | grep -c 'iostat: devstat: ') - before)) <= 60"
sleep 6

# A disk is added with the name of an entry.
is "disk with the name of an entry: the entry" "$(asked 'new 4 nullb 8 512 0 0 0x110') $(asked 'start 4') $(asked 'end 4 7 1 2')" "0 0 0"
make_null_blk_disk nullb8
disk=/sys/block/nullb8/iostat reads=$(cat /sys/block/nullb8/iostat/kstat/reads)
dd if=/dev/nullb8 of=/dev/null bs=4k count=10 iflag=direct status=none
is "disk with the name of an entry: recorded" "$(cat $disk/kstat/reads $disk/kstat/writes | paste -sd' ')" "$((reads + 10)) 0"
is "disk with the name of an entry: the entry is unchanged" "$(of nullb8 kstat/reads kstat/writes)" "0 1"
is "disk with the name of an entry: both are listed" \
	"$(awk 'NR > 2 && $1 == "device" { exit } $1 == "nullb8" { print $3 == "0:0" ? "entry" : "disk" }' /dev/iostat | sort | paste -sd' ')" \
	"disk entry"
holds "disk with the name of an entry: different device numbers" \
	"$(cat $disk/devstat/device_number) > $(of nullb8 devstat/device_number)"
succeeds "disk with the name of an entry: messages are for the disk" send "nullb8 @stats_create - /10"
is "disk with the name of an entry: the entry is removed" "$(asked 'remove 4') $(cat $disk/kstat/reads)" "0 $((reads + 10))"
warns "entry with the name of a disk" -17 "new 4 nullb 8 512 0 0 0x110"
remove_null_blk_disk nullb8
is "entry with the name of a removed disk" "$(asked 'new 4 nullb 8 512 0 0 0x110') $(asked 'remove 4')" "0 0"

# The client is unloaded with entries left, one of them in its own memory.
left=$(order | wc -w)
holds "forgotten: at least three entries" "$left >= 3"
asked 'new 4 anything -1 512 0 0x30 0x110' >/tmp/out
asked 'start 0' >/tmp/out
succeeds "forgotten: the client is unloaded" rmmod devstat_client
is "forgotten: its entries are removed" "$(order)$(ls $devstat)" ""
is "forgotten: no new entry in its exit function" "$(dmesg | grep -c 'devstat_client: at its exit: -19')" 1
is "forgotten: one line in the log" "$(dmesg | grep -c "devstat: module devstat_client unloaded with $((left + 1)) entries left; removed")" 1

# 1000 entries, added and removed beside readers.
succeeds "many: the client is loaded again" insmod /payload/devstat_client.ko
# watched COMMAND FIELDS FILE: repeats COMMAND while /tmp/reading exists, and writes to FILE how
# many lines of entries it printed and how many of these were invalid.
watched()
{
	while [ -e /tmp/reading ]; do
		eval "$1"
	done | awk -v fields="$2" '
		$1 == "failed" || /^many|^[0-9]/ && NF != fields { bad++ }
		/^many|^[0-9]/ { seen++ }
		END { print seen + 0, bad + 0 }' >"$3"
}
touch /tmp/reading
watched "cat /dev/iostat || echo failed" 45 /tmp/watched-1 &
watched "cat /dev/iostat || echo failed" 45 /tmp/watched-2 &
watched "cat $devstat/many*/stat 2>/dev/null" 38 /tmp/watched-3 &
numdevs=$(number numdevs) generation=$(number generation)
is "many: 1000 entries" "$(asked 'many 1000')" 0
is "many: again, with the same names" "$(asked 'many 100')" 0
rm /tmp/reading
wait
is "many: all are removed" "$(ls $devstat | wc -l) $(number numdevs)" "0 $numdevs"
is "many: 2200 changes" $(($(number generation) - generation)) 2200
is "many: no reader failed, every line is complete" "$(cut -d' ' -f2 /tmp/watched-* | sort -u)" 0
holds "many: readers saw them in the list" "$(cut -d' ' -f1 /tmp/watched-2) > 1000"
holds "many: readers saw them in sysfs" "$(cut -d' ' -f1 /tmp/watched-3) > 100"
rm -f /tmp/watched-*
succeeds "many: the client is unloaded" rmmod devstat_client
nothing_lost "devstat"
