# SPDX-License-Identifier: GPL-2.0
# @inflight: the list of I/Os in flight, of disks that hang, and under load; and the age of the oldest of them.

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
unload_module
# A small table, so that a list is made quickly.
load_module inflight=512

# send MESSAGE: fails as the write does.
send()
{
	(open_iostat 7 && echo "$1" >&7)
}

# in_flight [DISK]: prints the list without its heading.
in_flight()
{
	reply "@inflight $*" | sed 1d
}

# what [DISK]: prints it without numbers and times, sorted.
what()
{
	in_flight "$@" | cut -d' ' -f1,3,6-8 | sort | paste -sd,
}

# read_at DEVICE SECTOR...: a read of 8 KiB at each of these sectors, in the background.
read_at()
{
	local device=$1 sector
	shift
	for sector; do
		dd if="$device" of=/dev/null bs=8k count=1 skip=$((sector * 512)) iflag=direct,skip_bytes status=none &
		readers+=" $!"
	done
}

# until_in_flight DISK COUNT: waits until so many are in the list.
until_in_flight()
{
	local try
	for try in $(seq 100); do
		[ "$(in_flight "$1" | wc -l)" != "$2" ] || return 0
		sleep 0.05
	done
	fail "hung: $2 I/Os in flight on $1" "$(in_flight "$1" | wc -l)"
}

# now_ns VARIABLE: sets it to the time on the module's clock.
now_ns()
{
	local now
	read -r now _ </sys/block/nbi/iostat/stat
	printf -v "$1" %s "$now"
}

# oldest DISK: prints the age of its oldest I/O in flight as each call has it for all users, and then as its file has it.
oldest()
{
	local age ages
	ages=$($nobody /payload/abi oldest "$1")
	read -r age <"/sys/class/block/$1/iostat/oldest_in_flight_ns"
	echo "$ages $age"
}

# began NAME DISK FROM TO: checks that the oldest I/O in flight of a disk was accepted between these times.
began()
{
	local before after ages age
	now_ns before
	ages=$(oldest "$2")
	now_ns after
	is "$1: so many ages" "$(wc -w <<<"$ages")" 5
	for age in $ages; do
		holds "$1: $age ns, from $3 to $4" "before - $4 <= age && age <= after - $3"
	done
	# That of another I/O would be out of line.
	is "$1: of one I/O" "$(tr ' ' '\n' <<<"$ages" | sort -n | paste -sd' ')" "$ages"
}

# until_busy DISK: waits until it has read and written.
until_busy()
{
	while [ "$(cat /sys/block/"$1"/iostat/devstat/operations_write)" -lt 100 ]; do
		sleep 0.1
	done
}

# Each I/O takes five seconds, and two are at the disk at a time. With one hardware queue, the third use of a request is
# on the fast path, with several perhaps a later one.
make_null_blk_disk nbi size=64 irqmode=2 completion_nsec=5000000000 submit_queues=1 poll_queues=0 hw_queue_depth=2
wait_idle nbi
is "hung: an idle disk" "$(what nbi)" ""
is "hung: no age of an idle disk" "$(oldest nbi)" "0 0 0 0 0"
for round in first second third; do
	readers=
	now_ns from
	read_at /dev/nbi 0
	until_in_flight nbi 1
	now_ns to
	sleep 0.2
	read_at /dev/nbi 2048
	until_in_flight nbi 2
	began "hung: the older of two reads, $round" nbi $from $to
	is "hung: two reads, $round" "$(what nbi)" "nbi running read 0 8192,nbi running read 2048 8192"
	is "hung: their submitters, $round" "$(in_flight nbi | cut -d' ' -f9-10 | sort)" \
		"$(printf '%s dd\n' $readers | sort)"
	wait $readers
	is "hung: nothing when they have ended, $round" "$(what nbi)" ""
	is "hung: no age when they have ended, $round" "$(oldest nbi)" "0 0 0 0 0"
done
is "hung: all disks" "$(in_flight | grep -c '^nbi ')" 0
# An older one of another disk, on the fast path.
make_null_blk_disk nbj size=64 irqmode=2 completion_nsec=5000000000 submit_queues=1 poll_queues=0 hw_queue_depth=1
wait_idle nbj
for round in first second; do
	readers=
	read_at /dev/nbj 0
	wait $readers
done
readers=
read_at /dev/nbj 0
until_in_flight nbj 1
now_ns from
read_at /dev/nbi 0
until_in_flight nbi 1
now_ns to
began "hung: a disk has no other's age" nbi $from $to
wait $readers
remove_null_blk_disk nbj
# A name with a blank is one word.
cp "$(command -v dd)" '/tmp/a b\'
'/tmp/a b\' if=/dev/nbi of=/dev/null bs=8k count=1 iflag=direct status=none &
readers=$!
until_in_flight nbi 1
is "hung: the name of a submitter" "$(in_flight nbi | cut -d' ' -f9-)" "$readers"' a\040b\134'
wait $readers

# With a scheduler, more can be accepted than are at the disk. While a queue is frozen, the list is there as well.
echo mq-deadline >/sys/block/nbi/queue/scheduler
readers=
read_at /dev/nbi 64 4096 8192 16384
until_in_flight nbi 4
sh -c 'echo none >/sys/block/nbi/queue/scheduler' &
freezer=$!
sleep 0.5
before=$(in_flight nbi)
ages=$(oldest nbi)
sleep 1
after=$(in_flight nbi)
later=$(oldest nbi)
is "hung: a frozen queue: it is" "$(cat /proc/$freezer/stat 2>/dev/null | sed 's/.*) //' | cut -d' ' -f1)" D
is "hung: a frozen queue: phases" "$(cut -d' ' -f3 <<<"$before" | sort | uniq -c | xargs)" "2 running 2 waiting"
is "hung: a frozen queue: sectors" "$(cut -d' ' -f6-8 <<<"$before" | sort | paste -sd,)" \
	"read 16384 8192,read 4096 8192,read 64 8192,read 8192 8192"
is "hung: a frozen queue: the same later, as much older" "$(printf '%s\n' "$before" "$after" | awk '
	!($7 in age) { age[$7] = $4; next }
	$4 - age[$7] > 9e8 && $4 - age[$7] < 2e10 { n++ }
	END { print n }')" 4
is "hung: a frozen queue: the age of the oldest grows" "$(printf '%s\n' "$ages" "$later" | awk '
	NR == 1 { split($0, age) }
	NR == 2 { for (i = 1; i <= 5; i++) n += $i - age[i] > 9e8 && $i - age[i] < 2e10 }
	END { print n }')" 5
is "hung: a frozen queue: the age of the oldest is between those of two lists" "$(printf '%s\n' "$before" "$after" | awk -v ages="$ages" '
	$4 > age[NR > 4] { age[NR > 4] = $4 }
	END { n = split(ages, one, " "); for (i = 1; i <= n; i++) right += age[0] <= one[i] && one[i] <= age[1]; print right }')" 5
is "hung: a frozen queue: times at the disk" "$(awk '$3 == "waiting" && $5 || $3 == "running" && ($5 < 3e8 || $5 > $4)' <<<"$before")" ""
is "hung: other users: no operation, no sector and no submitter" "$($nobody sh -c '[ -c /dev/iostat ] && exec 7<>/dev/iostat; echo "@inflight nbi" >&7; cat <&7' |
	awk '$1 == "nbi" && $4 >= $5 { print $6, $7, $8, $9, $10 }' | sort -u)" "- - - - -"
wait $readers
wait $freezer

# A partition, whose I/Os are in the list of its disk as well.
succeeds "hung: a partition is added" /payload/partition /dev/nbi 1 2048 4096
for order in "nbi1 nbi" "nbi nbi1" "nbi1 nbi fast"; do
	readers=
	if [ "${order% fast}" != "$order" ]; then
		# From the next on, both requests of the disk are on the fast path of the partition.
		read_at /dev/nbi1 64 128
		wait $readers
		readers=
	fi
	for device in ${order% fast}; do
		now_ns from_$device
		case $device in
		nbi1) read_at /dev/nbi1 16 ;;
		nbi) read_at /dev/nbi 32 ;;
		esac
		until_in_flight nbi $(wc -w <<<$readers)
		now_ns to_$device
	done
	succeeds "hung: files of the partition, in $order" all_files nbi1
	began "hung: a partition has the age of its own, in $order" nbi1 $from_nbi1 $to_nbi1
	# Of the disk the first of both is the oldest.
	from=from_${order%% *} to=to_${order%% *}
	began "hung: a disk has that of both, in $order" nbi ${!from} ${!to}
	is "hung: a partition, in $order" "$(what nbi1)" "nbi1 running read 2064 8192"
	is "hung: its disk, in $order" "$(what nbi)" "nbi running read 32 8192,nbi1 running read 2064 8192"
	wait $readers
	wait_idle nbi
done

# A suspended device-mapper device keeps bios.
dm_linear held /dev/nbi 8192
dm=$(dm_disk held)
dmsetup suspend held
readers=
read_at /dev/mapper/held 24
until_in_flight "$dm" 1
is "hung: a suspended device-mapper device" "$(what "$dm")" "$dm running read 24 8192"
is "hung: nothing below it" "$(what nbi)" ""
succeeds "hung: files of a suspended device" all_files "$dm"
holds "hung: a suspended device has an age" "$(cut -d' ' -f1 <<<"$(oldest "$dm")") > 0"
is "hung: nothing below it has an age" "$(oldest nbi)" "0 0 0 0 0"
dmsetup resume held
until_in_flight nbi 1
is "hung: the disk below it" "$(what nbi)" "nbi running read 24 8192"
wait $readers
dmsetup remove held
remove_null_blk_disk nbi

# A SCSI disk whose commands take long.
modprobe sd_mod
modprobe scsi_debug dev_size_mb=8 delay=1
disk=$(scsi_debug_disk)
wait_idle "$disk"
# delay TICKS: of each command from now on.
delay()
{
	local try
	for try in $(seq 50); do
		! echo "$1" 2>/dev/null >/sys/bus/pseudo/drivers/scsi_debug/delay || return 0
		sleep 0.1
	done
	fail "hung: scsi_debug takes a delay"
}
delay 1000
readers=
read_at /dev/"$disk" 128
until_in_flight "$disk" 1
is "hung: a SCSI disk" "$(what "$disk")" "$disk running read 128 8192"
wait $readers
wait_idle "$disk"
delay 1
rmmod scsi_debug

# What is refused.
is "hung: no such disk" "$(/payload/message raw - <<<"@inflight nosuch")" "ENXIO nosuch: there is no such disk%0a"
is "hung: a word too many" "$(/payload/message raw - <<<"@inflight nbl all")" "EINVAL all: one word too many%0a"

# Under load, on all CPUs: no line has anything of two I/Os.
make_null_blk_disk nbl size=64 irqmode=2 completion_nsec=50000 submit_queues=$(nproc) hw_queue_depth=32
echo 2 >/sys/block/nbl/queue/nomerges
for scheduler in none mq-deadline; do
	echo $scheduler >/sys/block/nbl/queue/scheduler
	fio --disk_util=0 --direct=1 --ioengine=libaio --iodepth=32 --time_based --runtime=1000000 --filename=/dev/nbl \
		--name=reads --rw=randread --bs=4k --size=32m --numjobs=$(nproc) \
		--name=writes --rw=randwrite --bs=8k --offset=32m --size=32m --numjobs=$(nproc) >/dev/null 2>&1 &
	fio=$!
	until_busy nbl
	lists=$(repetitions 4000 10000)
	is "hung: under load, $scheduler" "$(/payload/inflight nbl "$lists" 131072)" "$lists lists, 0 wrong, 1"
	is "hung: under load, other users, $scheduler" "$($nobody /payload/inflight nbl 1000)" "1000 lists, 0 wrong, 1"
	kill $fio
	wait $fio
	wait_idle nbl
done
remove_null_blk_disk nbl
reload
