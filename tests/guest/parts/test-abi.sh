# SPDX-License-Identifier: GPL-2.0
# The binary calls of /dev/iostat and poll(), with three programs: one built with the current
# header, one for 32 bits, and one built with the header of version 1.

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
make_null_blk_disk nba size=64 memory_backed=1
make_partitions /dev/nba 2048:4096
fio_quiet --filename=/dev/nba --direct=1 --rw=randrw --bs=4k --number_ios=500 --size=32m \
	--ioengine=libaio --iodepth=8
fio_quiet --filename=/dev/nba1 --direct=1 --rw=randwrite --bs=4k --number_ios=20 --size=2m
wait_idle nba
columns=$(cat /sys/block/nba/iostat/stat_columns)

# without_time: removes the first column of a stat line.
without_time()
{
	cut -d' ' -f2-
}

for abi in $(programs abi abi32 abi-v1); do
	a=/payload/$abi
	is "$abi: version, generation, devices, buckets, message" "$($nobody $a info)" \
		"1 $(cat /sys/class/misc/iostat/generation) $(cat /sys/class/misc/iostat/numdevs) 110 65536"
	is "$abi: the list agrees with the text" "$($nobody $a list | cut -d' ' -f1-7)" \
		"$(disk_table | cut -d' ' -f1-6,7 | awk '{ print $1, $2, $3, $4, $5, $6, $7 }')"
	is "$abi: a partition's disk, and a disk's" \
		"$($a list | awk '$1 == "nba" { n = $2; d = $8 } { p[$1] = $8 } END { print p["nba1"] == n, d }')" "1 -1"
	is "$abi: drivers" "$($a list | awk '$1 == "nba" { print $9 }')" null_blk
	is "$abi: a disk's values agree with its stat line" "$($nobody $a get nba | without_time)" \
		"$(without_time </sys/block/nba/iostat/stat)"
	is "$abi: a partition's values agree with its stat line" "$($a get nba1 | without_time)" \
		"$(without_time </sys/block/nba/nba1/iostat/stat)"
	is "$abi: as many values as columns" "$($a get nba | wc -w)" "$(wc -w <<<"$columns")"
	is "$abi: all devices, in order" "$($a all | cut -d' ' -f1)" "$($a list | cut -d' ' -f2)"
	is "$abi: IOSTAT_GET_ALL agrees with the stat line" \
		"$($a all | awk -v n="$($a list | awk '$1 == "nba" { print $2 }')" '$1 == n' | cut -d' ' -f3-)" \
		"$(without_time </sys/block/nba/iostat/stat)"
	is "$abi: a histogram's count is its class's operations" \
		"$($a histogram nba | awk '$2 == 2 { printf "%s ", $3 }')" \
		"$(for class in none read write free; do printf '%s ' "$(cat /sys/block/nba/iostat/devstat/operations_$class)"; done)"
	is "$abi: minimum and maximum of the histograms" "$($a histogram nba | awk '
		$3 == 0 && ($4 || $5) || $3 && ($4 > $5 || !$5)')" ""
	for way in one all; do
		is "$abi: all histograms by one call: $way" "$($nobody $a histograms $way nba)" \
			"$($a histogram nba; $a io-sizes nba)"
	done
	# The reply's length is what was written of it, and all of it can be read.
	is "$abi: a message" "$($a message "nba @stats_create - /2")" "0 2 0"
	is "$abi: a message from an unprivileged user" "$($nobody $a message "nba @stats_create - /2" 9)" "EPERM 0 "
	print=$($a message "nba @stats_print 0")
	is "$abi: its reply" "$(head -n 1 <<<"$print" | cut -d' ' -f1,3)" "0 0+65536"
	len=$(cut -d' ' -f2 <<<"$print" | head -n 1)
	is "$abi: a reply without a buffer" "$($a message "nba @stats_print 0" 0)" "ENOSPC 0 and $len"
	is "$abi: a reply with a short buffer" "$($a message "nba @stats_print 0" 8)" "ENOSPC 8 0+65536 and $len"
	is "$abi: an invalid region" "$($a message "nba @stats_print 77" | cut -d' ' -f1)" ENOENT
	is "$abi: delete" "$($a message "nba @stats_delete 0")" "0 0 "
done
for program in $(programs arguments arguments32 arguments-v1); do
	is "$program: sizes, flags, reserved members, numbers, addresses" "$($nobody /payload/$program; echo $?)" 0
done

is "slow I/Os and accounts by cgroup are those of disks" \
	"$(/payload/slow list nba1; /payload/cgroups list "$(cat /sys/block/nba/nba1/iostat/devstat/device_number)")" \
	"$(printf 'ENXIO\nENXIO\n')"

# Messages that name no device.
for message in @kstat_list "@evcnt_list all"; do
	is "a message of no device: ${message%% *}" "$(/payload/abi message "$message" | head -n 1 | cut -d' ' -f1)" 0
	succeeds "a reply without a device: ${message%% *}" \
		test "$(/payload/abi message "$message" | sed '1s/^0 [0-9]* //' | wc -l)" -gt 2
done

# Invalid calls.
for misuse in $(programs misuse misuse32); do
	is "$misuse: invalid numbers, addresses and lengths" "$(/payload/$misuse nba 1 20000)" ""
	is "$misuse: invalid calls from an unprivileged user" "$($nobody /payload/$misuse nba 2 20000)" ""
done

# The number of a device that has left.
make_null_blk_disk nbb size=64
succeeds "a device that has left: its I/O" dd if=/dev/nbb of=/dev/null bs=4k count=1 iflag=direct status=none
left=$(cat /sys/block/nbb/iostat/devstat/device_number)
exec 5</dev/nbb
for held in "while it is open" "closed"; do
	[ ! -d /sys/block/nbb ] || remove_null_blk_disk nbb
	for abi in $(programs abi abi32 abi-v1); do
		is "a device that has left, $held: $abi" \
			"$(/payload/$abi get "#$left"; /payload/$abi histogram "#$left"; /payload/$abi io-sizes "#$left"
				/payload/$abi histograms one "#$left")" \
			"$(printf '%s: ENXIO\n' snapshot histogram sizes histograms)"
	done
	is "a device that has left, $held: slow I/Os, accounts by cgroup" \
		"$(/payload/slow list "#$left"; /payload/cgroups list "$left")" "$(printf 'ENXIO\nENXIO\n')"
	exec 5<&-
done
is "a device that has left: messages" "$(printf '%s\n' "@inflight nbb" "@slow nbb" "@sizes nbb" "@cgroups_list nbb" "nbb @stats_list" |
	/payload/message raw - | sort -u)" "ENXIO nbb: there is no such disk%0a"

# poll(): writable at once; waits for a change, and returns it until the list is read.
# has_lines N: waits until the program has printed so many.
has_lines()
{
	local try
	for try in $(seq 100); do
		[ "$(wc -l </tmp/poll)" != "$1" ] || return 0
		sleep 0.1
	done
	return 1
}
$nobody /payload/poll wait nbb >/tmp/poll &
poller=$!
succeeds "poll: begins" has_lines 1
sleep 0.3
make_null_blk_disk nbb size=64
succeeds "poll: a disk comes" has_lines 2
sleep 0.3
remove_null_blk_disk nbb
succeeds "poll: has returned each time" wait $poller
is "poll: at first always writable" "$(sed -n 1p /tmp/poll)" 4
is "poll: a disk comes: readable until the list is read" "$(sed -n 2p /tmp/poll | sed 's/^\(3 2 \)*//')" 0
is "poll: a disk leaves: readable until the list is read" "$(sed -n 3p /tmp/poll | sed 's/^\(3 2 \)*//')" 0
for program in $(programs poll poll32 poll-v1); do
	is "$program: which calls have seen a change" "$(/payload/$program seen nba; echo $?)" 0
done

# A shell has written to the name of the device while the module was not loaded.
unload_module
touch /dev/iostat
for program in $(programs mapped mapped32 mapped-v1); do
	is "a plain file: $program" "$(/payload/$program clock)" "open: ENODEV"
done
is "a plain file: iostat-map" "$(/payload/iostat-map vda 2>&1)" "iostat-map: No such device (os error 19)"
rm /dev/iostat

# 256 devices in one call, compared with /proc/diskstats.
many=$(echo nbt{1..256})
make_null_blk_disks $many -- size=1
load_module
# One I/O per disk on every CPU, so that all CPUs' counters have to be added up.
for cpu in $(seq 0 $(($(nproc) - 1))); do
	echo 1 >/proc/sys/vm/drop_caches
	(cd /dev && taskset -c $cpu head -qc 4096 $many >/dev/null)
done
is "256 devices: each has an I/O of every CPU" \
	"$(cat /sys/block/nbt*/iostat/devstat/operations_read | awk -v cpus="$(nproc)" '$1 < cpus' | wc -l)" 0
succeeds "256 devices: present" test "$(cat /sys/class/misc/iostat/numdevs)" -ge 256
read -r count ns <<<"$(/payload/abi time 50)"
diskstats=$(/payload/abi diskstats 50)
echo "# $count devices: $ns ns by ioctl, $diskstats ns by /proc/diskstats"
holds "256 devices: faster than /proc/diskstats" "ns < diskstats"
remove_null_blk_disk $many

# Parameter mode: who may read and write.
unload_module
log_from_now
refuses "mode=0777: refused" load_module mode=0777
is "mode=0777: the kernel log has the reason" "$(log_since | grep -cF '(octal 0777) is invalid: only permissions to read (4) and write (2)')" 1
refuses "mode=440: refused" load_module mode=440
is "mode=440: the kernel log quotes the text" "$(log_since | grep -cF 'mode=440 (octal 0670) is invalid: ')" 1
for mode in x -1 65536; do
	refuses "mode=$mode: refused" load_module mode=$mode
done
succeeds "mode=0440: accepted" load_module mode=0440
is "mode=0440: mode of the file" "$(stat -c %a /dev/iostat)" 440
refuses "mode=0440: not for an unprivileged user" $nobody /payload/abi info
succeeds "mode=0440: for root" /payload/abi info
reload mode=0444
is "mode=0444: calls, memory and text for an unprivileged user" "$($nobody /payload/abi get nba | without_time)
$($nobody /payload/mapped get nba | without_time)
$($nobody cat /dev/iostat | awk '$1 == "nba" { print; exit }' | cut -d' ' -f9-)" \
	"$(for way in 1 2 3; do without_time </sys/block/nba/iostat/stat; done)"
is "mode=0444: no messages from an unprivileged user" "$($nobody /payload/abi message @kstat_list)" "open: EACCES"
is "mode=0444: messages from root" "$(/payload/abi message @kstat_list | head -n 1 | cut -d' ' -f1)" 0
is "mode=0444: no messages without CAP_DAC_OVERRIDE" \
	"$(setpriv --bounding-set=-dac_override /payload/abi message @kstat_list)" "open: EACCES"
reload
is "mode: 0666 by default" "$(stat -c %a /dev/iostat)" 666
remove_null_blk_disk nba
