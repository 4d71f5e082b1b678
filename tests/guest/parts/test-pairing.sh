# SPDX-License-Identifier: GPL-2.0
# 100,000 I/Os on every kind of disk with io:start and io:done enabled: each start has one done, and the
# dones add up to the accounts. pairing.c reads the events after each command; the buffer has room for them.

# Prints the values of an account that events have as well.
account()
{
	stat_of "$1" a_
	echo "$a_start_count $((a_end_count - a_merged - a_refused - a_abandoned)) $a_merged $a_refused" \
		"$a_abandoned $((a_bytes_none + a_bytes_read + a_bytes_write + a_bytes_free)) $a_wlentime $a_rlentime"
}

# event_sums: stores the sums of the events of each disk since the last call in array event_sums, of all disks in
# event_sums[.].
event_sums()
{
	local disk rest
	event_sums=()
	sleep 0.05 # an event is written shortly after its account
	echo >&"${PAIRING[1]}"
	while read -r disk rest <&"${PAIRING[0]}"; do
		event_sums[$disk]=$rest
		[ "$disk" != . ] || return 0
	done
	fail "pairing: its reader has exited"
}

# compared NAME "DISK..." COMMAND...: compares the events of each disk with its account.
compared()
{
	local name=$1 disk index events before now want
	local -A first
	# Events before the command do not count.
	for disk in $2; do
		wait_idle "$disk"
	done
	event_sums
	for disk in $2; do
		first[$disk]=$(account "$disk")
	done
	"${@:3}" >/tmp/out 2>&1 || fail "pairing: $name: ${*:3}" "$(tail -n 1 /tmp/out)"
	for disk in $2; do
		wait_idle "$disk"
	done
	event_sums
	for disk in $2; do
		read -ra events <<<"${event_sums[$disk]:-}"
		read -ra before <<<"${first[$disk]}"
		read -ra now <<<"$(account "$disk")"
		want=
		for index in "${!now[@]}"; do
			want+="$((now[index] - before[index])) "
		done
		errors[$disk]=${events[8]:-0} merged[$disk]=${events[2]:-0} refused[$disk]=${events[3]:-0}
		if [ -n "$flushes" ]; then
			# The flush machinery's own requests are no I/Os, but they are in the run queue.
			holds "pairing: $name: $disk: services" "${events[7]} <= now[7] - before[7]"
			want=${want% * } events[7]=
		fi
		is "pairing: $name: $disk: starts, ends by outcome, bytes, waits, services" \
			"$(echo ${events[*]:0:8})" "$(echo $want)"
		bytes[$disk]=${events[5]:-0}
		holds "pairing: $name: $disk: at least one I/O" "${events[0]:-0} > 0"
	done
	read -ra events <<<"${event_sums[.]}"
	is "pairing: $name: open, bad, unseen, lost" "${events[*]:2}" "0 0 0 0"
}

# fio_compared NAME "DISK BELOW..." FIO-ARGUMENT...: runs fio on the first disk; the dones have fio's bytes.
fio_compared()
{
	local disk=${2%% *}
	compared "$1" "$2" fio_quiet --filename="/dev/$disk" --direct=1 --ioengine=libaio --iodepth=16 "${@:3}"
	is "pairing: $1: bytes equal fio's" "${bytes[$disk]}" \
		$(($(fio_value read io_bytes) + $(fio_value write io_bytes)))
}

flushes=
declare -A event_sums errors merged refused bytes
mix="--rw=randrw --bsrange=4k-32k --size=64m"
both="--numjobs=2 --group_reporting --cpus_allowed=0,1 --cpus_allowed_policy=split"
: >$TRACING/trace
# The default size is printed with a remark: "7 (expanded: 1408)".
read -r before_kb rest <$TRACING/buffer_size_kb
echo 40000 >$TRACING/buffer_size_kb
coproc PAIRING { /payload/pairing $TRACING; }
echo 1 >$TRACING/events/io/start/enable
echo 1 >$TRACING/events/io/done/enable

for irqmode in 0 1 2; do
	make_null_blk_disk nbk size=256 irqmode=$irqmode submit_queues=2 completion_nsec=20000
	fio_compared "null_blk, irqmode $irqmode" nbk $mix $both --number_ios=4000
	remove_null_blk_disk nbk
done
make_null_blk_disk nbk size=256 queue_mode=0
fio_compared "null_blk, bio" nbk $mix $both --number_ios=4000
remove_null_blk_disk nbk
fio_compared "virtio" vda $mix $both --number_ios=3000

# Splits, merges, and stacked disks.
make_null_blk_disk nba size=128 irqmode=2 completion_nsec=20000 memory_backed=1 submit_queues=2 discard=1
make_null_blk_disk nbb size=128 irqmode=2 completion_nsec=20000 memory_backed=1 submit_queues=2
modprobe dm-mod
over()
{
	dmsetup create pairing --table "$2" || fail "pairing: $1"
	disk=$(dm_disk pairing)
}
over linear "0 262144 linear /dev/nba 0"
fio_compared "dm-linear" "$disk nba" $mix --number_ios=4000
dmsetup remove pairing
over striped "0 262144 striped 2 128 /dev/nba 0 /dev/nbb 0"
fio_compared "dm-stripe" "$disk nba nbb" $mix --number_ios=4000
dmsetup remove pairing
over error "$(printf '0 131072 linear /dev/nba 0\n131072 131072 error')"
compared "dm-error" "$disk nba" fio_quiet --filename="/dev/$disk" --direct=1 --ioengine=libaio --iodepth=16 \
	--rw=randrw --bs=4k --size=128m --number_ios=3000 --continue_on_error=all
holds "pairing: dm-error: more than 1000 errors" "${errors[$disk]} > 1000"
dmsetup remove pairing

modprobe raid0
modprobe raid1
for level in 0 1; do
	mdadm --build /dev/md7 --level=$level --raid-devices=2 --chunk=64 --assume-clean /dev/nba /dev/nbb \
		>/tmp/out 2>&1 || fail "pairing: raid$level" "$(tail -n 1 /tmp/out)"
	head -c 4096 /dev/md7 >/dev/null # the first open looks for partitions
	fio_compared "raid$level" "md7 nba nbb" --rw=randrw --bsrange=4k-192k --size=64m --number_ios=3000
	mdadm --quiet --stop /dev/md7
done

modprobe loop
truncate -s 64M /tmp/loop
loop=$(losetup --show -f --direct-io=on /dev/nba)
fio_compared "loop, direct" "${loop#/dev/} nba" $mix --number_ios=3000
losetup -d "$loop"
loop=$(losetup --show -f /tmp/loop)
fio_compared "loop, tmpfs" "${loop#/dev/}" $mix --number_ios=2000
losetup -d "$loop"
rm /tmp/loop
compared "discards" nba blkdiscard -o 1M -l 64M /dev/nba
holds "pairing: discards: their bytes" "${bytes[nba]} >= 64 << 20"
remove_null_blk_disk nba
remove_null_blk_disk nbb

modprobe brd rd_nr=1 rd_size=65536
fio_compared "brd" ram0 $mix $both --number_ios=4000
rmmod brd
modprobe zram num_devices=1
echo 64M >/sys/block/zram0/disksize
fio_compared "zram" zram0 $mix --number_ios=4000
rmmod zram

# One queue with one tag: merges, flushes, and refused clones.
make_null_blk_disk nbk size=64 irqmode=2 completion_nsec=10000000 submit_queues=1 hw_queue_depth=1
echo mq-deadline >/sys/block/nbk/queue/scheduler
echo 128 >/sys/block/nbk/queue/nr_requests
fio_compared "merges" nbk --rw=randwrite --bs=4k --size=1m --number_ios=2000 --iodepth=64
holds "pairing: merges: at least one" "${merged[nbk]} > 0"
remove_null_blk_disk nbk
make_null_blk_disk nbk size=128 irqmode=2 completion_nsec=200000 memory_backed=1 submit_queues=1 \
	hw_queue_depth=1 cache_size=16 fua=0
echo mq-deadline >/sys/block/nbk/queue/scheduler
flushes=yes
fio_compared "flushes" nbk --rw=randwrite --bs=4k --size=32m --number_ios=2000 --sync=dsync
fio_compared "fsync" nbk --rw=randwrite --bs=4k --size=32m --number_ios=1000 --fsync=2
flushes=
modprobe dm-multipath
over multipath "0 262144 multipath 0 0 1 1 round-robin 0 1 1 /dev/nbk 1"
fio_compared "multipath" "$disk nbk" --rw=randrw --bs=4k --size=64m --number_ios=2000
holds "pairing: multipath: at least one refused" "${refused[nbk]} > 0"
dmsetup remove pairing
remove_null_blk_disk nbk

modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=1 max_queue=64 lbpu=1
sd=$(scsi_debug_disk)
params=/sys/bus/pseudo/drivers/scsi_debug
sleep 1 # until the probes of the new disk have ended
fio_compared "scsi_debug" "$sd" $mix --size=32m --number_ios=3000
# Not a negative number, here and in other parts: with two CPUs scsi_debug may take it for -1, and then refuses each command.
for opts in 0x8000 0x10; do
	echo $opts >$params/opts
	echo 5 >$params/every_nth
	# A command that fails on each retry is an error for fio.
	compared "scsi_debug, trouble $opts" "$sd" eval "fio_quiet --filename=/dev/$sd --direct=1 --rw=randread \
		--ioengine=libaio --iodepth=8 --bs=4k --size=32m --number_ios=1000 || true"
	echo 0 >$params/every_nth
done
echo 2 >$params/opts
compared "scsi_debug, medium error" "$sd" eval \
	"! dd if=/dev/$sd of=/dev/null iflag=direct bs=64k skip=36 count=1"
holds "pairing: medium error: at least one error" "${errors[$sd]} > 0"
echo 0 >$params/opts
compared "passed through" "$sd" /payload/passthrough "/dev/$sd" read 500
rmmod scsi_debug

# Only in a guest with --nvme and --paths.
for head in /sys/block/nvme?n1; do
	[ -d "$head" ] || continue
	head=${head##*/}
	paths=$(cd /sys/block && echo nvme*c*n1)
	case $paths in
	nvme"${head:4:1}"c*)
		echo round-robin >"/sys/class/nvme-subsystem/nvme-subsys${head:4:1}/iopolicy"
		fio_compared "nvme, two paths" "$head $paths" $mix --number_ios=3000
		;;
	*) fio_compared "nvme" "$head" $mix $both --number_ios=3000 ;;
	esac
done

# Bios that are in flight while their disk is removed end as well.
insmod /payload/late_disk.ko || fail "pairing: late_disk"
event_sums
readers=
for number in 1 2 3; do
	dd if=/dev/late of=/dev/null bs=4k count=1 skip=$number iflag=direct status=none &
	readers+=" $!"
done
at_work late 0 3
echo 1 >/sys/module/late_disk/parameters/remove
wait $readers
event_sums
read -ra events <<<"${event_sums[.]}"
is "pairing: removed: each start has a done" "$(echo ${events[*]})" "${events[0]} ${events[0]} 0 0 0 0"
is "pairing: removed: starts" "$(echo ${event_sums[late]} | cut -d' ' -f1)" 3
rmmod late_disk

event_sums
read -r all_starts all_dones rest <<<"${event_sums[.]}"
holds "pairing: I/Os in all" "all_starts >= 100000 && all_starts == all_dones"
echo "# pairing: $all_starts I/Os"
echo 0 >$TRACING/events/io/enable
echo "$before_kb" >$TRACING/buffer_size_kb
eval "exec ${PAIRING[1]}>&-"
wait "$PAIRING_PID"
