# SPDX-License-Identifier: GPL-2.0
# The mapped memory of /dev/iostat: its values, after its device is removed, and that it is read-only.
# test-hunt.sh covers torn reads.

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
m=/payload/mapped
make_null_blk_disk nbm size=64 memory_backed=1 submit_queues=2
make_partitions /dev/nbm 2048:4096
fio_quiet --filename=/dev/nbm --direct=1 --rw=randrw --bs=4k --number_ios=500 --size=32m \
	--ioengine=libaio --iodepth=8
fio_quiet --filename=/dev/nbm1 --direct=1 --rw=randwrite --bs=4k --number_ios=20 --size=2m
wait_idle nbm

mappers=$(programs $m ${m}32 $m-v1)
is "all ways of reading a disk agree" "$(for reader in $mappers; do
	$nobody "$reader" get nbm | cut -d' ' -f2-; done)
$($nobody /payload/iostat-map nbm | cut -d' ' -f3-)
$(/payload/abi get nbm | cut -d' ' -f2-)
$(disk_table | awk '$1 == "nbm"' | cut -d' ' -f9-)" "$(for way in $mappers 1 2 3; do
	cut -d' ' -f2- </sys/block/nbm/iostat/stat; done)"
case $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource) in
tsc) source=1 ;;
arch_sys_counter) source=2 ;;
*) source=0 ;;
esac
is "the clock is the CPU's counter while that is the kernel's own clock" "$($m clock)" $source
is "mmap of a partition agrees with sysfs" "$($m get nbm1 | cut -d' ' -f2-)" \
	"$(cut -d' ' -f2- </sys/block/nbm/nbm1/iostat/stat)"
is "a Rust program reads the same by mmap, ioctl, sysfs, text" \
	"$($nobody /payload/iostat-map --ways nbm nbm1 | cut -d' ' -f1,2,4-)" "$(for disk in nbm nbm1; do
	for way in mmap ioctl sysfs text mmap; do
		echo "$disk $way $(cut -d' ' -f2- </sys/class/block/$disk/iostat/stat)"
	done; done)"
for disk in nbm nbm1; do
	/payload/abi histogram $disk >/tmp/times
	is "histograms: agree with the ioctl, all classes and phases: $disk" "$(for reader in $(programs mapped mapped32 mapped-v1); do
		$nobody /payload/$reader histograms $disk; done; $nobody /payload/iostat-map --histograms $disk)" \
		"$(for reader in $(programs mapped mapped32 mapped-v1) iostat-map; do cat /tmp/times; done)"
	is "histograms: not empty: $disk" "$(awk '$3 { print $1, $2 }' /tmp/times | tail -n 3)" "2 0
2 1
2 2"
done
for reader in $(programs $m ${m}32); do
	before=$(cut -d' ' -f1 /sys/block/nbm/iostat/stat)
	mapped=$($reader get nbm | cut -d' ' -f1)
	after=$(cut -d' ' -f1 /sys/block/nbm/iostat/stat)
	holds "snaptime is the recorder's time: ${reader##*/}" "before < mapped && mapped < after"
done

# A device is removed while it is mapped, and another one is added. It has a partition, whose counts it absorbs.
make_null_blk_disk nbh size=64
fio_quiet --filename=/dev/nbh --direct=1 --rw=randrw --bs=4k --number_ios=500 --size=32m
/payload/partition /dev/nbh 1 2048 4096
fio_quiet --filename=/dev/nbh1 --direct=1 --rw=randread --bs=4k --number_ios=50 --size=1m
wait_idle nbh
mkfifo /tmp/outlive
$m outlive nbh </tmp/outlive >/tmp/outlived &
exec 6>/tmp/outlive
echo >&6
while [ ! -s /tmp/outlived ]; do sleep 0.1; done
last=$(cut -d' ' -f2-17 /sys/block/nbh/iostat/stat)
remove_null_blk_disk nbh
make_null_blk_disk nbh size=64
dd if=/dev/nbh of=/dev/null bs=4k count=10 iflag=direct status=none
generation=$(cat /sys/class/misc/iostat/generation)
# The mapping is marked as gone when no probe can use it any more.
sleep 1
echo >&6
exec 6>&-
wait $!
is "mapped: present" "$(head -n 1 /tmp/outlived | cut -d' ' -f1)" there
is "removed: marked as gone, not mappable, generation changed" \
	"$(tail -n 1 /tmp/outlived | cut -d' ' -f1-3)" "gone ENXIO $generation"
is "removed: its counters stay readable" "$(tail -n 1 /tmp/outlived | cut -d' ' -f5-20)" "$last"
remove_null_blk_disk nbh

# A device is removed during I/O: once the mapping is marked as gone, no probe counts any more.
make_null_blk_disk nbl size=64 submit_queues=$(nproc)
for reader in 1 2 3 4; do
	(while dd if=/dev/nbl of=/dev/null bs=512 iflag=direct status=none; do :; done) 2>/dev/null &
	readers[reader]=$!
done
$m gone nbl >/tmp/gone &
waiting=$!
while [ ! -s /tmp/gone ]; do sleep 0.1; done
remove_null_blk_disk nbl
wait $waiting "${readers[@]}"
is "removed under load: no count changes once it is marked as gone" "$(tail -n 1 /tmp/gone)" "unchanged, new generation"

# Invalid mappings.
is "mappings of random size, offset and protection" "$($nobody $m fuzz 1 3000 | sort | uniq -c | awk '{ print $1, $2 }')" "1 some"
for reader in $(programs ${m}32); do
	is "mappings by a 32-bit program" "$($nobody "$reader" fuzz 3 3000 | sort | uniq -c | awk '{ print $1, $2 }')" "1 some"
done
is "mappings by root" "$($m fuzz 2 3000 | sort | uniq -c | awk '{ print $1, $2 }')" "1 some"
mkfifo /tmp/hold
$m hold </tmp/hold >/tmp/holding &
exec 6>/tmp/hold
while [ ! -s /tmp/holding ]; do sleep 0.1; done
refuses "rmmod fails while a mapping exists" rmmod iostat
exec 6>&-
wait $!
remove_null_blk_disk nbm
succeeds "rmmod succeeds without a mapping" rmmod iostat
load_module

# The program iostat-map: usage and errors.
is "iostat-map: --help" "$(/payload/iostat-map --help nothing | head -n 1)" \
	"Usage: iostat-map [--ways | --histograms | --sizes] [NAME...]"
is "iostat-map: -h is the same, and no error" "$(/payload/iostat-map -h 2>&1)" "$(/payload/iostat-map --help)"
is "iostat-map: no such option" "$(/payload/iostat-map --sideways 2>&1 >/dev/null | head -n 1; /payload/iostat-map --sideways 2>/tmp/out
	echo $?)" "iostat-map: there is no option --sideways
2"
is "iostat-map: no such device" "$(/payload/iostat-map vda nothing 2>&1 | cut -d ' ' -f 1-5 | tail -n 1
	/payload/iostat-map nothing 2>/tmp/out; echo $?)" "iostat-map: there is no device
1"
