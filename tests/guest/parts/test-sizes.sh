# SPDX-License-Identifier: GPL-2.0
# Sizes of transactions and service times, by class: exact numbers, in each interface.

bounds=/sys/class/misc/iostat/size_bounds_bytes
is "sizes: the bounds are powers of two from 1 KiB on" "$(cat $bounds)" \
	"$(for ((i = 10; i < 32; i++)); do echo $((1 << i)); done | paste -sd' ')"

# sizes_of DISK CLASS: prints how many transactions there are, and of which smallest size in the bucket how many.
sizes_of()
{
	awk 'FNR == NR { for (i = 1; i <= NF; i++) least[i + 2] = $i; next }
		{ printf "%s", $1; for (i = 2; i <= NF; i++) if ($i) printf " %s:%s", least[i] + 0, $i; print "" }' \
		$bounds "/sys/block/$1/iostat/size/$2"
}

# text_of DISK CLASS [DEVICE]: the same of a reply: for all devices, or one.
text_of()
{
	reply "@sizes ${3:-}" | awk -v disk="${1##*/}" -v class="$2" '$1 == disk && $3 == class {
		$1 = $2 = $3 = ""; sub(/^ */, ""); print }'
}

# binary_of CLASS: the same of what "io-sizes" prints, without the number of the class.
binary_of()
{
	awk -v class="$1" 'FNR == NR { for (i = 1; i <= NF; i++) least[i] = $i; next }
		$1 == class { printf "%s", $2
			for (i = 3; i <= NF; i++) { split($i, pair, ":"); printf " %d:%d", least[pair[1]] + 0, pair[2] }
			print "" }' $bounds -
}

# all_ways NAME DISK CLASS NUMBER SIZES: each interface says these sizes of a class.
all_ways()
{
	local tool
	is "sizes: $1: sysfs" "$(sizes_of "$2" "$3")" "$5"
	is "sizes: $1: text" "$(text_of "$2" "$3")" "$5"
	is "sizes: $1: text of the device alone" "$(text_of "$2" "$3" "${2##*/}")" "$5"
	for tool in $(programs abi abi32 mapped mapped32); do
		is "sizes: $1: $tool" "$(/payload/$tool io-sizes "${2##*/}" | binary_of "$4")" "$5"
	done
	is "sizes: $1: iostat-map" "$(/payload/iostat-map --sizes "${2##*/}" | binary_of "$4")" "$5"
	for way in one all; do
		is "sizes: $1: all histograms, $way" "$(/payload/abi histograms $way "${2##*/}" | tail -n 4 | binary_of "$4")" "$5"
	done
}

make_null_blk_disk nbz size=512 irqmode=2 completion_nsec=2000000 submit_queues=1 memory_backed=1 discard=1 max_sectors=256
echo none >/sys/block/nbz/queue/scheduler
dd if=/dev/nbz of=/dev/null bs=1k count=1 iflag=direct status=none
all_files nbz || fail "sizes: files"
is "sizes: no others" "$(sizes_of nbz write)$(sizes_of nbz free)" 00
is "sizes: files" "$(cd /sys/block/nbz/iostat/size && echo *)" "free read write"
begin nbz
before=$(sizes_of nbz read)
for read in "512 3" "1k 4" "3k 2" "4k 7" "128k 2" "1M 1"; do
	set -- $read
	dd if=/dev/nbz of=/dev/null bs="$1" count="$2" iflag=direct status=none
done
delta nbz
count=$(sizes_of nbz read | cut -d' ' -f1)
is "sizes: as many as operations" "$count" "$e_operations_read"
# 1 MiB is split into requests of 128 KiB, the most that the disk takes. What was there before: the kernel's reads of a
# partition table, and the read that made the files.
table=$(awk -v before="$before" 'BEGIN { split(before, pairs, " ")
	for (i = 2; i in pairs; i++) { split(pairs[i], p, ":"); sum[p[1]] = p[2] }
	sum[0] += 3; sum[1024] += 4; sum[2048] += 2; sum[4096] += 7; sum[131072] += 2 + 8
	for (size = 0; size <= 131072; size = size ? size * 2 : 1024) if (sum[size]) printf " %d:%d", size, sum[size] }')
all_ways "reads" nbz read 1 "$count$table"
service=$d_service_read_ns
is "service time: all of the run queue is of reads" "$service" "$d_rlentime"
is "service time: with the wait it is the duration" $((service + d_wlentime)) "$d_duration_read_ns"
holds "service time: at least that of the device" "$service >= $d_operations_read * 2000000"
is "service time: of no other class" "$d_service_none_ns $d_service_write_ns $d_service_free_ns" "0 0 0"

dd if=/dev/zero of=/dev/nbz bs=8k count=5 oflag=direct status=none
blkdiscard -o 0 -l 1M /dev/nbz
blkdiscard -o 4M -l 4M /dev/nbz
all_ways "writes" nbz write 2 "5 8192:5"
all_ways "discards" nbz free 3 "2 1048576:1 4194304:1"
is "sizes: of flushes there are none" "$(/payload/abi io-sizes nbz | head -n 1)" "0 0"

# A read that fails transfers nothing.
echo +0-7 >/sys/kernel/config/nullb/nbz/badblocks
before=$(sizes_of nbz read | grep -o ' 0:[0-9]*' | cut -d: -f2)
operations=$(cat /sys/block/nbz/iostat/devstat/operations_read)
dd if=/dev/nbz of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null
operations=$(($(cat /sys/block/nbz/iostat/devstat/operations_read) - operations))
holds "sizes: a read that fails is one" "$operations >= 1"
is "sizes: a read that fails has transferred nothing" \
	$(($(sizes_of nbz read | grep -o ' 0:[0-9]*' | cut -d: -f2) - before)) $operations
echo -0-7 >/sys/kernel/config/nullb/nbz/badblocks

# Those of a partition are its disk's, and stay there.
make_partitions /dev/nbz 2048:65536 || fail "sizes: partitions"
dd if=/dev/zero of=/dev/nbz1 bs=16k count=6 oflag=direct status=none
writes=$(sizes_of nbz write)
dd if=/dev/zero of=/dev/nbz1 bs=16k count=6 oflag=direct status=none
all_files nbz/nbz1 || fail "sizes: files of the partition"
all_ways "a partition" nbz/nbz1 write 2 "12 16384:12"
holds "sizes: the disk has those of its partition" \
	"$(sizes_of nbz write | grep -o ' 16384:[0-9]*' | cut -d: -f2) == $(grep -o ' 16384:[0-9]*' <<<"$writes" | cut -d: -f2) + 6"
now=$(sizes_of nbz write)
partx --delete --nr 1 /dev/nbz
for ((try = 0; try < 100; try++)); do
	[ "$(/payload/mapped io-sizes nbz | binary_of 2)" != "$now" ] || break
	sleep 0.1
done
all_ways "after the partition has gone" nbz write 2 "$now"

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
is "sizes: other users may read them" "$($nobody sh -c '[ -c /dev/iostat ] && exec 7<>/dev/iostat; echo "@sizes nbz" >&7; cat <&7')" \
	"$(reply "@sizes nbz")"
is "sizes: of one device there is no other" "$(reply "@sizes nbz" | sed 1d | grep -vc '^nbz ')" 0
is "sizes: the columns" "$(reply @sizes | head -n 1)" "device number class count ge_bytes:count"
for message in "@sizes nosuch" "@sizes nbz nbz" "nbz @sizes"; do
	want=EINVAL
	[ "$message" != "@sizes nosuch" ] || want=ENXIO
	is "sizes: $message" "$(/payload/message raw - <<<"$message" | cut -d' ' -f1)" $want
done

# Bios of a disk without requests.
dm_linear sizes /dev/nbz 131072
dm=$(dm_disk sizes)
dd if=/dev/mapper/sizes of=/dev/null bs=32k count=9 iflag=direct status=none
all_files "$dm" || fail "sizes: files of $dm"
holds "sizes: bios" "$(sizes_of "$dm" read | grep -o ' 32768:[0-9]*' | cut -d: -f2) == 9"
is "sizes: bios: as many as operations" "$(sizes_of "$dm" read | cut -d' ' -f1)" \
	"$(cat /sys/block/"$dm"/iostat/devstat/operations_read)"
is "sizes: bios: their service time is their duration" "$(cat /sys/block/"$dm"/iostat/latency/service_read_ns)" \
	"$(cat /sys/block/"$dm"/iostat/devstat/duration_read_ns)"
dmsetup remove sizes

# Each way of an I/O on the fast path, and many CPUs at once.
make_null_blk_disk nby size=256 irqmode=0 submit_queues=2
fio_quiet --filename=/dev/nby --direct=1 --rw=randrw --bssplit=4k/40:16k/40:64k/20 --ioengine=io_uring --iodepth=32 \
	--numjobs=2 --number_ios=3000 --size=128m || fail "sizes: fio"
for class in read write; do
	is "sizes: fio: $class: as many as operations" "$(sizes_of nby $class | cut -d' ' -f1)" \
		"$(cat /sys/block/nby/iostat/devstat/operations_$class)"
	holds "sizes: fio: $class: half of them" "$(sizes_of nby $class | cut -d' ' -f1) > 2000"
	# Merges make other sizes of them, of which a bucket has the least.
	least=$(sizes_of nby $class | tr ' ' '\n' | awk -F: 'NF == 2 { sum += $1 * $2 } END { print sum }')
	bytes=$(cat /sys/block/nby/iostat/devstat/bytes_$class)
	holds "sizes: fio: $class: bytes" "$least <= $bytes && $bytes < 2 * $least + 1024 * 6000"
done
remove_null_blk_disk nby
remove_null_blk_disk nbz
