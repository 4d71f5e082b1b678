# SPDX-License-Identifier: GPL-2.0
# Regions compared with those of dm-stats: same disk, same messages, same I/O, in one boot.

. /payload/regions.sh
modprobe dm-mod
# Parts of the disk: fast, slow, very slow, and one that fails all I/O.
make_null_blk_disk rgfast size=128 memory_backed=1 discard=1 irqmode=2 completion_nsec=300000
make_null_blk_disk rgslow size=32 memory_backed=1 discard=1 irqmode=2 completion_nsec=200000000
make_null_blk_disk rgstop size=1 memory_backed=1 discard=1 irqmode=2 completion_nsec=10000000000
# The last sector is not at the end of a page: 327680 sectors of the first two targets, 1000 and 999 of
# the others.
dmsetup create regions <<END
0 262144 linear /dev/rgfast 0
262144 65536 linear /dev/rgslow 0
327680 1000 linear /dev/rgstop 0
328680 999 error
END
dmsetup mknodes regions
rg=/dev/mapper/regions
rgdisk=$(dm_disk regions)

# The same regions in both, with the same ids: steps that are not powers of two and smaller than an I/O,
# ends within an area, ms and ns, with and without histogram.
ids=0
while read -r words; do
	dm_id=$(dmsetup message regions 0 @stats_create $words)
	# dm-stats' regions may end beyond the device; those of iostat need the option "unchecked".
	say "$rgdisk" @stats_create ${words/ UNCHECKED/ 1 unchecked} || fail "regions: create $words" "$reply"
	is "regions: create $words" "$reply" "$dm_id"
	ids=$((ids + 1))
done <<END
- 1000 1 histogram:100,1000
- /1 2 precise_timestamps histogram:100000000,1000000000
777+300001 513 1 precise_timestamps
262000+5300 8
- /7
261100+1 1 2 histogram:100000000 precise_timestamps
END
dmsetup message regions 0 @stats_create 329000+5000 100 >/dev/null
sends "regions: create beyond the end" "$rgdisk" @stats_create 329000+5000 100 1 unchecked
last=$ids

# like_dm NAME ID PRECISE: compares one region field by field, after both were printed. Counts are equal:
# ios, merges, sectors, in flight, histogram. A time of iostat contains dm-stats' own time, as dm-stats
# reads its clock later at the start and earlier at the end: each is longer, by at most MOST_NS per I/O in
# the sum; in ms by at most MOST_MS, as a jiffy has four and truncation costs one. STALL_NS is allowed
# once: a busy host may delay one I/O between the two clocks, and that I/O may be in every area.
MOST_NS=1000000
MOST_MS=5
STALL_NS=100000000
like_dm()
{
	awk -v most_ns=$MOST_NS -v most_ms=$MOST_MS -v stall_ns=$STALL_NS -v precise="$3" '
		NR == FNR { dm[FNR] = $0; lines = FNR; next }
		{
			n = split(dm[FNR], d)
			if (n != NF || d[1] != $1) { print "line " FNR ": " dm[FNR] " | " $0; next }
			for (i = 2; i <= NF; i++)
				if (i == 5 || i == 9 || i >= 11 && i <= 14) {
					apart[i] += $i - d[i]
					if (precise && (i == 5 || i == 9) && $i < d[i])
						print "column " i - 1 " is shorter: " dm[FNR] " | " $0
				} else if ($i != d[i])
					print "column " i - 1 ": " dm[FNR] " | " $0
			ios += d[2] + d[6]
			if (d[2] + d[6]) touched++
		}
		END {
			if (lines != FNR) print lines " lines, " FNR
			stall_ns *= touched
			most = precise ? ios * most_ns + stall_ns : ios * most_ms + stall_ns / 1000000
			for (i in apart) {
				if (apart[i] > most || -apart[i] > (precise ? stall_ns : most))
					print "column " i - 1 " is " apart[i] " more, of " ios + 0 " I/Os"
				if (ios && apart[i] / ios > top) top = apart[i] / ios
			}
			print ios + 0, top + 0 >"/tmp/regions.seen"
		}' "/tmp/dm.$2" "/tmp/ours.$2"
}

# compare NAME: prints, clears and compares all regions; sets wrong to the first differences, and some to the number of
# regions that have I/Os.
compare()
{
	local id seen top
	wrong='' some=0
	wait_idle "$rgdisk"
	for id in $(seq 0 "$last"); do
		dmsetup message regions 0 @stats_print_clear "$id" >"/tmp/dm.$id"
		say "$rgdisk" @stats_print_clear "$id" || wrong+="$reply "
		[ -z "$reply" ] || echo "$reply" >"/tmp/ours.$id"
		case $id in
		1 | 2 | 5) wrong+=$(like_dm "$1" "$id" 1 | head -n 2) ;;
		*) wrong+=$(like_dm "$1" "$id" '' | head -n 2) ;;
		esac
		read -r seen top </tmp/regions.seen
		[ "$seen" = 0 ] || some=$((some + 1))
		[ "$id" != 1 ] || echo "# $1: $seen I/Os, iostat's longer by ${top%.*} ns each"
	done
}

# alike NAME: asserts that all regions are equal in both.
alike()
{
	local wrong some
	compare "$1"
	equal "$1"
}

# equal NAME: asserts what compare found.
equal()
{
	is "regions: $1: equal to dm-stats" "$wrong" ""
	holds "regions: $1: at least three regions have I/Os" "some >= 3"
}

# same NAME FIO-ARGUMENT...: runs fio and compares all regions. The histograms have bounds of 100 and 1,000 ms, and no I/O
# takes about so long unless the host delays it. dm-stats may count such an I/O on the other side of the bound, as it
# reads its clock elsewhere, or counts jiffies: fio runs again if a count of a histogram is all that differs.
same()
{
	local name=$1 wrong some try
	shift
	for try in 1 2 3; do
		fio_quiet --filename=$rg --direct=1 --size=128m "$@" || fail "regions: $name: fio"
		compare "$name"
		[[ $wrong =~ ^"column 14: "[^$'\n']*$ ]] || break
	done
	equal "$name"
}

same "random reads" --rw=randread --bsrange=512-64k --number_ios=400 --cpus_allowed=0
same "sequential reads" --rw=read --bs=16k --offset=100m --number_ios=300 --cpus_allowed=1
same "sequential, both ways" --rw=rw --bsrange=4k-32k --number_ios=400 --cpus_allowed=0
# One of the I/Os is in the slow part.
same "many at a time" --rw=randrw --bsrange=4k-128k --ioengine=libaio --iodepth=16 --size=31m \
	--numjobs=2 --offset_increment=128m --group_reporting --number_ios=150
same "two programs" --rw=randrw --bsrange=512-32k --ioengine=libaio --iodepth=4 --numjobs=2 \
	--group_reporting --number_ios=300
same "larger than a request" --rw=write --bs=4m --number_ios=20 --cpus_allowed=0
same "flushes, and data with them" --rw=randwrite --bs=8k --sync=1 --fsync=3 --number_ios=100
same "discards" --rw=randtrim --bsrange=4k-1m --number_ios=200 --cpus_allowed=0
succeeds "regions: one discard of it all" blkdiscard -f -l $((128 << 20)) $rg
alike "one discard of it all"
# Failed I/Os have sectors as well.
fail_at()
{
	local sector
	for sector; do
		dd if=$rg of=/dev/null bs=4k count=1 skip=$((sector << 9)) iflag=direct,skip_bytes \
			status=none 2>/dev/null &&
			fail "regions: errors: a read of sector $sector"
		dd if=/dev/zero of=$rg bs=512 count=1 seek="$sector" oflag=direct conv=notrunc status=none \
			2>/dev/null && fail "regions: errors: a write of sector $sector"
	done
}
echo +200000-200099 >/sys/kernel/config/nullb/rgfast/badblocks
fail_at 200000 200050 200099
dd if=$rg of=/dev/null bs=4k count=1 skip=$((199996 << 9)) iflag=direct,skip_bytes status=none 2>/dev/null
alike "errors"
echo -200000-200099 >/sys/kernel/config/nullb/rgfast/badblocks
# The differences. First I/O that a target fails at once, which dm-stats does not count. Then I/O over an
# edge between two targets: one I/O to the disk, which dm splits, and two in dm-stats.
differs()
{
	wait_idle "$rgdisk"
	columns_of "$(dmsetup message regions 0 @stats_print_clear 1)" d_
	is "regions: $1: in dm-stats" "$d_reads $d_rsectors $d_writes $d_wsectors $d_in_flight" "$2"
	say "$rgdisk" @stats_print_clear 1
	columns_of "$reply" f_
	is "regions: $1: in iostat" "$f_reads $f_rsectors $f_writes $f_wsectors $f_in_flight" "$3"
}
fail_at 328690 329100
differs "refused" "0 0 0 0 0" "2 16 2 2 0"
dd if=$rg of=/dev/null bs=64k count=1 skip=$(((262144 << 9) - 32768)) iflag=direct,skip_bytes status=none
differs "over an edge" "2 128 0 0 0" "1 128 0 0 0"
for id in $(seq 0 "$last"); do
	dmsetup message regions 0 @stats_clear "$id"
	say "$rgdisk" @stats_clear "$id"
done

# In flight: four reads of ten seconds each, printed after half a second.
fio --disk_util=0 --name=job --filename=$rg --direct=1 --rw=read --bs=4k --offset=$((327680 << 9)) --size=16k \
	--ioengine=libaio --iodepth=4 --iodepth_batch=4 >/dev/null 2>&1 &
for try in $(seq 50); do
	say "$rgdisk" @stats_print 1
	columns_of "$reply" f_
	[ "$f_in_flight" != 4 ] || break
	sleep 0.1
done
sleep 0.5
dmsetup message regions 0 @stats_clear 1
before=${EPOCHREALTIME/./}
sends "regions: clear while they are in flight" "$rgdisk" @stats_clear 1
sleep 0.2
columns_of "$(dmsetup message regions 0 @stats_print 1)" d_
say "$rgdisk" @stats_print 1
columns_of "$reply" f_
after=${EPOCHREALTIME/./}
is "regions: in flight" "$f_in_flight $f_reads" "$d_in_flight $d_reads"
is "regions: in flight, all four" "$f_in_flight" 4
holds "regions: clearing keeps I/Os in flight, and counts their time from then on" \
	"f_io_ticks >= 200000000 && f_io_ticks <= (after - before) * 1000"
# The two prints are not at the same time; a busy host may be slow between them.
holds "regions: time in queue is the sum of the four" "f_time_in_queue == 4 * f_io_ticks &&
	f_io_ticks - d_io_ticks < 100000000 && d_io_ticks - f_io_ticks < 100000000"
holds "regions: reads are busy, writes are not" "f_io_ticks_read == f_io_ticks && f_io_ticks_write == 0"
wait $!
# dm-stats has cleared a busy time that its print had not yet included, so this round is not compared.
wait_idle "$rgdisk"
for id in $(seq 0 "$last"); do
	dmsetup message regions 0 @stats_clear "$id"
	say "$rgdisk" @stats_clear "$id" || fail "regions: clear" "$reply"
done
same "after all were cleared" --rw=randread --bs=4k --number_ios=100

for id in $(seq 0 "$last"); do
	say "$rgdisk" @stats_delete "$id" || fail "regions: delete" "$reply"
done
is "regions: all deleted" "$(allocated)" 0
dmsetup remove regions
remove_null_blk_disk rgfast
remove_null_blk_disk rgslow
remove_null_blk_disk rgstop
nothing_lost "regions"
