# SPDX-License-Identifier: GPL-2.0
# Regions of disks without dm-stats, and regions that are created, deleted and cleared under load.

. /payload/regions.sh
make_null_blk_disk rgl size=128 memory_backed=1 discard=1 irqmode=2 completion_nsec=50000 submit_queues=2
# Without merges each request is one operation.
echo 2 >/sys/block/rgl/queue/nomerges

# counted DISK ID PREFIX: reads the "total" line of a region with classes into <PREFIX>reads and so on,
# and into none, free and free_sectors. DISK is a disk or partition by its path in /sys/block.
counted()
{
	wait_idle "$1"
	say "${1##*/}" @stats_print "$2" || return 1
	local line=${reply##*$'\n'} word name ios merges sectors ticks
	[[ $line == total* ]] || return 1
	columns_of "$line" "$3"
	for word in $line; do
		case $word in
		none:* | free:*)
			IFS=: read -r name ios merges sectors ticks <<<"$word"
			printf -v "$3$name" %s "$ios"
			printf -v "$3${name}_sectors" %s "$sectors"
			;;
		esac
	done
}

# with_region NAME DISK FILE FIO-ARGUMENT...: compares a region of the whole disk with fio and with stat.
with_region()
{
	local name=$1 disk=$2 file=$3
	shift 3
	sends "$name: create" "${disk##*/}" @stats_create - 1000 1 classes
	local id=$reply
	begin "$disk"
	succeeds "$name: fio" fio_quiet --filename="$file" --direct=1 "$@"
	delta "$disk"
	counted "$disk" "$id" r_ || fail "$name: print" "$reply"
	is "$name: reads as fio issued" "$r_reads" "$(fio_value read total_ios)"
	is "$name: sectors read equal fio's" "$r_rsectors" $(($(fio_value read io_bytes) / 512))
	is "$name: reads equal stat's" "$r_reads $r_rsectors" \
		"$d_operations_read $((d_bytes_read / 512))"
	is "$name: writes equal stat's" "$r_writes $r_wsectors" \
		"$((d_operations_write + d_operations_free)) $(((d_bytes_write + d_bytes_free) / 512))"
	is "$name: frees equal stat's" "$r_free $r_free_sectors" \
		"$d_operations_free $((d_bytes_free / 512))"
	is "$name: operations without data equal stat's" "$r_none" "$d_operations_none"
	is "$name: none in flight" "$r_in_flight" 0
	total_of a_
	is "$name: areas have all sectors" "$a_rsectors $a_wsectors" "$r_rsectors $r_wsectors"
	holds "$name: an I/O is counted in each of its areas" "a_reads >= r_reads && a_writes >= r_writes"
	holds "$name: busy time is between that of a class and their sum" "r_io_ticks >= r_io_ticks_read &&
		r_io_ticks >= r_io_ticks_write && r_io_ticks <= r_io_ticks_read + r_io_ticks_write + 1"
	sends "$name: delete" "${disk##*/}" @stats_delete "$id"
}

with_region "region" rgl /dev/rgl --rw=randrw --bsrange=512-64k --ioengine=libaio --iodepth=16 \
	--number_ios=1000 --size=100m
with_region "region: reads in turn" rgl /dev/rgl --rw=read --bs=8k --number_ios=300 --size=32m
with_region "region: discards" rgl /dev/rgl --rw=randtrim --bs=64k --number_ios=100 --size=100m
with_region "region: flushes" rgl /dev/rgl --rw=randwrite --bs=4k --fsync=2 --number_ios=100 --size=32m

# Each I/O crosses an edge: 64 sectors from the middle of an area of 64 sectors to the middle of the next.
# Each of the two areas counts it, with half of the sectors and all of its time.
sends "edges: create" rgl @stats_create - 64 1 precise_timestamps
edges=$reply
begin rgl
succeeds "edges: fio" fio_quiet --filename=/dev/rgl --direct=1 --rw=randrw --bs=32k --offset=16k --size=100m \
	--ioengine=libaio --iodepth=4 --number_ios=400
delta rgl
sends "edges: print" rgl @stats_print "$edges"
total_of e_
is "edges: each read is in two areas" $e_reads $((2 * d_operations_read))
is "edges: each write is in two areas" $e_writes $((2 * d_operations_write))
is "edges: each sector is in one area" "$e_rsectors $e_wsectors" "$((d_bytes_read / 512)) $((d_bytes_write / 512))"
is "edges: each area has half of an I/O's sectors" "$(awk '$4 != 32 * $2 || $8 != 32 * $6' <<<"$reply" | head -n 1)" ""
is "edges: the time of each I/O is in two areas" $((e_rticks + e_wticks)) $((2 * d_rlentime))
is "edges: none in flight" "$e_in_flight" 0
# One I/O crosses two edges, and one ends at an edge.
sends "edges: clear" rgl @stats_clear "$edges"
dd if=/dev/rgl of=/dev/null bs=64k count=1 skip=16k iflag=direct,skip_bytes status=none
dd if=/dev/rgl of=/dev/null bs=32k count=1 skip=4 iflag=direct status=none
wait_idle rgl
sends "edges: print" rgl @stats_print "$edges" 0 5
is "edges: one I/O in three areas, and one in one" "$(awk '{ print $1, $2, $4 }' <<<"$reply" | paste -sd,)" \
	"0+64 1 32,64+64 1 64,128+64 1 32,192+64 0 0,256+64 1 64"
sends "edges: delete" rgl @stats_delete "$edges"

# Each I/O is in one area of the only region: these are recorded on the fast path.
sends "one area: create" rgl @stats_create 0+204800 1024 1 precise_timestamps
only=$reply
begin rgl
succeeds "one area: fio" fio_quiet --filename=/dev/rgl --direct=1 --rw=randrw --bs=32k --size=100m \
	--ioengine=libaio --iodepth=4 --number_ios=1000
delta rgl
sends "one area: print" rgl @stats_print "$only"
total_of f_
is "one area: reads and writes" "$f_reads $f_writes" "$d_operations_read $d_operations_write"
is "one area: sectors" "$f_rsectors $f_wsectors" "$((d_bytes_read / 512)) $((d_bytes_write / 512))"
is "one area: the time of all I/Os" $((f_rticks + f_wticks)) "$d_rlentime"
is "one area: the same in the queue" "$f_time_in_queue" "$d_rlentime"
is "one area: none in flight" "$f_in_flight" 0
# Beside it, there is nothing to record.
sends "one area: clear" rgl @stats_clear "$only"
succeeds "beside: fio" fio_quiet --filename=/dev/rgl --direct=1 --rw=randrw --bs=32k --offset=100m --size=16m \
	--number_ios=100
wait_idle rgl
sends "beside: print" rgl @stats_print "$only"
total_of f_
is "beside: nothing" "$f_reads $f_writes $f_in_flight $f_time_in_queue" "0 0 0 0"
sends "one area: delete" rgl @stats_delete "$only"

# A partition has regions of its own, in sectors of the partition.
make_partitions /dev/rgl 2048:65536 67584:65536
sends "region of the disk" rgl @stats_create 67584+65536 /1 1 classes
disk_region=$reply
with_region "region of a partition" rgl/rgl2 /dev/rgl2 --rw=randrw --bsrange=4k-64k --ioengine=libaio \
	--iodepth=8 --number_ios=500 --size=32m
counted rgl "$disk_region" w_
is "region of a partition: the disk's region has the same" "$w_reads $w_rsectors $w_writes $w_wsectors" \
	"$r_reads $r_rsectors $r_writes $r_wsectors"
sends "region of a partition: its first sectors" rgl2 @stats_create 0+8 /1
dd if=/dev/rgl2 of=/dev/null bs=4k count=1 iflag=direct status=none
wait_idle rgl
say rgl2 @stats_print 0
columns_of "$reply" p_
is "region of a partition: sectors are relative" "$p_reads $p_rsectors" "1 8"
refuses "region of a partition: not beyond its end" say rgl2 @stats_create 0+65537 /1
is "region of a partition: the other partition has none" "$(say rgl1 @stats_list; echo "$reply")" ""
sends "region of a partition: delete" rgl2 @stats_delete 0
# The first partition begins at sector 2048 of the disk, which is less than its length: with sectors of the disk the read
# would be in another area.
sends "region of a partition: areas" rgl1 @stats_create - 8
dd if=/dev/rgl1 of=/dev/null bs=4k count=1 skip=2 iflag=direct status=none
wait_idle rgl
say rgl1 @stats_print 0
is "region of a partition: the area that was read" "$(awk '$2 { print $1, $2 }' <<<"$reply")" "16+8 1"
sends "region of a partition: areas: delete" rgl1 @stats_delete 0
sends "region of the disk: delete" rgl @stats_delete "$disk_region"
partx --delete --nr 1:2 /dev/rgl

# A busy host requeues commands: each read counts once.
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=0 lbpu=1
sd=$(scsi_debug_disk)
echo none >"/sys/block/$sd/queue/scheduler"
echo 2 >"/sys/block/$sd/queue/nomerges"
params=/sys/bus/pseudo/drivers/scsi_debug
for opts in 0x8000 0x10; do
	echo $opts >$params/opts
	echo 5 >$params/every_nth
	with_region "region: requeues, opts $opts" "$sd" "/dev/$sd" --rw=randread --bs=4k --ioengine=libaio \
		--iodepth=8 --number_ios=200 --size=16m
	echo 0 >$params/every_nth
	echo 0 >$params/opts
done
modprobe -r scsi_debug

# under_load SECONDS: runs fio in the background.
under_load()
{
	fio --disk_util=0 --output=/tmp/fio.json --output-format=json --name=job --filename=/dev/rgl --direct=1 --rw=randrw \
		--bsrange=4k-32k --ioengine=libaio --iodepth=16 --numjobs=2 --group_reporting --size=100m \
		--time_based --runtime="$1" >/tmp/fio.log 2>&1 &
	load=$!
}

# like_load NAME ID: a region that existed all the time has fio's counts.
like_load()
{
	wait_idle rgl
	sends "$1: print" rgl @stats_print "$2"
	columns_of "$reply" l_
	is "$1: reads as fio issued" "$l_reads $l_rsectors" \
		"$(fio_value read total_ios) $(($(fio_value read io_bytes) / 512))"
	is "$1: writes as fio issued" "$l_writes $l_wsectors" \
		"$(fio_value write total_ios) $(($(fio_value write io_bytes) / 512))"
	is "$1: none in flight" "$l_in_flight" 0
}

# A print clears exactly what it prints: the sum of all prints is what fio did.
sends "print_clear: create" rgl @stats_create - /1 2 precise_timestamps histogram:50000,100000,1000000
sends "print_clear: create one that is not cleared" rgl @stats_create - /1 2 precise_timestamps histogram:50000,100000,1000000
: >/tmp/prints
under_load 4
rounds=0
while kill -0 $load 2>/dev/null; do
	say rgl @stats_print_clear 0
	echo "$reply" >>/tmp/prints
	rounds=$((rounds + 1))
done
wait $load
wait_idle rgl
say rgl @stats_print_clear 0
echo "$reply" >>/tmp/prints
holds "print_clear: more than 20 times under load" "rounds > 20"
like_load "print_clear: the one not cleared" 1
# Columns 1 to 8, 11 and the histogram are equal. Busy times may differ, as edges on two CPUs can be
# ordered differently in the two regions.
sums=$(awk '{ for (i = 2; i <= 9; i++) sum[i] += $i; sum[10] += $12
		n = split($15, h, ":"); for (i = 1; i <= n; i++) hist[i] += h[i] }
	END { for (i = 2; i <= 10; i++) printf "%.0f ", sum[i]; for (i = 1; i <= n; i++) printf "%.0f ", hist[i] }' /tmp/prints)
all=$(awk '{ gsub(":", " ", $15); print $2, $3, $4, $5, $6, $7, $8, $9, $12, $15 " " }' <<<"$reply")
is "print_clear: the sum of all prints equals the other region" "$sums" "$all"
for column in 11 13 14; do
	busy=$(awk -v c=$column '{ sum += $c } END { printf "%.0f", sum }' /tmp/prints)
	other=$(awk -v c=$column '{ print $c }' <<<"$reply")
	holds "print_clear: busy times agree within 1 %: column $column" \
		"(busy - other) * 100 < other && (other - busy) * 100 < other"
done
is "print_clear: never more in flight than fio had" "$(awk '$10 < 0 || $10 > 32' /tmp/prints | head -n 1)" ""
sends "print_clear: print afterwards" rgl @stats_print 0
is "print_clear: empty afterwards" "$(cut -d' ' -f2- <<<"$reply")" "0 0 0 0 0 0 0 0 0 0 0 0 0 0:0:0:0"
sends "print_clear: delete" rgl @stats_delete 0

# Other regions are created, resized and deleted beside one that stays.
say rgl @stats_clear 1
under_load 8
rounds=0
: >/tmp/prints
while kill -0 $load 2>/dev/null; do
	for words in "0+200000 1000" "1000+100000 7 1 classes" "- /13 1 histogram:1,2" "- /1 1 precise_timestamps"; do
		say rgl @stats_create $words || fail "under load: create" "$reply"
		id=$reply
		say rgl @stats_resize "$id" 1000+50000
		say rgl @stats_print "$id" || fail "under load: print" "$reply"
		echo "$reply" >>/tmp/prints
		say rgl @stats_resize "$id" -
		say rgl @stats_print_clear "$id"
		echo "$reply" >>/tmp/prints
		say rgl @stats_delete "$id" || fail "under load: delete" "$reply"
	done
	rounds=$((rounds + 1))
done
wait $load
holds "under load: create, resize and delete, four kinds of regions" "rounds >= 1"
like_load "under load: the region that stayed" 1
is "under load: never more in flight than fio had" \
	"$(awk '$1 != "total" && ($10 < 0 || $10 > 32 || NF < 14)' /tmp/prints | head -n 1)" ""
# A region that is created under load counts no end without its start.
stat_of rgl half_
under_load 3
for try in $(seq 100); do
	stat_of rgl i_
	((i_operations_read < half_operations_read + 20)) || break
	sleep 0.1
done
sends "half: create" rgl @stats_create - /1
sends "half: a print under load" rgl @stats_print 0
wait $load
wait_idle rgl
say rgl @stats_print 0
columns_of "$reply" h_
is "half: none in flight" "$h_in_flight" 0
holds "half: a part of fio's reads" "h_reads > 0 && h_reads < $(fio_value read total_ios)"

# A region is resized under load: the areas kept have their counts.
sends "resize: create" rgl @stats_create 0+131072 131072
resized=$reply
say rgl @stats_clear 1
under_load 4
resized_times=0
while kill -0 $load 2>/dev/null; do
	for range in 0+262144 0+131072; do
		if say rgl @stats_resize "$resized" $range; then
			resized_times=$((resized_times + 1))
		else
			# A second resize waits for the I/Os that were in flight before the first.
			grep -q 'resource busy' /tmp/say || fail "resize: $range" "$reply"
		fi
	done
done
wait $load
holds "resize: more than 10 times" "resized_times > 10"
wait_idle rgl
say rgl @stats_print "$resized"
columns_of "$reply" z_
is "resize: none in flight" "$z_in_flight" 0
holds "resize: counts are kept" "z_reads > $(fio_value read total_ios) / 2"
for id in 0 1 "$resized"; do
	sends "under load: delete" rgl @stats_delete "$id"
done
is "under load: all memory is freed" "$(allocated)" 0

# A disk is removed with its regions in the middle of I/O.
gone=$(cat $control/regions_gone)
sends "gone: create" rgl @stats_create - 100
sends "gone: create" rgl @stats_create - /1 1 histogram:1
holds "gone: memory" "$(allocated) > 0"
under_load 20
at_work rgl
remove_null_blk_disk rgl
wait $load
is "gone: counted" "$(cat $control/regions_gone)" $((gone + 2))
is "gone: all memory is freed" "$(allocated)" 0
is "gone: no I/O left in the table" "$(cat $control/tracked)" 0
refuses "gone: a message fails" say rgl @stats_list
is "gone: the error names the disk" "$reply" "rgl: there is no such disk"
nothing_lost "regions under load"
