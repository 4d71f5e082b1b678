# SPDX-License-Identifier: GPL-2.0
# Creates thousands of disks with a partition each, compares their statistics with the kernel's and
# removes them. DISKS is the number; 4 GiB of memory are enough for 4,096.

. /payload/tap.sh
. /payload/balance.sh
. /payload/kernel-log.sh
. /payload/memory.sh
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
# Without the module, to see what the kernel keeps of disks that have left: most of it in slabs that are not empty.
memory empty
timed "without the module: arrive" modprobe null_blk $null nr_devices="$DISKS"
timed "without the module: partitions" /payload/disks partition nullb "$DISKS"
timed "without the module: use" /payload/disks use nullb "$DISKS"
memory full
timed "without the module: leave" rmmod null_blk
memory left
# shellcheck disable=SC2154 # set by memory
kernel_kib=$((full_all - empty_all)) kernel_slab=$((left_slab - empty_slab))
# shellcheck disable=SC2154
echo "# without the module: $((kernel_kib / DISKS)) KiB of each disk; not freed: $(((left_all - empty_all) / 1024)) MiB," \
	"$((kernel_slab / 1024)) MiB of it in slabs"
succeeds "many: insmod" load_module
numdevs=$(cat $control/numdevs) generation=$(cat $control/generation)
memory before
timed "arrive" modprobe null_blk $null nr_devices="$DISKS"
is "many: all disks have accounts" "$(cat $control/numdevs)" $((numdevs + DISKS))
timed "partitions" /payload/disks partition nullb "$DISKS"
is "many: all partitions have accounts" "$(cat $control/numdevs)" $((numdevs + all))
is "many: generation" "$(cat $control/generation)" $((generation + all))
memory full
# shellcheck disable=SC2154
echo "# with the module: $(((full_all - before_all) / DISKS)) KiB of each disk"
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
memory after
# shellcheck disable=SC2154
pages_kib=$((after_all - after_slab - before_all + before_slab)) slab_kib=$((after_slab - before_slab))
# shellcheck disable=SC2154
echo "# with the module: not freed: $(((pages_kib + slab_kib) / 1024)) MiB, $((slab_kib / 1024)) MiB of it in slabs," \
	"$((after_percpu - before_percpu)) KiB per CPU"
holds "many: no more is left in slabs than without the module, but for a KiB of each disk" "slab_kib < kernel_slab + DISKS"
# The module keeps tables of as many devices as there have been, and the kernel chunks of per-CPU memory. A second round
# uses them again: only what is lost grows.
timed "arrive again" modprobe null_blk $null nr_devices="$DISKS"
timed "partitions" /payload/disks partition nullb "$DISKS"
timed "use" /payload/disks use nullb "$DISKS"
is "many: partitions have their own counts again" "$(parts /dev/iostat)" "$DISKS"
timed "rmmod iostat" rmmod iostat
timed "insmod, with all disks present" load_module
timed "leave again" rmmod null_blk
memory again
# shellcheck disable=SC2154
again_kib=$((again_all - again_slab - after_all + after_slab))
echo "# pages that are not freed: $pages_kib KiB of the first round, $again_kib KiB of the second"
# Each disk and each partition has two pages of the module's at least.
holds "many: the second round leaves less than 256 bytes of each disk, but for a MiB" "again_kib < DISKS / 4 + 1024"
nothing_lost "many again"
is "many: no disk was left unrecorded" "$(dmesg | grep -c 'not recorded')" 0
unload_module
memory gone
# shellcheck disable=SC2154
gone_kib=$((gone_all - gone_slab - left_all + left_slab))
echo "# pages that are not freed after rmmod: $gone_kib KiB"
holds "many: after rmmod, less is left than a page of every fourth disk, but for a MiB" "gone_kib < DISKS + 1024"
no_complaint "many"
finish
