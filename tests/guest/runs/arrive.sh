# SPDX-License-Identifier: GPL-2.0
# What the arrival of a disk, of its partition, and their departure take when there are many already: the last quarter of
# DISKS disks is compared with the second. (Disks of the first quarter take less, for a reason that was not looked for.)
# An instruction takes a nanosecond here (--icount), and the time of the process counts, as it waits for grace periods
# besides. The kernel's own share, which may grow too, is measured without the module and subtracted.

. /payload/tap.sh
. /payload/balance.sh
. /payload/kernel-log.sh
dmesg -n 3
quarter=$((DISKS / 4))
declare -A took

# timed NAME COMMAND...: sets took[NAME] to the time of the CPU that the command takes, in us. Bash has it in ms.
timed()
{
	local name=$1 user system TIMEFORMAT='%3U %3S'
	shift
	{ time "$@" >/tmp/timed.out 2>&1 || fail "arrive: $*"; } 2>/tmp/timed
	read -r user system </tmp/timed
	took[$name]=$((10#${user/./} * 1000 + 10#${system/./} * 1000))
}

# all ACTION WHAT WITH: for each quarter of the disks, by itself; took[WITH WHAT QUARTER].
all()
{
	local i
	for i in 0 1 2 3; do
		timed "$3 $2 $i" /payload/disks "$1" nbq $quarter $((i * quarter))
	done
}

# share WHAT QUARTER: prints what the module adds to each device of a quarter, in ns.
share()
{
	echo $(((took[with $1 $2] - took[without $1 $2]) * 1000 / quarter))
}

# even WHAT: the share of the last quarter is at most a quarter more than that of the second, and there is one.
even()
{
	local what=$1 i shares=() alone=()
	for i in 0 1 2 3; do
		shares+=("$(share "$what" $i)")
		alone+=($((took[without $what $i] * 1000 / quarter)))
	done
	echo "# $what: ${alone[*]} instructions each without the module, in the quarters of $DISKS; ${shares[*]} more with it"
	# shellcheck disable=SC2034 # used by holds
	local second=${shares[1]} last=${shares[3]}
	holds "arrive: $what: the module takes some" "second > 1000"
	holds "arrive: $what: the last quarter takes the module at most a quarter more than the second" "last * 4 <= second * 5"
}

echo 1 >/sys/kernel/rcu_expedited
modprobe null_blk queue_mode=2 irqmode=0 submit_queues=1 hw_queue_depth=2 gb=1 nr_devices=0
# What is allocated once.
/payload/disks create nbq 1 && /payload/disks partition nbq 1 && /payload/disks remove nbq 1

# Without the module, but that it is loaded and unloaded when there are some, and when there are all.
timed "load 0" load_module
unload_module
for i in 0 1 2 3; do
	timed "without disks $i" /payload/disks create nbq $quarter $((i * quarter))
	[ $i != 0 ] || { timed "load 1" load_module && unload_module; }
done
timed "load 4" load_module
unload_module
all partition partitions without
all remove departures without

load_module
numdevs=$(cat /sys/class/misc/iostat/numdevs)
all create disks with
is "arrive: all disks are recorded" "$(cat /sys/class/misc/iostat/numdevs)" $((numdevs + DISKS))
all partition partitions with
is "arrive: all partitions are recorded" "$(cat /sys/class/misc/iostat/numdevs)" $((numdevs + 2 * DISKS))
all remove departures with
is "arrive: none is left" "$(cat /sys/class/misc/iostat/numdevs)" "$numdevs"
even disks
even partitions
even departures
first=$(((took[load 1] - took[load 0]) * 1000 / quarter)) others=$(((took[load 4] - took[load 1]) * 1000 / (3 * quarter)))
echo "# insmod: ${took[load 0]} us, with $quarter disks ${took[load 1]} us, with $DISKS ${took[load 4]} us:" \
	"$first ns for each of the first quarter, $others for each of the others"
holds "arrive: insmod takes some for each disk" "first > 1000"
holds "arrive: insmod takes at most a quarter more for each of the others" "others * 4 <= first * 5"
no_complaint "arrive"
unload_module
finish
