# SPDX-License-Identifier: GPL-2.0
# What a cycle leaves behind. Cycles are repeated in windows, two of them and up to
# three more, and what grew by half an object a cycle in all, counted after every
# cache was emptied, is a leak. (kmemleak was seen to miss such leaks.) Sourced.

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

# grown CYCLES FILE...: names that grew from each file to the next.
grown()
{
	awk -v cycles="$1" '
		FNR == 1 { file++ }
		{ count[file, $1] = $2; name[$1] }
		END { for (n in name) {
			said = n
			for (i = 2; i <= file; i++) {
				by = count[i, n] - count[i - 1, n]
				if (by < cycles / 2)
					break
				said = said " +" by
			}
			if (i > file)
				printf "%s  ", said
		} }' "${@:2}"
}

# window NAME COUNT COMMAND...: one more, and a snapshot after it.
window()
{
	local name=$1 count=$2 i
	shift 2
	for ((i = 0; i < count; i++)); do
		"$@" || fail "$name: cycle $i"
	done
	files+=("/tmp/slabs-${#files[@]}")
	snapshot "${files[-1]}"
}

# cycles NAME COUNT COMMAND...
cycles()
{
	local name=$1 count=$2 files=() more
	shift 2
	window "$name" 2 "$@"
	window "$name" "$count" "$@"
	window "$name" "$count" "$@"
	# What processes use, or RCU has yet to free, grows for a while; a leak goes on.
	for more in 1 2 3; do
		[ -n "$(grown "$count" "${files[@]}")" ] || break
		window "$name" "$count" "$@"
	done
	is "$name: $count times and again, nothing grows" "$(grown "$count" "${files[@]}")" ""
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
