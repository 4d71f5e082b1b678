# SPDX-License-Identifier: GPL-2.0
# ioscope why: each rule where a load provokes it, and close by, where it must be silent.

# scene NAME RULES DISK COMMAND...: while the command does its I/O, these rules have something to say of the disk, and no
# other. What they say stays in /tmp/why.
scene()
{
	local name=$1 want=$2 disk=$3 load
	shift 3
	"$@" >/tmp/why.load 2>&1 &
	load=$!
	sleep 0.3
	ioscope why ${no_events:+-E} -o json "$disk" "${seconds:-1.5}" >/tmp/why 2>/tmp/why.err
	is "why: $name: status" $? 0
	is "why: $name" "$(grep -o '"rule":"[a-z_]*"' /tmp/why | cut -d '"' -f 4 | xargs)" "$want"
	grep -o '"text":"[^"]*"' /tmp/why | sed 's/^/# /'
	wait $load
}

# value NAME: a number in what the rules of the last scene say.
value()
{
	grep -o "\"$1\":[0-9]*" /tmp/why | tail -n 1 | cut -d : -f 2
}

# load OPTION...: fio, for longer than the scene.
load()
{
	fio_quiet --direct=1 --bs=4k --time_based --runtime=2.5 --size=16m --ioengine=psync --thread "$@"
}

make_null_blk_disk why0 size=64 irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=1
echo none >/sys/block/why0/queue/scheduler
scene "eight threads and one tag" "tag_wait process" why0 load --filename=/dev/why0 --rw=randread --numjobs=8
give why.json </tmp/why
is "why: the number of tags" "$(value nr_requests)" 1
# Eight take turns: seven waits for each service.
holds "why: the wait for the tag" "$(value wait_ns) > 5 * 5000000 && $(value wait_ns) < 10 * 5000000"
# I/Os that the interval has only a part of make the mean a little shorter.
holds "why: the service" "$(value service_ns) >= 4900000 && $(value service_ns) < 6000000"
is "why: what has most of it is fio" "$(grep -c 'fio (process [0-9]*) has 100 % of the time' /tmp/why)" 1
no_events=1 scene "without events no process is known" "tag_wait" why0 load --filename=/dev/why0 --rw=randread --numjobs=8
scene "one thread and one tag" "" why0 load --filename=/dev/why0 --rw=randread
# The cgroup of it, while there are accounts.
cgroups=/sys/fs/cgroup
echo "+io" >$cgroups/cgroup.subtree_control || fail "why: no controller"
mkdir $cgroups/greedy $cgroups/modest
ioscope cgroups --on || fail "why: cgroups"
within_both()
{
	sh -c "echo \$\$ >$cgroups/modest/cgroup.procs; exec dd if=/dev/why0 of=/dev/null bs=4k count=${1:-30} iflag=direct status=none" &
	(
		echo $BASHPID >$cgroups/greedy/cgroup.procs
		load --filename=/dev/why0 --rw=randread --numjobs=8
	)
	wait
}
no_events=1 scene "one cgroup has most of it" "tag_wait cgroup" why0 within_both
holds "why: which one, and how much" "$(grep -c 'The cgroup /greedy has' /tmp/why) == 1 && $(value time_percent) >= 60"
# Both do the same.
within_equal()
{
	for group in greedy modest; do
		(
			echo $BASHPID >$cgroups/$group/cgroup.procs
			fio --disk_util=0 --output=/tmp/$group.fio --name=job --direct=1 --bs=4k --time_based --runtime=2.5 --size=16m --ioengine=psync \
				--thread --filename=/dev/why0 --rw=randread --numjobs=4
		) &
	done
	wait
}
no_events=1 scene "no cgroup has most of it" "tag_wait" why0 within_equal
ioscope cgroups --off
rmdir $cgroups/greedy $cgroups/modest
echo mq-deadline >/sys/block/why0/queue/scheduler
echo 32 >/sys/block/why0/queue/nr_requests
scene "the scheduler has them" "queue_wait process" why0 load --filename=/dev/why0 --rw=randread --numjobs=8
is "why: its name" "$(grep -c 'in the queue of the scheduler mq-deadline' /tmp/why)" 1
echo none >/sys/block/why0/queue/scheduler
two()
{
	load --filename=/dev/why0 --rw=randread --numjobs=4 &
	dd if=/dev/why0 of=/dev/null bs=4k count=300 iflag=direct status=none &
	dd if=/dev/why0 of=/dev/null bs=4k count=300 skip=1000 iflag=direct status=none &
	dd if=/dev/why0 of=/dev/null bs=4k count=300 skip=2000 iflag=direct status=none &
	dd if=/dev/why0 of=/dev/null bs=4k count=300 skip=3000 iflag=direct status=none &
	wait
}
scene "no process has most of it" "tag_wait" why0 two
remove_null_blk_disk why0

make_null_blk_disk why1 size=64 irqmode=2 completion_nsec=2000000 submit_queues=1 hw_queue_depth=64
echo none >/sys/block/why1/queue/scheduler
echo 64 >/sys/block/why1/queue/max_sectors_kb
scene "larger than the disk takes" "splits process" why1 load --filename=/dev/why1 --rw=randread --bs=256k
is "why: how large I/Os may be" "$(value max_sectors_kb)" 64
scene "as large as the disk takes" "" why1 load --filename=/dev/why1 --rw=randread --bs=64k
following="--filename=/dev/why1 --rw=read --ioengine=libaio --iodepth=16 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16"
echo 2 >/sys/block/why1/queue/nomerges
scene "not merged" "unmerged process" why1 load $following
echo 0 >/sys/block/why1/queue/nomerges
scene "merged" "" why1 load $following
remove_null_blk_disk why1

make_null_blk_disk why2 size=64 irqmode=2 completion_nsec=2000000 submit_queues=1 hw_queue_depth=64 memory_backed=1 cache_size=1
echo none >/sys/block/why2/queue/scheduler
scene "a flush for each write" "flushes process" why2 load --filename=/dev/why2 --rw=randwrite --fsync=1
scene "few flushes" "" why2 load --filename=/dev/why2 --rw=randwrite --fsync=16
echo +0-63 >/sys/kernel/config/nullb/why2/badblocks
# bad SECTOR COUNT: reads one after the other.
bad()
{
	local one
	for one in $(seq "$2"); do dd if=/dev/why2 of=/dev/null bs=4k skip="$1" count=1 iflag=direct status=none; done
}
seconds=1 scene "bad sectors, each read by another process" "errors" why2 bad 0 300
seconds=1 scene "not these sectors" "" why2 bad 100 300
remove_null_blk_disk why2

make_null_blk_disk why3 size=64 irqmode=2 completion_nsec=4000000000 submit_queues=1 hw_queue_depth=4
seconds=1 scene "nothing ends" "stalled" why3 dd if=/dev/why3 of=/dev/null bs=4k count=1 iflag=direct status=none
is "why: how many are in flight" "$(value in_flight)" 1
remove_null_blk_disk why3

make_null_blk_disk slow size=64 irqmode=2 completion_nsec=20000000 submit_queues=1 hw_queue_depth=64
make_null_blk_disk fast size=64 irqmode=2 completion_nsec=2000000 submit_queues=1 hw_queue_depth=64
modprobe dm_mod
modprobe dm_delay
dmsetup create late --table "0 65536 delay /dev/fast 0 20" && dmsetup create both --table "0 131072 striped 2 8 /dev/slow 0 /dev/fast 0" &&
	dmsetup create one --table "0 65536 linear /dev/slow 0" && dmsetup mknodes || fail "why: device-mapper"
scene "a layer that is slow itself" "layer process" "$(dm_disk late)" load --filename=/dev/mapper/late --rw=randread
scene "one of two disks is slow" "uneven process" "$(dm_disk both)" load --filename=/dev/mapper/both --rw=randread
scene "a layer that adds nothing" "" "$(dm_disk one)" load --filename=/dev/mapper/one --rw=randread
dmsetup remove late
dmsetup remove both
dmsetup remove one
remove_null_blk_disk slow
remove_null_blk_disk fast

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 ndelay=1000000
sd=$(scsi_debug_disk)
params=/sys/bus/pseudo/drivers/scsi_debug
echo none >"/sys/block/$sd/queue/scheduler"
load --filename="/dev/$sd" --rw=randread --runtime=1
echo 8000000 >$params/ndelay
scene "slower than before" "slower process" "$sd" load --filename="/dev/$sd" --rw=randread
echo 1200000 >$params/ndelay
scene "as before" "" "$sd" load --filename="/dev/$sd" --rw=randread
busy()
{
	echo 0x8000 >$params/opts
	echo 5 >$params/every_nth
	load --filename="/dev/$sd" --rw=randread --ioengine=libaio --iodepth=8
	echo 0 >$params/every_nth
	echo 0 >$params/opts
}
scene "a host that is busy" "requeues process" "$sd" busy
modprobe -r scsi_debug

# Of a file.
make_null_blk_disk why4 memory_backed=1 size=64 irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=1
mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=0 /dev/why4 && mkdir -p /mnt/why && mount /dev/why4 /mnt/why || fail "why: ext4"
echo none >/sys/block/why4/queue/scheduler
dd if=/dev/zero of=/mnt/why/file bs=64k count=128 oflag=direct status=none
scene "of a file" "tag_wait process file" why4 load --filename=/mnt/why/file --size=8m --rw=randread --numjobs=8
is "why: the file" "$(grep -c 'The file /mnt/why/file (ext4) has [0-9]* % of the time' /tmp/why)" 1
umount /mnt/why
remove_null_blk_disk why4

# For people, and of the time that a recording has.
ioscope record /tmp/why.recording 0.5 4 &
recorder=$!
dd if=/dev/nullb0 of=/dev/null bs=4k count=300 iflag=direct status=none &
ioscope why 1 nullb0 nullb1 >/tmp/why
sed 's/^/# /' /tmp/why
is "why: a line for each device" "$(cut -d ' ' -f 1 /tmp/why | grep : | xargs)" "nullb0: nullb1:"
is "why: nothing is wrong" "$(grep -c '^  Nothing is wrong that these numbers show.$' /tmp/why)" 1
is "why: no I/O" "$(grep -c '^nullb1: no I/O in [0-9.]* s.$' /tmp/why)" 1
wait $recorder
ioscope why --replay /tmp/why.recording >/tmp/why
is "why, replayed: one device did something" "$(grep -c '^nullb0: [0-9]* I/Os ended in [0-9.]* s. An I/O took' /tmp/why)" 1
is "why, replayed: one interval" "$(grep -c . /tmp/why)" 2
wait
is "why: all disks, none did anything" "$(ioscope why 0.1)" "No disk did any I/O."
is "why: CSV" "$(ioscope why -o csv 0.1)" ""
says "why: an unprivileged user, without processes" 0 \
	"ioscope: processes and files are not known: no permission to create a tracefs instance: run as root" \
	setpriv --reuid=65534 --clear-groups ioscope why 0.1
says "why: an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" ioscope why nothing
