# SPDX-License-Identifier: GPL-2.0
# Request-based disks: null_blk in its modes and schedulers.

succeeds "null_blk: module" modprobe null_blk nr_devices=0
modprobe bfq 2>/dev/null
modprobe mq-deadline 2>/dev/null

# mode NAME SCHEDULER SETTING...: runs fio on a disk of that kind.
mode()
{
	local name=$1 scheduler=$2
	shift 2
	make_null_blk_disk nbx size=256 "$@" || { fail "$name: no disk"; return; }
	echo "$scheduler" >/sys/block/nbx/queue/scheduler || fail "$name: scheduler"
	# Disables plug merging of I/Os that are adjacent by chance.
	[ "$scheduler" != none ] || echo 2 >/sys/block/nbx/queue/nomerges
	begin nbx
	succeeds "$name: fio psync" fio_quiet --filename=/dev/nbx --direct=1 --rw=randrw \
		--bsrange=4k-64k --ioengine=psync --number_ios=500 --size=64m
	delta nbx
	like_fio "$name psync"
	like_kernel "$name psync"
	begin nbx
	succeeds "$name: fio io_uring" fio_quiet --filename=/dev/nbx --direct=1 --rw=randrw \
		--bsrange=4k-64k --ioengine=io_uring --iodepth=32 --number_ios=2000 --size=64m
	delta nbx
	# With a scheduler requests may be merged.
	if [ "$scheduler" = none ]; then like_fio "$name io_uring"; else bytes_like_fio "$name io_uring"; fi
	like_kernel "$name io_uring"
	is "$name io_uring: writes as the kernel counts" "$d_operations_write" "$dk_writes"
	balanced "$name" nbx
	remove_null_blk_disk nbx
}

mode "null_blk inline" none irqmode=0
mode "null_blk softirq" none irqmode=1 submit_queues=2
mode "null_blk timer" none irqmode=2 completion_nsec=50000 submit_queues=2
mode "null_blk mq-deadline" mq-deadline irqmode=2 completion_nsec=50000
mode "null_blk bfq" bfq irqmode=2 completion_nsec=50000
nothing_lost "null_blk"

# Adjacent small direct writes of one submission: bios merge in the plug, so the kernel and iostat count
# fewer requests than fio issued.
make_null_blk_disk nbm size=256 irqmode=2 completion_nsec=100000
begin nbm
fio_quiet --filename=/dev/nbm --direct=1 --rw=write --bs=4k --ioengine=io_uring --iodepth=64 \
	--iodepth_batch_submit=32 --iodepth_batch_complete_min=32 --number_ios=4096 --size=64m
delta nbm
holds "merges: fewer requests than fio's writes" "dk_writes < 4096"
is "merges: writes as the kernel counts" "$d_operations_write" "$dk_writes"
is "merges: bytes equal fio's" "$d_bytes_write" "$(fio_value write io_bytes)"
balanced "merges" nbm

# A queue with one tag makes requests wait: both queues have known integrals.
echo 1 >/sys/block/nbm/queue/nr_requests 2>/dev/null
begin nbm
fio_quiet --filename=/dev/nbm --direct=1 --rw=randread --bs=4k --ioengine=psync --number_ios=400 \
	--size=64m
delta nbm
holds "service: at least the device's latency" "d_rlentime >= 400 * 100000"
is "service: busy time equals the integral of one at a time" "$d_rtime" "$d_rlentime"
is "duration: sum of wait and service" "$d_duration_read_ns" $((d_wlentime + d_rlentime))
is "busy: sum of wait and service of one at a time" "$d_busy_time_ns" $((d_wlentime + d_rlentime))
remove_null_blk_disk nbm
