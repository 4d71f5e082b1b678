# SPDX-License-Identifier: GPL-2.0
# Loads and unloads the module under full load: no count is lost or invented, and nothing is left
# behind.

# Slow disks have full queues and leave CPU time for insmod and rmmod; fast ones are rate limited. make nightly has more
# I/O, with which each round takes longer.
delay_ns=$(repetitions 300000000 100000000) rate=$(repetitions 200 500)
make_null_blk_disk nbs size=256 irqmode=2 completion_nsec=$delay_ns submit_queues=2
modprobe brd rd_nr=1 rd_size=65536
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 ndelay=$delay_ns lbpu=1
sd=$(scsi_debug_disk)
dm_linear storm /dev/nbs 262144

storm_start()
{
	local device special
	jobs=()
	for device in nbs ram0 "$sd" mapper/storm vda; do
		case $device in
		"$sd") special="--rw=randtrimwrite --fsync=32" ;;
		ram0 | vda) special="--rw=randrw --rate_iops=$rate" ;;
		*) special=--rw=randrw ;;
		esac
		fio --disk_util=0 --name=job --filename=/dev/$device --direct=1 --bsrange=4k-32k \
			--ioengine=libaio --iodepth=32 --time_based --runtime=300 --size=32m \
			$special >"/tmp/storm-${device##*/}" 2>&1 &
		jobs+=($!)
	done
}

storm_stop()
{
	local job alive=0
	for job in "${jobs[@]}"; do
		kill -INT "$job" && alive=$((alive + 1))
	done
	is "storm: all load jobs ran to the end" "$alive" "${#jobs[@]}"
	wait "${jobs[@]}" 2>/dev/null
}

unload_module
storm_start
rounds=0 wanted=$(repetitions 10 50)
for round in $(seq "$wanted"); do
	load_module && sleep 0.0$((RANDOM % 10)) && rmmod iostat || break
	rounds=$round
done
is "storm: rounds of load and unload" "$rounds" "$wanted"

# Loaded during I/O and kept: when the load has ended, every start that was counted has an end.
dev=$(cat /sys/block/nbs/dev)
echo 60000 >$TRACING/buffer_size_kb
: >$TRACING/trace
echo "dev == $((${dev%:*} << 20 | ${dev#*:}))" >$TRACING/events/block/block_io_start/filter
echo 1 >$TRACING/events/block/block_io_start/enable
load_module || fail "storm: the module does not load"
sleep 1
storm_stop
echo 0 >$TRACING/events/block/block_io_start/enable
echo 0 >$TRACING/events/block/block_io_start/filter
for disk in nbs ram0 "$sd" "$(dm_disk storm)" vda; do
	balanced "storm: $disk" "$disk"
done
is "storm: no I/O left in the table" "$(cat /sys/class/misc/iostat/tracked)" 0
nothing_missed "storm"

# Recording begins at one moment; from then on it has every request that the kernel starts. So the
# statistics must be those of the last n traced requests, the first of which began while the module was
# being loaded.
is "storm: no event lost" "$(grep -h overrun $TRACING/per_cpu/cpu*/stats | grep -cv ': 0$')" 0
stat_of nbs s_
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
is "storm: exactly the requests since one moment" "$(cat /tmp/recount)" \
	"1 $s_operations_read $s_operations_write $s_bytes_read $s_bytes_write"

dmsetup remove storm
unload_module
is "unload: nothing in sysfs" "$(find /sys/block/*/iostat /sys/class/misc/iostat /dev/iostat 2>/dev/null)" ""
is "unload: no events" "$(ls $TRACING/events/io 2>/dev/null)" ""
