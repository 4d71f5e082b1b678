# SPDX-License-Identifier: GPL-2.0
# An I/O is in the wait queue while its submitter waits for a tag: wait and service are the latency that fio sees.

# mean: prints the mean latency of the last report, ns, from before the system call to after it.
mean()
{
	awk '$1 == "\"lat_ns\"" { inside = 1 } inside && $1 == "\"mean\"" { print int($3); exit }' /tmp/fio.json
}

# files_of DISK DEVICE: reads from a device until its disk has its files.
files_of()
{
	local try
	for try in $(seq 100); do
		dd if="/dev/$2" of=/dev/null bs=4k count=1 iflag=direct status=none
		[ ! -e "/sys/block/$1/iostat/latency/read_wait" ] || return 0
		sleep 0.02
	done
}

# whole NAME DISK FIO-ARGUMENT...: fio's threads read, each I/O alone; ours is the mean of wait and service.
whole()
{
	local name=$1 disk=$2 ops
	shift 2
	echo 2 >"/sys/block/$disk/queue/nomerges"
	files_of "$disk" "$disk"
	begin "$disk"
	waits=$(cat "/sys/block/$disk/iostat/events/tag_waits")
	succeeds "$name: fio" fio_quiet --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --size=32m \
		--ioengine=psync --thread --group_reporting "$@"
	delta "$disk"
	waits=$(($(cat "/sys/block/$disk/iostat/events/tag_waits") - waits))
	ops=$d_operations_read
	is "$name: reads as fio issued" "$ops" "$(fio_value read total_ios)"
	fios=$(mean) ours=$(((d_wlentime + d_rlentime) / ops)) wait_ns=$((d_wlentime / ops))
	service_ns=$((d_rlentime / ops))
	echo "# $name: $waits tag waits; fio $fios ns; wait $wait_ns, service $service_ns: $((fios - ours)) ns less"
	holds "$name: wait and service are no more than fio's latency" "ours <= fios"
	is "$name: the durations are both queues' times" "$d_duration_read_ns" $((d_wlentime + d_rlentime))
	balanced "$name" "$disk"
}

# nothing_else NAME: of what fio sees, only the time in which the threads wake up and submit is neither wait nor service. On
# the emulated CPUs it was 0.3 to 1.9 ms for eight threads, where the device takes 5 ms, and up to 4.2 ms for sixteen beside
# other work of the machine, which makes the service longer as well.
nothing_else()
{
	holds "$1: at most two service times less than fio's latency" "fios - ours <= 2 * service_ns"
}

# Eight threads and 5 ms each: a queue of eight, most of it before there are requests. Threads that wait for tags read for the
# same time: with a number of reads for each, one that got more tags would end before the others, and the queue would become
# shorter.
for depth in 1 2 4 8 64; do
	reads="--time_based --runtime=1"
	[ $depth -lt 8 ] || reads=--number_ios=30
	make_null_blk_disk nbt size=64 irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=$depth
	echo none >/sys/block/nbt/queue/scheduler
	whole "tag waits: depth $depth" nbt --numjobs=8 $reads
	nothing_else "tag waits: depth $depth"
	if [ $depth -lt 8 ]; then
		holds "tag waits: depth $depth: there are some" "waits > 0"
		# All eight are in one of the queues all the time, but for what the threads take.
		holds "tag waits: depth $depth: the wait is most of what eight take at a time" \
			"wait_ns > (8 / depth - 1) * service_ns / 2"
		# The device is busy all the time: by Little's law the latency is that of a queue of eight, but for what
		# the threads take.
		holds "tag waits: depth $depth: service is what a device of this depth takes" \
			"5000000 <= service_ns && service_ns * 8 / depth <= fios * 5 / 4"
		holds "tag waits: depth $depth: the wait queue is busy while the device is" "d_wtime * 10 > d_rtime * 4"
	elif [ $depth = 8 ] && grep -q PREEMPT_RT /proc/version; then
		# A tag is freed after its I/O has ended. There a thread may submit the next one before that: two of 240 did.
		holds "tag waits: depth $depth: there are hardly any" "waits < 24"
	else
		is "tag waits: depth $depth: there are none" "$waits" 0
	fi
	remove_null_blk_disk nbt
done
# Two hardware queues, each with its own tags.
make_null_blk_disk nbt size=64 irqmode=2 completion_nsec=5000000 submit_queues=2 hw_queue_depth=1
whole "tag waits: two queues" nbt --numjobs=8 --number_ios=30 --cpus_allowed=0,1 --cpus_allowed_policy=split
nothing_else "tag waits: two queues"
holds "tag waits: two queues: there are some" "waits > 0"
remove_null_blk_disk nbt
# With a scheduler, its tags are waited for.
make_null_blk_disk nbt size=64 irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=4
modprobe mq-deadline
echo mq-deadline >/sys/block/nbt/queue/scheduler
echo 4 >/sys/block/nbt/queue/nr_requests
whole "tag waits: mq-deadline" nbt --numjobs=16 --number_ios=20
nothing_else "tag waits: mq-deadline"
holds "tag waits: mq-deadline: there are some" "waits > 0"
remove_null_blk_disk nbt
# These are so fast that all threads wait for CPUs most of the time: tests/guest/parts/test-recount.sh has their waits exactly.
# The multipath disk of nvme has no queue with tags, and either of the two disks of nvme may be the first.
for disk in vda $(cd /sys/block && ls -d nvme?n1 2>/dev/null); do
	[ -d "/sys/block/$disk/mq" ] || continue
	before=$(cat "/sys/block/$disk/queue/nr_requests")
	for depth in 4 16 64; do
		echo $depth >"/sys/block/$disk/queue/nr_requests" || fail "tag waits: $disk: depth $depth"
		whole "tag waits: $disk: depth $depth" "$disk" --numjobs=$((depth < 32 ? 2 * depth : depth)) --number_ios=30
	done
	echo "$before" >"/sys/block/$disk/queue/nr_requests"
done

# What is seen while the tasks wait, on a disk and its partition. One is at the device; seven wait.
make_null_blk_disk nbt size=64 irqmode=2 completion_nsec=1000000000 hw_queue_depth=1
succeeds "tag waits: a partition" /payload/partition /dev/nbt 1 2048 65536
files_of nbt/nbt1 nbt1
# partition_waits NAME: eight threads read from the partition.
partition_waits()
{
	local number column was now disk count least most rest
	begin nbt
	stat_of nbt/nbt1 p_
	for number in $(seq 8); do
		dd if=/dev/nbt1 of=/dev/null bs=4k count=1 iflag=direct status=none &
	done
	at_work nbt 7 1
	is "$1: what waits for a tag has not started" $((n_start_count - b_start_count)) 1
	stat_of nbt m_
	holds "$1: their time grows" "m_wlentime > n_wlentime && m_wtime > n_wtime"
	wait
	delta nbt
	stat_of nbt/nbt1 q_
	is "$1: of a partition: operations" $((q_operations_read - p_operations_read)) 8
	for column in wlentime rlentime rtime duration_read_ns; do
		was=p_$column now=q_$column disk=d_$column
		is "$1: of a partition: $column" $((${!now} - ${!was})) "${!disk}"
	done
	is "$1: of a partition: the longest wait" \
		"$(cut -d' ' -f3 /sys/block/nbt/nbt1/iostat/latency/read_wait)" \
		"$(cut -d' ' -f3 /sys/block/nbt/iostat/latency/read_wait)"
	read -r count least most rest </sys/block/nbt/iostat/latency/read_wait
	holds "$1: the last has waited for others of 1 s" "most >= 4 * 1000000000"
	balanced "$1: a partition" nbt/nbt1
	balanced "$1: its disk" nbt
}
partition_waits "tag waits"
# No I/O takes the fast path while one is traced.
echo 1 >$TRACING/events/io/start/enable
partition_waits "tag waits, traced"
echo 0 >$TRACING/events/io/start/enable

# All I/Os that have a tag of the scheduler are listed, also those that have waited for it since before the last I/O of their
# request was issued.
make_null_blk_disk nbs size=64 irqmode=2 completion_nsec=100000000 submit_queues=1 hw_queue_depth=1
echo mq-deadline >/sys/block/nbs/queue/scheduler
echo 4 >/sys/block/nbs/queue/nr_requests
echo 2 >/sys/block/nbs/queue/nomerges
succeeds "tag waits: listed: a partition" /payload/partition /dev/nbs 1 2048 65536
files_of nbs nbs
files_of nbs/nbs1 nbs1
# A slow I/O would leave its request to the general path.
send "@slow_threshold 9223372036854775808"
for device in nbs nbs1; do
	stat_of nbs b_
	fio --disk_util=0 --name=job --filename=/dev/$device --direct=1 --rw=randread --bs=4k --size=8m --ioengine=psync --thread \
		--numjobs=16 --time_based --runtime=600 >/dev/null 2>&1 &
	reader=$!
	fewest=16 samples=0
	for try in $(seq 1000); do
		stat_of nbs n_
		listed=$(reply "@inflight $device" | grep -c "^$device ")
		stat_of nbs m_
		# All of fio's threads read, and two I/Os of each request have ended.
		if [ "$((n_wcnt + n_rcnt)) $((m_wcnt + m_rcnt))" = "16 16" ] && [ $((n_end_count - b_end_count)) -ge 8 ]; then
			samples=$((samples + 1))
			[ "$listed" -ge "$fewest" ] || fewest=$listed
		fi
		[ "$samples" -lt 20 ] || break
		sleep 0.02
	done
	kill $reader
	wait $reader
	is "tag waits: listed: $device: samples while 16 threads read" "$samples" 20
	# One of the four may be between its end and the start of the next.
	holds "tag waits: listed: $device: all that have a tag, $fewest at least" "fewest >= 3"
done
send "@slow_threshold 500000000"
remove_null_blk_disk nbs

# The module is unloaded and loaded while tasks wait; then the disk is removed.
for number in $(seq 6); do
	dd if=/dev/nbt of=/dev/null bs=4k count=1 iflag=direct status=none &
done
at_work nbt 5 1
reload
for number in $(seq 3); do
	dd if=/dev/nbt of=/dev/null bs=4k count=1 iflag=direct status=none &
done
wait
balanced "tag waits: loaded while tasks wait" nbt
for number in $(seq 6); do
	dd if=/dev/nbt of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null &
done
at_work nbt 5 1
remove_null_blk_disk nbt
wait
# Requests that were there when the module was loaded have ended unmarked.
reload

# A request that is freed and never started, after a wait for its tag: its task is removed from the queue.
modprobe sd_mod
modprobe scsi_debug dev_size_mb=16 max_queue=1 delay=0 ndelay=0
sd=$(scsi_debug_disk)
sleep 1
files_of "$sd" "$sd"
# Of the device's tags; a scheduler has more.
echo none >"/sys/block/$sd/queue/scheduler"
wait_idle "$sd"
waits=$(cat "/sys/block/$sd/iostat/events/tag_waits")
echo 500 >/sys/bus/pseudo/drivers/scsi_debug/delay
dd if="/dev/$sd" of=/dev/null bs=4k count=1 iflag=direct status=none &
at_work "$sd" 0 1
/payload/passthrough "/dev/$sd" unmapped 1 &
at_work "$sd" 1 1
wait
holds "tag waits: a request that will not start: it waited" \
	"$(cat "/sys/block/$sd/iostat/events/tag_waits") > waits"
for try in $(seq 60); do
	stat_of "$sd" n_
	[ "$n_wcnt" != 0 ] || break
	sleep 1
done
is "tag waits: a request that did not start: removed" "$n_wcnt" 0
balanced "tag waits: a request that did not start" "$sd"
rmmod scsi_debug
nothing_lost "tag waits"
