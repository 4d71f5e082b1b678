# SPDX-License-Identifier: GPL-2.0
# What a cycle leaves behind. Cycles are repeated in two windows, and what grew
# by half an object a cycle in both, counted after every cache was emptied, is a
# leak. (kmemleak was seen to miss such leaks.) Sourced.

# snapshot FILE: "name count" lines of all memory that has a name.
snapshot()
{
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	# Also brings home what KASAN keeps in quarantine.
	for cache in /sys/kernel/slab/*/shrink; do
		[ -L "${cache%/shrink}" ] || echo 1 >"$cache"
	done
	{
		# Unmapped areas are collected when there are many, whoever had them.
		awk 'NR > 2 && $1 != "vmap_area" { print $1, $2 }' /proc/slabinfo
		awk '/nr_cur_alloc/ { print "per-CPU", $NF; exit }' /sys/kernel/debug/percpu_stats
		# In units of 64 KiB: coarse, for what no cache counts.
		awk '/^(VmallocUsed|SUnreclaim|KernelStack|PageTables):/ { print $1, int($2 / 64) }' /proc/meminfo
	} >"$1"
}

# grown CYCLES BEFORE BETWEEN AFTER: names that grew in both windows.
grown()
{
	awk -v cycles="$1" '
		FNR == 1 { file++ }
		{ count[file, $1] = $2; name[$1] }
		END { for (n in name) {
			a = count[2, n] - count[1, n]; b = count[3, n] - count[2, n]
			if (a >= cycles / 2 && b >= cycles / 2) printf "%s +%d +%d  ", n, a, b
		} }' "$2" "$3" "$4"
}

# cycles NAME COUNT COMMAND...
cycles()
{
	local name=$1 count=$2 window i turns
	shift 2
	for window in warm 1 2; do
		turns=$count
		[ $window != warm ] || turns=2
		for ((i = 0; i < turns; i++)); do
			"$@" || fail "$name: cycle $i"
		done
		snapshot "/tmp/slabs-$window"
	done
	is "$name: $((2 * count)) times, nothing grows" \
		"$(grown "$count" /tmp/slabs-warm /tmp/slabs-1 /tmp/slabs-2)" ""
}

cycle_load()
{
	insmod /payload/iostat.ko && rmmod iostat
}

cycle_disk()
{
	/payload/nth 0 add 40 >/dev/null && /payload/nth 0 remove 40 >/dev/null
}

cycle_read()
{
	cat /dev/iostat /sys/block/loop*/iostat/stat >/dev/null
}

# leaks CYCLES
leaks()
{
	cycles "leaks: load and unload" "$1" cycle_load
	insmod /payload/iostat.ko
	cycles "leaks: a disk comes and goes" "$1" cycle_disk
	cycles "leaks: readers" "$1" cycle_read
	rmmod iostat
	quiet_kernel "leaks"
}
