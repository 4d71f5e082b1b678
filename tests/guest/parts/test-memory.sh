# SPDX-License-Identifier: GPL-2.0
# Memory of what is used: a CPU has a record of a disk once it has done I/O on it, and not one I/O is lost before, nor
# when it gets it.

m=/payload/mapped
make_null_blk_disk nbu size=64 submit_queues=2 irqmode=0 memory_backed=1
make_partitions /dev/nbu 2048:65536

# records DISK: the indices of those there are: 0 that which CPUs share, 1 + n that of CPU n.
records()
{
	$m records "$1" | cut -d' ' -f1 | xargs
}

# read_on CPU COUNT DISK
read_on()
{
	taskset -c "$1" dd if="/dev/$3" of=/dev/null bs=4k count="$2" iflag=direct status=none
}

# has_record DISK INDEX: waits for it, which comes soon behind the first I/O.
has_record()
{
	local try
	for try in $(seq 100); do
		case " $(records "$1") " in
		*" $2 "*) return 0 ;;
		esac
		sleep 0.05
	done
	return 1
}

is "a partition without I/O has the record that CPUs share" "$($m records nbu1)" "0 0"
for cpu in 1 0; do
	taskset -c $cpu true || continue
	before=$(cat /sys/block/nbu/nbu1/iostat/devstat/operations_read)
	# The first of them are before it has a record, and the last behind.
	read_on $cpu 50 nbu1
	succeeds "CPU $cpu has a record after its first I/O" has_record nbu1 $((cpu + 1))
	read_on $cpu 1000 nbu1
	is "all I/Os of CPU $cpu are counted, before and behind" \
		"$(($(cat /sys/block/nbu/nbu1/iostat/devstat/operations_read) - before))" 1050
	is "no other CPU has one: CPU $cpu" "$(records nbu1)" "$([ $cpu = 1 ] && echo "0 2" || echo "0 1 2")"
done
is "their records and the one that they share make the sum" \
	"$($m records nbu1 | awk '{ n += $2 } END { print n }')" "$(cat /sys/block/nbu/nbu1/iostat/devstat/start_count)"
is "as many times as operations" "$($m histograms nbu1 | awk '$1 == 1 { print $3 }' | xargs)" "2100 2100 2100"
is "starts and ends" "$(cat /sys/block/nbu/nbu1/iostat/devstat/start_count)" \
	"$(cat /sys/block/nbu/nbu1/iostat/devstat/end_count)"

# Records appear while both CPUs are at work, on a disk that is remembered by its requests from the first I/Os on.
for round in 1 2 3 4 5 6; do
	make_null_blk_disk nbv size=64 submit_queues=2 irqmode=$((round % 2)) hw_queue_depth=64
	stat_of nbv a_
	fio_quiet --filename=/dev/nbv --direct=1 --rw=randrw --bs=4k --number_ios=3000 --size=32m \
		--ioengine=libaio --iodepth=16 --numjobs=2 --group_reporting
	wait_idle nbv
	stat_of nbv b_
	is "while records appear nothing is lost: round $round" \
		"$((b_operations_read - a_operations_read)) $((b_operations_write - a_operations_write))" \
		"$(fio_value read total_ios) $(fio_value write total_ios)"
	is "and bytes: round $round" "$((b_bytes_read - a_bytes_read)) $((b_bytes_write - a_bytes_write))" \
		"$(fio_value read io_bytes) $(fio_value write io_bytes)"
	holds "and the queues are empty: round $round" "b_wcnt == 0 && b_rcnt == 0 && b_start_count == b_end_count"
	remove_null_blk_disk nbv
done

# A class that is neither read nor written is recorded where CPUs share.
make_null_blk_disk nbw size=64 memory_backed=1 discard=1
blkdiscard -o 0 -l 1M /dev/nbw
is "a discard is in the histograms of all CPUs" "$($m histograms nbw | awk '$1 == 3 { print $3 }' | xargs)" \
	"$(cat /sys/block/nbw/iostat/devstat/operations_free) $(cat /sys/block/nbw/iostat/devstat/operations_free) $(cat /sys/block/nbw/iostat/devstat/operations_free)"
holds "there was one" "$(cat /sys/block/nbw/iostat/devstat/operations_free) > 0"
remove_null_blk_disk nbw

# A CPU that comes and goes.
if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	make_null_blk_disk nbo size=64 irqmode=0
	echo 0 >/sys/devices/system/cpu/cpu1/online
	read_on 0 20 nbo
	succeeds "CPU 0 has a record" has_record nbo 1
	echo 1 >/sys/devices/system/cpu/cpu1/online
	stat_of nbo a_
	read_on 1 200 nbo
	succeeds "a CPU that is online again gets one" has_record nbo 2
	stat_of nbo b_
	is "and counts all" $((b_operations_read - a_operations_read)) 200
	remove_null_blk_disk nbo
fi
remove_null_blk_disk nbu
