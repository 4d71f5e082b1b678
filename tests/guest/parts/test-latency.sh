# SPDX-License-Identifier: GPL-2.0
# Histograms: every operation is counted once, in the bucket of its time.

# histogram DISK CLASS_PHASE: sets h_count, h_min, h_max and h_buckets.
histogram()
{
	read -r h_count h_min h_max h_buckets < <(latency_of "$1" "$2")
}

# within FROM TO: prints how many of h_buckets may be of times above FROM and up to TO, in ns. The bucket
# that FROM is in is included.
within()
{
	awk -v from="$1" -v to="$2" -v buckets="$h_buckets" '{
		split(buckets, count, " ")
		for (i = 1; i <= NF; i++)
			if ($i > from && (i == 1 || $(i - 1) < to)) sum += count[i]
		print sum + 0
	}' /sys/class/misc/iostat/latency_bounds_ns
}

# adds_up NAME DISK: checks that buckets, counts and operations agree, in all twelve histograms.
adds_up()
{
	local class phase operations
	for class in none read write free; do
		operations=$(cat "/sys/block/$2/iostat/devstat/operations_$class")
		for phase in wait service total; do
			histogram "$2" ${class}_$phase
			is "$1: ${class}_$phase has every operation" "$h_count" "$operations"
			is "$1: ${class}_$phase has each in one bucket" \
				"$(tr ' ' '\n' <<<"$h_buckets" | awk '{ n += $1 } END { print n }')" "$h_count"
			holds "$1: ${class}_$phase: min and max" "h_min <= h_max"
		done
	done
}

is "latency: bounds, and a bucket more" \
	"$(wc -w </sys/class/misc/iostat/latency_bounds_ns)" 109

# A device that takes 10 ms for each of two I/Os at a time, with a queue of 8.
make_null_blk_disk nbl size=64 irqmode=2 completion_nsec=10000000 hw_queue_depth=2
wait_idle nbl
begin nbl
fio_quiet --filename=/dev/nbl --direct=1 --rw=randwrite --bs=4k --number_ios=100 --size=16m \
	--ioengine=libaio --iodepth=1
delta nbl
adds_up "one at a time" nbl
histogram nbl write_service
is "one at a time: no service under 10 ms" "$(within 0 8000000)" 0
holds "one at a time: min is at least 10 ms" "h_min >= 10000000"
is "one at a time: each took 10 ms or more" "$(within 10000000 99000000000)" "$d_operations_write"
histogram nbl write_wait
holds "one at a time: most waits are shorter" "$(within 10000000 99000000000) * 2 < h_count"
histogram nbl write_total
kept_min=$h_min
histogram nbl write_service
holds "one at a time: min of total is at least min of service" "kept_min >= h_min"

echo mq-deadline >/sys/block/nbl/queue/scheduler
fio_quiet --filename=/dev/nbl --direct=1 --rw=randread --bs=4k --number_ios=200 --size=16m \
	--ioengine=libaio --iodepth=16 --randrepeat=1
wait_idle nbl
adds_up "sixteen at two" nbl
histogram nbl read_total
holds "sixteen at two: an I/O waited for another one" "h_max >= 20000000"
stat_of nbl s_
histogram nbl read_total
holds "max is at most the sum of durations" "h_max <= s_duration_read_ns"

# The second table of /dev/iostat has the same values.
histogram nbl read_service
is "/dev/iostat: a line for each histogram that is not empty" \
	"$(awk '$1 == "nbl" && $4 ~ /^(wait|service|total)$/ { print $3 "_" $4 }' /dev/iostat | sort | tr '\n' ' ')" \
	"$(for f in /sys/block/nbl/iostat/latency/*_{wait,service,total}; do
		[ "$(cut -d' ' -f1 "$f")" = 0 ] || basename "$f"; done | sort | tr '\n' ' ')"
is "/dev/iostat: values and buckets of a histogram" \
	"$(awk '$1 == "nbl" && $3 == "read" && $4 == "service" {
		printf "%s %s %s", $5, $6, $7
		for (i = 8; i <= NF; i++) { sub(/^[^:]*:/, "", $i); printf " %s", $i }
	}' /dev/iostat)" \
	"$h_count $h_min $h_max $(tr ' ' '\n' <<<"$h_buckets" | grep -vx 0 | tr '\n' ' ' | sed 's/ $//')"
remove_null_blk_disk nbl
