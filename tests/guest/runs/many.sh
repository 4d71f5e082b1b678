# SPDX-License-Identifier: GPL-2.0
# Creates thousands of disks with a partition each, compares their statistics with the kernel's and
# removes them. DISKS is the number; 4 GiB of memory are enough for 4,096.

. /payload/tap.sh
. /payload/balance.sh
dmesg -n 3
control=/sys/class/misc/iostat
null="queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=2 gb=1"

# timed WHAT COMMAND...: prints the time per disk.
timed()
{
	local what=$1 start=${EPOCHREALTIME/./} us
	shift
	"$@" || fail "many: $what"
	us=$((${EPOCHREALTIME/./} - start))
	echo "# $what: $((us / 1000)) ms, $((us / DISKS)) us each"
}

available_kib()
{
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

# counted FILE: prints disks and partitions whose reads, sectors read, writes or sectors written
# differ from the kernel's, and then the number of those that agree.
counted()
{
	awk '
		FILENAME == "/proc/diskstats" {
			if ($3 ~ /^nullb/) kernel[$3] = $4 " " $6 " " $8 " " $10
			next
		}
		NF == 0 { exit }
		FNR == 2 { for (i = 1; i <= NF; i++) column[$i] = i }
		FNR > 2 && $1 ~ /^nullb/ {
			ours = $(column["operations_read"]) " " $(column["bytes_read"]) / 512
			ours = ours " " $(column["operations_write"]) " " $(column["bytes_write"]) / 512
			if (ours != kernel[$1]) print $1 ": " ours ", not " kernel[$1]
			else same++
			delete kernel[$1]
		}
		END { for (name in kernel) print name " is missing"; print same + 0 }
	' /proc/diskstats "$1"
}

# parts FILE: prints the number of partitions with the reads and writes that were issued to them.
parts()
{
	awk '
		NF == 0 { exit }
		NR == 2 { for (i = 1; i <= NF; i++) column[$i] = i }
		NR > 2 && $1 ~ /^nullb[0-9]+p1$/ {
			number = $1
			gsub(/nullb|p1$/, "", number)
			if ($(column["operations_write"]) == 1 && $(column["operations_read"]) == number % 3 + 1) right++
		}
		END { print right + 0 }
	' "$1"
}

# Each removal waits for RCU grace periods; expedited ones keep the test short.
echo 1 >/sys/kernel/rcu_expedited
echo 0 >/sys/module/rcutree/parameters/jiffies_till_first_fqs
echo 0 >/sys/module/rcutree/parameters/jiffies_till_next_fqs
all=$((2 * DISKS))
if [ -n "${CONTROL:-}" ]; then
	timed "without the module: arrive" modprobe null_blk $null nr_devices="$DISKS"
	timed "without the module: partitions" /payload/disks partition nullb "$DISKS"
	timed "without the module: leave" rmmod null_blk
fi
succeeds "many: insmod" load_module
numdevs=$(cat $control/numdevs) generation=$(cat $control/generation)
before=$(available_kib)
timed "arrive" modprobe null_blk $null nr_devices="$DISKS"
is "many: all disks have accounts" "$(cat $control/numdevs)" $((numdevs + DISKS))
timed "partitions" /payload/disks partition nullb "$DISKS"
is "many: all partitions have accounts" "$(cat $control/numdevs)" $((numdevs + all))
is "many: generation" "$(cat $control/generation)" $((generation + all))
echo "# memory of each disk with its partition: $(((before - $(available_kib)) / DISKS)) KiB"
timed "use" /payload/disks use nullb "$DISKS"
timed "read /dev/iostat" cp /dev/iostat /tmp/many
is "many: all are listed" "$(disk_table /tmp/many | wc -l)" $((numdevs + all))
is "many: all have the kernel's counts" "$(counted /tmp/many)" $all
is "many: partitions have their own counts" "$(parts /tmp/many)" "$DISKS"
rm /tmp/many
nothing_lost "many"

timed "rmmod iostat" rmmod iostat
timed "insmod, with all disks present" load_module
is "many: number in the kernel log" "$(dmesg | sed -n 's/.*iostat: recording //p' | tail -n 1)" \
	"$((numdevs + DISKS)) disks and $DISKS partitions"
timed "use" /payload/disks use nullb "$DISKS"
is "many: partitions have their own counts after a reload" "$(parts /dev/iostat)" "$DISKS"

timed "leave" rmmod null_blk
is "many: accounts after the removal" "$(cat $control/numdevs)" "$numdevs"
is "many: lines of the list after the removal" "$(disk_table | wc -l)" "$numdevs"
is "many: no I/O in the table after the removal" "$(cat $control/tracked)" 0
after=$(available_kib)
echo "# memory not freed: $(((before - after) / 1024)) MiB"
holds "many: at least 98 % of the memory is freed" "after > before - before / 50"
nothing_lost "many again"
is "many: no disk was left unrecorded" "$(dmesg | grep -c 'not recorded')" 0
rmmod iostat
no_complaint "many"
finish
