# SPDX-License-Identifier: GPL-2.0
# Loading and unloading under full load: no count lost or invented, nothing
# left behind.

make_null_blk_disk nbs size=256 irqmode=2 completion_nsec=200000 submit_queues=2
modprobe brd rd_nr=1 rd_size=65536
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 delay=0
sd=$(scsi_debug_disk)
dm_linear storm /dev/nbs 262144

storm_start()
{
	local device flushes
	jobs=()
	for device in nbs ram0 "$sd" mapper/storm; do
		flushes=
		[ "$device" != "$sd" ] || flushes=--fsync=32
		fio --name=job --filename=/dev/$device --direct=1 --rw=randrw --bsrange=4k-32k \
			--ioengine=libaio --iodepth=32 --time_based --runtime=60 --size=32m \
			$flushes >"/tmp/storm-${device##*/}" 2>&1 &
		jobs+=($!)
	done
}

storm_stop()
{
	local job alive=0
	for job in "${jobs[@]}"; do
		kill -INT "$job" && alive=$((alive + 1))
	done
	is "storm: the load lasted to the end" "$alive" "${#jobs[@]}"
	wait "${jobs[@]}" 2>/dev/null
}

slab()
{
	awk '/^Slab:|^Percpu:/ { sum += $2 } END { print sum }' /proc/meminfo
}

rmmod iostat
storm_start
for round in 1 2 3 4; do
	sleep 0.7
	load_module || fail "storm: round $round does not load"
	sleep 0.7
	rmmod iostat || fail "storm: round $round does not unload"
done
pass "storm: four rounds of load and unload"

# Loaded in the middle of it, and left: when the load has ended, every I/O that
# was counted in was counted out.
echo 60000 >$TRACING/buffer_size_kb
: >$TRACING/trace
echo 1 >$TRACING/events/block/block_io_start/enable
load_module || fail "storm: does not load"
sleep 1
storm_stop
echo 0 >$TRACING/events/block/block_io_start/enable
for disk in nbs ram0 "$sd" "$(dm_disk storm)"; do
	balanced "storm: $disk" "$disk"
done
is "storm: nothing left in the table" "$(cat /sys/class/misc/iostat/tracked)" 0
nothing_lost "storm"

# Recording began at some moment; from then on every request the kernel started is in the
# account. So the account must be that of the last n requests that were traced,
# which began while the module was being loaded.
is "storm: no event lost" "$(grep -h overrun $TRACING/per_cpu/cpu*/stats | grep -cv ': 0$')" 0
stat_of nbs s_
dev=$(cat /sys/block/nbs/dev)
grep ' block_io_start: ' $TRACING/trace | sed 's/.*block_io_start: //' |
	awk -v dev="${dev/:/,}" -v n="$s_start_count" '
	$1 == dev { io[++all] = $2 " " $3 }
	END {
		for (i = all - n + 1; i <= all; i++) {
			split(io[i], f)
			if (f[1] ~ /R/) { reads++; read_bytes += f[2] } else { writes++; write_bytes += f[2] }
		}
		printf "%d %d %d %d %d", (all >= n), reads, writes, read_bytes, write_bytes
	}' >/tmp/recount
is "storm: exactly the requests from one moment on" "$(cat /tmp/recount)" \
	"1 $s_operations_read $s_operations_write $s_bytes_read $s_bytes_write"

dmsetup remove storm
before=$(slab)
for round in $(seq 15); do
	rmmod iostat && load_module || fail "cycle $round"
done
after=$(slab)
holds "cycles: no memory left behind" "after < before + 1024"
rmmod iostat
is "unload: nothing in sysfs" "$(find /sys/block/*/iostat /sys/class/misc/iostat /dev/iostat 2>/dev/null)" ""
is "unload: no events" "$(ls $TRACING/events/io 2>/dev/null)" ""
is "kernel: no warning in all this" "$(dmesg | grep -cE 'BUG|WARNING|Oops|unable to handle')" 0
