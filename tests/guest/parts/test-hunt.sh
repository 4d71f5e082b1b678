# SPDX-License-Identifier: GPL-2.0
# Searches for torn reads: takes HUNT snapshots of mapped memory, and as many copies of whole records,
# under load on every CPU.
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
m=/payload/mapped
make_null_blk_disk nbh size=64 submit_queues=$(nproc) irqmode=2 completion_nsec=10000
echo 2 >/sys/block/nbh/queue/nomerges
# Runs until it is killed.
fio --disk_util=0 --name=job --filename=/dev/nbh --direct=1 --rw=randrw --bs=4k --ioengine=libaio --iodepth=16 \
	--numjobs=$(nproc) --time_based --runtime=1000000 --size=32m >/dev/null 2>&1 &
fio=$!
while [ "$(cat /sys/block/nbh/iostat/devstat/operations_read)" -lt 100 ]; do sleep 0.1; done
from=$SECONDS
hunted=$($nobody $m hunt nbh ${HUNT:-300000})
echo "# $hunted, in $((SECONDS - from)) s on $(nproc) CPUs"
is "hunt: torn reads" "$(tail -n 1 <<<"$hunted" | cut -d' ' -f1-4)" "${HUNT:-300000} snapshots, 0 wrong,"
is "hunt: torn reads of a 32-bit program" "$($nobody ${m}32 hunt nbh 20000 | tail -n 1 | cut -d' ' -f1-4)" \
	"20000 snapshots, 0 wrong,"
is "hunt: histograms and the counters beside them differ" "$($nobody /payload/abi agree nbh 20000)" 1
is "hunt: histograms and the counters beside them differ, in a 32-bit program" "$($nobody /payload/abi32 agree nbh 2000)" 1
# Each way of reading sees at least what the one before it saw, in all columns from the time to the sums
# of each class. The first and the last way are mmap.
is "hunt: no way of reading goes back behind the one before" "$(for try in $(seq 50); do
	/payload/iostat-map --ways nbh | awk 'NR > 1 {
			for (i = 3; i <= 20; i++)
				if ($i < last[i] || i == 3 && $i == last[i])
					print $2, "goes back in column", i, "from", last[i], "to", $i
		}
		{ for (i = 3; i <= 20; i++) last[i] = $i; n++ }
		END { if (n != 5) print n, "lines" }'
done)" ""
kill $fio
wait $fio
wait_idle nbh
# Except busy times, which each reader limits to the time between reads: see Documentation/abi.rst.
is "hunt: all ways agree on an idle disk" "$(/payload/iostat-map --ways nbh | cut -d' ' -f4-20,22-32,34,35,37- | sort -u)" \
	"$(cut -d' ' -f2-18,20-30,32,33,35- </sys/block/nbh/iostat/stat)"
for way in $(programs mapped mapped32 mapped-v1); do
	is "hunt: histograms: $way" "$(/payload/$way histograms nbh)" "$(/payload/abi histogram nbh)"
done
is "hunt: histograms: iostat-map" "$(/payload/iostat-map --histograms nbh)" "$(/payload/abi histogram nbh)"
remove_null_blk_disk nbh
