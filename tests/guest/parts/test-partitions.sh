# SPDX-License-Identifier: GPL-2.0
# Partitions: each has an entry of its own, and its disk's entry includes its I/O.

control=/sys/class/misc/iostat

# The first partition of a disk: its I/Os are not in its disk's own account, as those before of the same request were.
make_null_blk_disk nbf size=64 submit_queues=1 hw_queue_depth=1
succeeds "first partition: reads before" dd if=/dev/nbf of=/dev/null bs=4k count=5 iflag=direct status=none
succeeds "first partition: it is added" /payload/partition /dev/nbf 1 2048 4096
before=$(cat /sys/block/nbf/iostat/devstat/operations_read)
succeeds "first partition: reads" dd if=/dev/nbf1 of=/dev/null bs=4k count=3 iflag=direct status=none
is "first partition: its reads, and those of its disk" "$(cat /sys/block/nbf/{nbf1/,}iostat/devstat/operations_read | xargs)" "3 $((before + 3))"
remove_null_blk_disk nbf

make_null_blk_disk nbp size=256 memory_backed=1 irqmode=2 completion_nsec=50000 submit_queues=2
generation=$(cat $control/generation)
numdevs=$(cat $control/numdevs)
succeeds "partitions: a table of two" make_partitions /dev/nbp 2048:131072 133120:131072
is "partitions: two more accounts" "$(cat $control/numdevs)" $((numdevs + 2))
is "partitions: generation" "$(cat $control/generation)" $((generation + 2))
# part_line COLUMN NAME: prints a column of the first table.
part_line()
{
	awk -v want="$1" -v name="$2" 'NF == 0 { exit } NR == 2 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 2 && $1 == name { print $(c[want]) }' /dev/iostat
}
is "partitions: class" "$(part_line class nbp1)" partition
is "partitions: class of the disk" "$(part_line class nbp)" disk
# Some of the files come with the first I/O; those whose numbers are added up over all devices do not.
files=/sys/block/nbp/nbp2/iostat
is "partitions: files before the first I/O" "$(cd $files && echo *)" "devstat stat stat_columns"
is "partitions: no I/O yet" "$(cat $files/devstat/{start_count,operations_read} | paste -sd' ')" "0 0"
succeeds "partitions: a read" dd if=/dev/nbp2 of=/dev/null bs=4k count=1 iflag=direct status=none
succeeds "partitions: all files after it" all_files nbp/nbp2
is "partitions: files after the first I/O" "$(cd $files && echo *)" "devstat kstat latency oldest_in_flight_ns size stat stat_columns"
is "partitions: the first I/O is counted" "$(cat $files/kstat/reads) $(cut -d' ' -f1 $files/latency/read_total)" "1 1"
is "partitions: another's first I/O brings no files" "$(ls -d ${files/nbp2/nbp1}/kstat 2>/dev/null)" ""
is "partitions: class in sysfs" "$(cat $files/kstat/class)" partition
is "partitions: device number" "$(part_line dev nbp1)" "$(cat /sys/block/nbp/nbp1/dev)"
is "partitions: diskseq is the disk's" "$(part_line diskseq nbp2)" "$(cat /sys/block/nbp/diskseq)"

# one_partition PART OTHER DISK: runs fio on PART, and checks the entries of PART, OTHER and DISK.
one_partition()
{
	local part=$1 other=$2 disk=$3 reads writes rlentime
	begin "$disk/$other"
	stat_of "$disk/$other" o_
	begin "$disk"
	stat_of "$disk" w_
	begin "$disk/$part"
	fio_quiet --filename="/dev/$part" --direct=1 --rw=randrw --bsrange=4k-16k --ioengine=libaio \
		--iodepth=8 --number_ios=500 --size=32m || fail "$part: fio"
	delta "$disk/$part"
	like_fio "$part"
	reads=$d_operations_read writes=$d_operations_write rlentime=$d_rlentime
	balanced "$part" "$disk/$part"
	is "$part: in the histograms" "$(latency_of "$disk/$part" read_total | cut -d' ' -f1)" \
		"$e_operations_read"
	stat_of "$disk" e_
	is "$part: reads in the disk" $((e_operations_read - w_operations_read)) "$reads"
	is "$part: writes in the disk" $((e_operations_write - w_operations_write)) "$writes"
	is "$part: time in the disk's run queue" $((e_rlentime - w_rlentime)) "$rlentime"
	balanced "$part's disk" "$disk"
	stat_of "$disk/$other" e_
	is "$part: not in the other partition" "$e_start_count" "$o_start_count"
}
one_partition nbp1 nbp2 nbp
like_kernel nbp1
one_partition nbp2 nbp1 nbp
like_kernel nbp2

# I/O to both partitions and the whole disk at the same time: the disk has the sum.
stat_of nbp w_ && stat_of nbp/nbp1 p_ && stat_of nbp/nbp2 q_
fio --disk_util=0 --output=/tmp/three.json --output-format=json --direct=1 --rw=randrw --bs=4k --ioengine=libaio \
	--iodepth=4 --number_ios=400 --size=32m --name=a --filename=/dev/nbp1 \
	--name=b --filename=/dev/nbp2 --name=c --filename=/dev/nbp >/dev/null
wait_idle nbp
stat_of nbp x_ && stat_of nbp/nbp1 y_ && stat_of nbp/nbp2 z_
of_parts()
{
	local one=y_$1 two=z_$1 before=p_$1 also=q_$1
	echo $((${!one} - ${!before} + ${!two} - ${!also}))
}
is "partitions and disk: all 1200 in the disk" $((x_start_count - w_start_count)) 1200
is "partitions and disk: 800 in the partitions" "$(of_parts start_count)" 800
holds "partitions and disk: run queues of the partitions" \
	"$(of_parts rlentime) < x_rlentime - w_rlentime && $(of_parts rlentime) > 0"
holds "partitions and disk: the disk's busy time is at most its queue's integral" \
	"x_rtime - w_rtime <= x_rlentime - w_rlentime"
holds "partitions and disk: the disk is busy at least as long as a partition" \
	"x_busy_time_ns - w_busy_time_ns >= y_busy_time_ns - p_busy_time_ns"
balanced "partitions and disk" nbp
balanced "partitions and disk: first" nbp/nbp1

# A removed partition's I/O stays in the disk's counts. A partition added again is a new entry.
number=$(part_line number nbp1)
partx --delete --nr 1 /dev/nbp
is "partitions: one removed" "$(part_line number nbp1)" ""
stat_of nbp e_
is "partitions: the disk keeps its counts" "$e_start_count" "$x_start_count"
partx --add --nr 1 /dev/nbp
holds "partitions: a new entry with the old name" "$(part_line number nbp1) > $number"
is "partitions: the new entry starts from 0" "$(part_line start_count nbp1)" "$(($(cat /sys/block/nbp/nbp1/stat | awk '{ print $1 }')))"

# Partitions come and go while another one and the whole disk do I/O: what the disk has absorbed is neither lost nor there
# twice, and no reader sees it go backwards.
m=/payload/mapped
make_null_blk_disk nbq size=64 memory_backed=1 irqmode=2 completion_nsec=50000 submit_queues=$(nproc)
succeeds "churn: a partition that stays" /payload/partition /dev/nbq 2 65536 32768
for device in nbq nbq2; do
	fio --disk_util=0 --name=job --filename=/dev/$device --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=4 \
		--time_based --runtime=600 --size=8m >/dev/null 2>&1 &
	loads+=($!)
done
# absorbed CHANGES: waits up to 5 s until nbq's partitions have changed so often and none is still to be absorbed, and prints
# what there is then.
absorbed()
{
	local try
	for try in {1..50}; do
		[ "$($m partitions nbq)" != "$1 0" ] || break
		sleep 0.1
	done
	$m partitions nbq
}
mkfifo /tmp/watch
$m watch nbq </tmp/watch >/tmp/watched &
watcher=$!
exec 6>/tmp/watch
reads=0
for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
	/payload/partition /dev/nbq 1 32768 16384
	dd if=/dev/nbq1 of=/dev/null bs=4k count=$((10 * turn)) iflag=direct status=none && reads=$((reads + 10 * turn))
	is "churn: the new partition has its own I/O, turn $turn" \
		"$(cat /sys/block/nbq/nbq1/iostat/devstat/operations_read)" \
		"$(awk '{ print $1 }' /sys/block/nbq/nbq1/stat)"
	# With the partition and without it, the histograms are those of the same instant as the counters.
	is "churn: histograms and the counters beside them differ, turn $turn" "$(/payload/abi agree nbq 100)" 1
	partx --delete --nr 1 /dev/nbq
	is "churn: they differ when it leaves, turn $turn" "$(/payload/abi agree nbq 100)" 1
	# Regular work would do it within 10 s: in so many turns not always within 5.
	[ "$turn" -gt 6 ] || is "churn: the disk has absorbed what left, turn $turn" "$(absorbed $((2 * turn + 1)))" "$((2 * turn + 1)) 0"
done
kill "${loads[@]}"
wait "${loads[@]}"
exec 6>&-
wait $watcher
is "churn: no snapshot is wrong" "$(cat /tmp/watched)" "many snapshots, 0 wrong"
is "churn: reads of the partitions that left" $reads 780
wait_idle nbq
is "churn: the disk has all operations" \
	$(($(cat /sys/block/nbq/iostat/devstat/operations_read) + $(cat /sys/block/nbq/iostat/devstat/operations_write))) \
	"$(awk '{ print $1 + $5 }' /sys/block/nbq/stat)"
is "churn: and as many times" "$(cut -d' ' -f1 /sys/block/nbq/iostat/latency/{read,write}_total | paste -sd' ')" \
	"$(cat /sys/block/nbq/iostat/devstat/operations_{read,write} | paste -sd' ')"
is "churn: all histograms in one call" "$(/payload/abi histograms one nbq)" \
	"$(/payload/abi histogram nbq; /payload/abi io-sizes nbq)"
is "churn: all histograms of all disks in one call" "$(/payload/abi histograms all nbq)" \
	"$(/payload/abi histogram nbq; /payload/abi io-sizes nbq)"
balanced "churn" nbq
# 13 have arrived, and 12 were absorbed.
is "churn: the disk has absorbed all that left" "$(absorbed 25)" "25 0"
# A busy time may differ: a call keeps it from going back behind what an earlier call returned (Documentation/abi.rst). So
# may the integral of a queue's length, if an earlier call read while a probe was between its clock and its record: it is
# then more than that of the memory, which a new reader reads for the first time.
counts()
{
	awk -v columns="$(cat /sys/block/nbq/iostat/stat_columns)" '{ split(columns, column, " ")
		for (i = 2; i <= NF; i++) if (column[i] !~ /^(busy_time_ns|[wr]time|[wr]lentime)$/) printf "%s=%s ", column[i], $i }'
}
lengths()
{
	awk -v columns="$(cat /sys/block/nbq/iostat/stat_columns)" '{ split(columns, column, " ")
		for (i = 2; i <= NF; i++) if (column[i] ~ /^[wr]lentime$/) printf "%s ", $i }'
}
busy_times()
{
	awk -v columns="$(cat /sys/block/nbq/iostat/stat_columns)" '{ split(columns, column, " ")
		for (i = 2; i <= NF; i++) if (column[i] ~ /^(busy_time_ns|wtime|rtime)$/) printf "%s ", $i }'
}
$m get nbq >/tmp/mapped
cat /sys/block/nbq/iostat/stat >/tmp/called
is "churn: the memory of the disk and of the partition that is left is the disk's" "$(counts </tmp/mapped)" \
	"$(counts </tmp/called)"
is "churn: its queues' lengths, but for what an earlier call returned" \
	"$(paste <(lengths </tmp/mapped) <(lengths </tmp/called) | awk '{ for (i = 1; i <= 2; i++)
		if ($(i + 2) < $i || $(i + 2) > $i * 1.05) exit; print i - 1 }')" 2
is "churn: its busy times, but for what is corrected" \
	"$(paste <(busy_times </tmp/mapped) <(busy_times </tmp/called) | awk '{ for (i = 1; i <= 3; i++) {
		off = $i / $(i + 3); if (off < 0.95 || off > 1.05) exit; n++ } } END { print n }')" 3
remove_null_blk_disk nbq

# The disk is removed in the middle of the partitions' I/O.
fio --disk_util=0 --name=job --filename=/dev/nbp2 --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=64 \
	--time_based --runtime=20 --size=32m >/dev/null 2>&1 &
fio=$!
at_work nbp/nbp2
remove_null_blk_disk nbp
wait $fio
is "partitions: all removed with their disk" "$(cat $control/numdevs)" $((numdevs - 1))
is "partitions: no I/O left in the table" "$(cat $control/tracked)" 0

# Partitions of a bio-based disk.
modprobe brd rd_nr=1 rd_size=65536
make_partitions /dev/ram0 2048:65536 67584:60000
one_partition ram0p1 ram0p2 ram0
rmmod brd
nothing_lost "partitions"
