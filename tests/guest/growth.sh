# SPDX-License-Identifier: GPL-2.0
# What a cycle leaves behind. Cycles are repeated in windows, two of them and up to
# three more, and what grew by half an object a cycle in all, counted after every
# cache was emptied, is a leak. (kmemleak was seen to miss such leaks.) Sourced.

# KiB in one unit of what only /proc/meminfo counts: coarse where cycles are few.
GRAIN=64

# snapshot FILE: "name count" lines of all memory that has a name.
snapshot()
{
	local cache
	echo 3 >/proc/sys/vm/drop_caches
	# RCU frees what that dropped a moment later: counted once and gone the next time,
	# it would hide a leak of as many.
	sleep 0.5
	# Also brings home what KASAN keeps in quarantine.
	for cache in /sys/kernel/slab/*/shrink; do
		[ -L "${cache%/shrink}" ] || echo 1 >"$cache"
	done
	{
		# Unmapped areas are collected when there are many, whoever had them.
		awk 'NR > 2 && $1 != "vmap_area" { print $1, $2 }' /proc/slabinfo
		[ ! -e /sys/kernel/debug/percpu_stats ] ||
			awk '/nr_cur_alloc/ { print "per-CPU", $NF; exit }' /sys/kernel/debug/percpu_stats
		awk -v grain=$GRAIN '
			/^(Percpu|VmallocUsed|SUnreclaim|KernelStack|PageTables):/ { print $1, int($2 / grain) }
			/^MemTotal:/ { used = $2 }
			/^(MemFree|Cached):/ { used -= $2 }
			# Free pages wait in lists of their own: coarse always.
			END { print "used", int(used / 64) }' /proc/meminfo
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
