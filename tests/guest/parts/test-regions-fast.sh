# SPDX-License-Identifier: GPL-2.0
# The only region of a disk is created, resized and deleted while I/Os that the fast path records are in flight.

. /payload/regions.sh
make_null_blk_disk rgf size=128 memory_backed=1 irqmode=2 completion_nsec=100000 submit_queues=1
echo 2 >/sys/block/rgf/queue/nomerges
# All I/Os of the load are in it, and each in one area of it.
area=131072

# begin_load: starts fio, and returns when it has done some I/O. end_load: ends it, as if its time had come.
begin_load()
{
	local try
	begin rgf
	fio --disk_util=0 --output=/tmp/fio.json --output-format=json --name=job --filename=/dev/rgf --direct=1 --rw=randrw --bs=4k \
		--ioengine=libaio --iodepth=8 --numjobs=2 --group_reporting --size=64m --time_based --runtime=600 \
		>/tmp/fio.log 2>&1 &
	load=$!
	for ((try = 0; try < 100; try++)); do
		stat_of rgf i_
		((i_start_count < b_start_count + 50)) || break
		sleep 0.1
	done
}

end_load()
{
	kill -TERM $load || fail "fast: the load ended by itself"
	wait $load
}

# between: prints what is wrong, if anything, of a region that was made between the times of the snapshots m_ and n_,
# and printed between those of o_ and p_.
between()
{
	local counted=$((r_reads + r_writes + r_in_flight))
	((counted >= o_start_count - n_start_count && counted <= p_start_count - m_start_count)) ||
		echo "$counted of $((o_start_count - n_start_count)) to $((p_start_count - m_start_count))"
}

# It comes and goes: it has the I/Os that started while it was there, and only those.
begin_load
wrong=''
for ((round = 0; round < 12; round++)); do
	stat_of rgf m_
	say rgf @stats_create 0+$area $area 1 precise_timestamps || fail "fast: create" "$reply"
	id=$reply
	stat_of rgf n_
	((round % 2)) || sleep 0.05
	stat_of rgf o_
	say rgf @stats_print "$id" || fail "fast: print" "$reply"
	columns_of "$reply" r_
	stat_of rgf p_
	wrong+=$(between)
	say rgf @stats_delete "$id" || fail "fast: delete" "$reply"
done
end_load
is "fast: a region has the I/Os that started while it was there" "$wrong" ""
delta rgf
is "fast: the disk has all I/Os" "$d_operations_read $d_operations_write" \
	"$(fio_value read total_ios) $(fio_value write total_ios)"
is "fast: all memory is freed" "$(allocated)" 0

# It stays to the end of the load.
for histogram in '' histogram:200000 ''; do
	begin_load
	stat_of rgf m_
	sends "fast: create${histogram:+ with $histogram}" rgf @stats_create 0+$area $area $((${#histogram} ? 2 : 1)) precise_timestamps $histogram
	stat_of rgf n_
	sleep 1
	end_load
	wait_idle rgf
	stat_of rgf o_
	sends "fast: print" rgf @stats_print 0
	columns_of "$reply" r_
	stat_of rgf p_
	is "fast: all I/Os from then on" "$(between)" ""
	is "fast: none in flight" "$r_in_flight" 0
	is "fast: sectors" "$r_rsectors $r_wsectors" "$((8 * r_reads)) $((8 * r_writes))"
	[ -z "$histogram" ] || is "fast: all in the histogram" \
		"$(awk '{ n = split($15, counts, ":"); print n, counts[1] + counts[2] }' <<<"$reply")" "2 $((r_reads + r_writes))"
	sends "fast: delete" rgf @stats_delete 0
done

# It is resized, and then it is not the only one: the area that all I/Os are in stays.
sends "fast: create" rgf @stats_create 0+$area $area 1 precise_timestamps
begin_load
resized=0
for ((round = 0; round < 10; round++)); do
	for sectors in $((2 * area)) $area; do
		if say rgf @stats_resize 0 0+$sectors; then
			resized=$((resized + 1))
		else
			# A second resize waits for the I/Os that were in flight before the first.
			grep -q 'resource busy' /tmp/say || fail "fast: resize to $sectors" "$reply"
		fi
	done
	say rgf @stats_create 0+$area $area 1 precise_timestamps || fail "fast: create another" "$reply"
	say rgf @stats_delete 1 || fail "fast: delete another" "$reply"
done
end_load
holds "fast: resized more than once under load" "resized > 1"
delta rgf
sends "fast: print" rgf @stats_print 0
total_of r_
is "fast: reads and writes as fio issued" "$r_reads $r_writes" "$(fio_value read total_ios) $(fio_value write total_ios)"
is "fast: sectors as fio issued" "$r_rsectors $r_wsectors" \
	"$(($(fio_value read io_bytes) / 512)) $(($(fio_value write io_bytes) / 512))"
is "fast: the time of all I/Os" $((r_rticks + r_wticks)) "$d_rlentime"
is "fast: none in flight" "$r_in_flight" 0
sends "fast: delete the resized" rgf @stats_delete 0
is "fast: all memory is freed afterwards" "$(allocated)" 0

remove_null_blk_disk rgf
nothing_lost "regions, fast"
