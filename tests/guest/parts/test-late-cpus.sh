# SPDX-License-Identifier: GPL-2.0
# CPUs that are not online when the module is loaded and the disk created, see
# possible() in scripts/test-guest.sh.

m=/payload/mapped
possible=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))
mapfile -t late < <(grep -l 0 /sys/devices/system/cpu/cpu[0-9]*/online | tr -cd '0-9\n' | sort -n)
echo "# $possible possible CPUs, of which ${#late[@]} are not online yet"
holds "late CPUs: 64 are possible" "possible >= 64"
holds "late CPUs: some are not online" "${#late[@]} > 2"
# Two of them are enough: an emulated CPU that is online takes its share of the host.
late=("${late[@]:0:2}")
make_null_blk_disk nbl size=64 irqmode=0 submit_queues=1

# read_on CPU COUNT
read_on()
{
	taskset -c "$1" dd if=/dev/nbl of=/dev/null bs=4k count="$2" iflag=direct status=none
}

# reads: prints how many are recorded.
reads()
{
	cat /sys/block/nbl/iostat/devstat/operations_read
}

read_on 0 10
memory=$(awk '$1 == "Percpu:" { print $2 }' /proc/meminfo)
for cpu in "${late[@]}"; do
	before=$(reads)
	echo 1 >"/sys/devices/system/cpu/cpu$cpu/online" || fail "late CPUs: CPU $cpu comes online"
	read_on "$cpu" 1000
	is "late CPUs: all I/Os of CPU $cpu are counted" $(($(reads) - before)) 1000
	for try in $(seq 100); do
		$m records nbl | grep -q "^$((cpu + 1)) " && break
		sleep 0.05
	done
	read_on "$cpu" 1000
	is "late CPUs: and with a record of its own" $(($(reads) - before)) 2000
	holds "late CPUs: it has one" "$($m records nbl | awk -v record=$((cpu + 1)) '$1 == record { n = $2 } END { print n + 0 }') >= 1000"
done
cpus=$(grep -c ^processor /proc/cpuinfo)
is "late CPUs: no CPU that is not there has a record" "$($m records nbl | awk -v last="$cpus" '$1 > last' | wc -l)" 0
is "late CPUs: all records make the sum" "$($m records nbl | awk '{ n += $2 } END { print n }')" \
	"$(cat /sys/block/nbl/iostat/devstat/start_count)"
# All CPUs at once, of which some leave meanwhile and come back.
before=$(reads)
for cpu in $(seq 0 $((cpus - 1))); do
	read_on "$cpu" 10000 &
done
sleep 1
for cpu in "${late[@]}"; do
	echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"
	echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"
done
wait
is "late CPUs: nothing is lost while some leave and come back" $(($(reads) - before)) $((10000 * cpus))
stat_of nbl b_
# shellcheck disable=SC2154 # set by stat_of
holds "late CPUs: the queues are empty" "b_wcnt == 0 && b_rcnt == 0 && b_start_count == b_end_count"
echo "# per-CPU memory grew by $(($(awk '$1 == "Percpu:" { print $2 }' /proc/meminfo) - memory)) KiB"
remove_null_blk_disk nbl
nothing_lost "late CPUs"
# An emulated CPU that is online takes its share of the host.
for cpu in "${late[@]}"; do
	echo 0 >"/sys/devices/system/cpu/cpu$cpu/online" || fail "late CPUs: CPU $cpu goes offline"
done
