# SPDX-License-Identifier: GPL-2.0
# Finds memory leaks. A cycle is repeated in two to five windows, with a snapshot of all memory
# after each, when every cache has been emptied. What grows in each window, and in all by half an
# object per cycle, is a leak. (kmemleak misses such leaks.) Sourced.

# KiB per unit of what only /proc/meminfo counts. It is coarse where cycles are few.
GRAIN=64

# snapshot FILE: writes "name count" lines of all memory that has a name.
snapshot()
{
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	# RCU frees some of the dropped objects later. Counted in one snapshot and not in the next, they
	# would hide a leak of the same size.
	sleep 0.5
	# Shrinking a slab also frees the objects in KASAN's quarantine.
	for cache in /sys/kernel/slab/*/shrink; do
		[ -L "${cache%/shrink}" ] || echo 1 >"$cache"
	done
	{
		# Unmapped areas of any user are collected only when there are many.
		awk 'NR > 2 && $1 != "vmap_area" { print $1, $2 }' /proc/slabinfo
		[ ! -e /sys/kernel/debug/percpu_stats ] ||
			awk '/nr_cur_alloc/ { print "per-CPU", $NF; exit }' /sys/kernel/debug/percpu_stats
		awk -v grain=$GRAIN '
			/^(Percpu|VmallocUsed|SUnreclaim|KernelStack|PageTables):/ { print $1, int($2 / grain) }
			/^MemTotal:/ { used = $2 }
			/^(MemFree|Cached):/ { used -= $2 }
			# Free pages wait in lists that are not counted: always coarse.
			END { print "used", int(used / 64) }' /proc/meminfo
	} >"$1"
}

# grown CYCLES FILE...: prints the names that grew from each file to the next.
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

# window NAME COUNT COMMAND...: runs COMMAND COUNT times and takes a snapshot.
window()
{
	local name=$1 count=$2 i
	shift 2
	echo "# $name: $count cycles"
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
	# Memory that processes use or that RCU has yet to free grows for a while; a leak goes on growing.
	for more in 1 2 3; do
		[ -n "$(grown "$count" "${files[@]}")" ] || break
		window "$name" "$count" "$@"
	done
	is "$name: no memory grows with repeated windows of $count" "$(grown "$count" "${files[@]}")" ""
}

cycle_load()
{
	insmod /payload/iostat.ko && rmmod iostat
}
