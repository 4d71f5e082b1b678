# SPDX-License-Identifier: GPL-2.0
# Conditions that hold whenever all is idle. Sourced.

CONTROL=/sys/class/misc/iostat

# quiet_kernel NAME: fails if the kernel has logged a complaint since the last call.
quiet_kernel()
{
	local said
	said=$(dmesg -c | tee -a "$LOGS/dmesg" | grep -aE -A 25 -m 1 "$(cat /payload/trouble)")
	[ -n "$said" ] || return 0
	sed 's/^/  | /' <<<"$said"
	fail "$1: no complaint of the kernel" "$(head -n 1 <<<"$said")"
}

# in_balance NAME: each disk has an account, each account is in balance, and no I/O is tracked.
in_balance()
{
	local disk part
	for part in /sys/block/*/*/partition; do
		[ -e "$part" ] || continue
		part=${part#/sys/block/} part=${part%/partition}
		balanced "$1: $part" "$part"
	done
	for disk in /sys/block/*; do
		disk=${disk##*/}
		if [ ! -d "/sys/block/$disk/iostat" ]; then
			fail "$1: $disk has no account"
			continue
		fi
		balanced "$1: $disk" "$disk"
	done
	is "$1: accounts" "$(cat $CONTROL/numdevs)" \
		"$(ls -d /sys/block/* /sys/block/*/*/partition 2>/dev/null | wc -l)"
	is "$1: lines" "$(disk_table | wc -l)" "$(cat $CONTROL/numdevs)"
	is "$1: no I/O in the table" "$(cat $CONTROL/tracked)" 0
	is "$1: no memory of regions" "$(cat $CONTROL/stats_current_allocated_bytes)" 0
	is "$1: nothing untracked" "$(cat $CONTROL/untracked)" 0
	is "$1: nothing abandoned" "$(cat $CONTROL/abandoned)" 0
}

# since_birth NAME DISK: an account as old as its disk, without failed I/O, has the kernel's own
# counts.
since_birth()
{
	stat_of "$2" s_
	kernel_stat "$2"
	is "$1: reads of $2" "$s_operations_read" "$k_reads"
	is "$1: writes of $2" "$s_operations_write" "$k_writes"
	is "$1: discards of $2" "$s_operations_free" "$k_discards"
	is "$1: bytes read of $2" "$s_bytes_read" $((k_rsectors * 512))
	is "$1: bytes written of $2" "$s_bytes_write" $((k_wsectors * 512))
}

nothing_left()
{
	is "$1: nothing in sysfs and /dev" "$(ls -d /sys/block/*/iostat $CONTROL /dev/iostat \
		/sys/module/iostat 2>/dev/null)" ""
	is "$1: no events" "$(ls -d $TRACING/events/io 2>/dev/null)" ""
}
