# SPDX-License-Identifier: GPL-2.0
# scsi_debug: passthrough commands, errors, timeouts, and a disk deleted in the middle of I/O.

modprobe sd_mod
# found NAME: sets sd to the disk, once the commands of its probe have ended.
found()
{
	local try
	sd=$(scsi_debug_disk) || fail "$1: no disk"
	for try in $(seq 50); do
		[ "$(dmesg | grep -c 'Attached SCSI disk')" = "$attached" ] || break
		sleep 0.1
	done
	attached=$(dmesg | grep -c 'Attached SCSI disk')
}

attached=$(dmesg | grep -c 'Attached SCSI disk')
succeeds "scsi: module" modprobe scsi_debug dev_size_mb=64 delay=1 max_queue=64
found "scsi"
params=/sys/bus/pseudo/drivers/scsi_debug
control=/sys/class/misc/iostat
echo none >"/sys/block/$sd/queue/scheduler"

# passed_through NAME BYTES DIRECTION: passthrough commands are operations of class none, with the bytes that they transfer. The
# trace events have their direction.
passed_through()
{
	begin "$sd"
	: >$TRACING/trace
	echo 1 >$TRACING/events/io/start/enable
	succeeds "passthrough: $1" /payload/passthrough "/dev/$sd" "$1" 20
	echo 0 >$TRACING/events/io/start/enable
	is "passthrough: direction of $1" "$(grep -o ": start: .* dev=$sd .* bcount=[0-9]*" $TRACING/trace |
		grep -oE 'B_(READ|WRITE)|bcount=.*' | paste -sd' \n' | sort | uniq -c | xargs)" "20 $3 bcount=$2"
	delta "$sd"
	is "passthrough: $1 is neither read nor write" "$d_operations_read $d_operations_write" "0 0"
	is "passthrough: each $1 is an operation" "$d_operations_none" 20
	is "passthrough: bytes of $1" "$d_bytes_none" $((20 * $2))
	balanced "passthrough: $1" "$sd"
}
passed_through ready 0 B_WRITE
passed_through inquiry 96 B_READ
passed_through read 4096 B_READ
passed_through write 4096 B_WRITE

# An unreadable sector.
begin "$sd"
echo 2 >$params/opts
refuses "medium error: the read fails" dd if="/dev/$sd" of=/dev/null iflag=direct bs=64k skip=36 count=1
echo 0 >$params/opts
delta "$sd"
is "medium error: one operation" "$d_operations_read" 1
is "medium error: no bytes" "$d_bytes_read" 0
balanced "medium error" "$sd"

# events NAME: prints how many events of the block layer were traced.
events()
{
	grep -c " $1: $(tr : , <"/sys/block/$sd/dev") " $TRACING/trace
}

# trouble NAME OPTS EVERY [I/OS]: every EVERYth command fails once and is retried.
trouble()
{
	: >$TRACING/trace
	echo 1 >$TRACING/events/block/enable
	echo "$2" >$params/opts
	echo "$3" >$params/every_nth
	exact "$1" "$sd" --rw=randread --bs=16k --ioengine=libaio --iodepth=8 --number_ios=${4:-200} --size=16m
	echo 0 >$params/every_nth
	echo 0 >$params/opts
	echo 0 >$TRACING/events/block/enable
	like_kernel "$1"
	issues=$(events block_rq_issue) completions=$(events block_rq_complete)
}
trouble "short transfers" 0x100 5
holds "short transfers: some requests complete in parts" "completions > 200"
# The busy host requeues commands it was given, and then accepts none for a while: requests that were not
# issued are requeued as well, which changes no statistics.
trouble "busy host" 0x8000 5
holds "busy host: some were requeued after they were issued" "issues > completions"
holds "busy host: some were requeued before they were issued" "$(events block_rq_requeue) > issues - completions"
# Every 40th command gets no completion: it is aborted after a second and retried.
echo 1 >"/sys/block/$sd/device/timeout"
trouble "timeouts" 4 40 100
holds "timeouts: more than a second at the device" "d_rlentime > 1000000000"
holds "timeouts: retried" "issues > 100"
echo 30 >"/sys/block/$sd/device/timeout"

# The disk is deleted and found again, with I/O in flight.
for round in 1 2 3; do
	stat_of "$sd" g_
	fio --disk_util=0 --name=job --filename="/dev/$sd" --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=32 \
		--time_based --runtime=20 --size=32m >/dev/null 2>&1 &
	fio=$!
	for try in $(seq 50); do
		stat_of "$sd" s_
		((s_operations_read < g_operations_read + 100)) || break
		sleep 0.1
	done
	holds "deleted $round: in the middle of I/O" "s_operations_read >= g_operations_read + 100"
	numdevs=$(cat $control/numdevs)
	read -r number <"/sys/block/$sd/iostat/devstat/device_number"
	read -r created <"/sys/block/$sd/iostat/devstat/creation_time_ns"
	echo 1 >"/sys/block/$sd/device/delete"
	wait $fio
	is "deleted $round: its account is closed" "$(cat $control/numdevs)" $((numdevs - 1))
	is "deleted $round: no I/O left in the table" "$(cat $control/tracked)" 0
	for scan in $params/adapter*/host*/scsi_host/host*/scan; do
		echo "- - -" >"$scan"
	done
	found "deleted $round"
	read -r again <"/sys/block/$sd/iostat/devstat/device_number"
	read -r recreated <"/sys/block/$sd/iostat/devstat/creation_time_ns"
	holds "deleted $round: a disk found again is a new entry" "again > number"
	holds "deleted $round: created later" "recreated > created"
	balanced "deleted $round" "$sd"
done
succeeds "scsi: the module is unloaded" modprobe -r scsi_debug
nothing_lost "scsi"
