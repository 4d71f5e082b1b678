# SPDX-License-Identifier: GPL-2.0
# Request-based disks under every kind of load, recounted.

. /payload/recount.sh
oracle_start

# random DISK OPTION...
random()
{
	local disk=$1
	shift
	fio_quiet --filename="/dev/$disk" --direct=1 --rw=randrw --bsrange=4k-16k --number_ios=300 \
		--size=32m --ioengine=libaio "$@"
}

# every_4_ms DISK OPTION...: one read of 1 ms in each tick period.
every_4_ms()
{
	local disk=$1
	shift
	fio_quiet --filename="/dev/$disk" --direct=1 --rw=randread --bs=4k --ioengine=psync --size=32m \
		--number_ios=100 --rate_iops=250 "$@"
}

# on CPUS COMMAND...: taskset cannot run shell functions.
on()
{
	local cpus=$1
	shift
	taskset -pc "$cpus" $BASHPID >/dev/null
	"$@" || fail "$*"
	taskset -pc "0-$(($(nproc --all) - 1))" $BASHPID >/dev/null
}

# while_running OPTION...: reads the statistics in the middle, with I/O in flight.
while_running()
{
	random nbe --iodepth=32 --number_ios=100000 --time_based --runtime=1 &
	at_work nbe
	sleep 0.3
	account_stat 1 nbe >/tmp/oracle/last || fail "recount: no account in the middle"
	wait $!
}

modprobe null_blk nr_devices=0
modprobe mq-deadline 2>/dev/null
modprobe bfq 2>/dev/null

make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=1
recount psync nbe random nbe --ioengine=psync
recount depth-16-cpu-1 nbe on 0 random nbe --iodepth=16
recount depth-16-cpus-2 nbe on 0,1 random nbe --iodepth=16 --numjobs=2 --number_ios=150
recount think-with-the-tick nbe every_4_ms nbe
recount think-without-the-tick nbe every_4_ms nbe --rate_process=poisson
recount inside nbe while_running
remove_null_blk_disk nbe

make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=4
recount depth-128 nbe random nbe --iodepth=128 --number_ios=1000
recount depth-128-jobs-4 nbe random nbe --iodepth=32 --numjobs=4 --number_ios=250
remove_null_blk_disk nbe

# Few tags: most of the wait is that for a tag.
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 hw_queue_depth=1
recount tag-waits nbe random nbe --iodepth=4 --numjobs=8 --number_ios=40
remove_null_blk_disk nbe
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=2 hw_queue_depth=3
recount tag-waits-queues-2 nbe random nbe --iodepth=8 --numjobs=8 --number_ios=40
recount tag-waits-inside nbe while_running
remove_null_blk_disk nbe
head -c 4096 /dev/vda >/dev/null
sleep 0.2 # its files are there from its first I/O on
before=$(cat /sys/block/vda/queue/nr_requests)
for depth in 4 16; do
	echo $depth >/sys/block/vda/queue/nr_requests
	recount tag-waits-virtio-$depth vda random vda --iodepth=8 --numjobs=8 --number_ios=40
done
echo "$before" >/sys/block/vda/queue/nr_requests

# A scheduler above a device with a depth of two: long waits.
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 hw_queue_depth=2
for scheduler in mq-deadline bfq; do
	echo $scheduler >/sys/block/nbe/queue/scheduler || fail "recount: no $scheduler"
	recount $scheduler nbe random nbe --iodepth=16
done
remove_null_blk_disk nbe

# Each block of a small area is written once, to a device with a depth of one: waiting requests become
# adjacent and are merged.
neighbours()
{
	begin nbe
	fio_quiet --filename=/dev/nbe --direct=1 --rw=randwrite --bs=4k --size=1m --ioengine=libaio \
		--iodepth=128
	delta nbe
	holds "recount merges: at least one request was merged" "d_merged > 0"
	holds "recount merges: at least one bio was merged" "d_start_count < 256"
}
make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=2000000 hw_queue_depth=1
echo mq-deadline >/sys/block/nbe/queue/scheduler
echo 256 >/sys/block/nbe/queue/nr_requests
recount merges nbe neighbours
remove_null_blk_disk nbe
oracle_stop
nothing_lost "recount"
