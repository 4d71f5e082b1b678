# SPDX-License-Identifier: GPL-2.0
# How much memory is used. Sourced.

# memory PREFIX: sets, in KiB, PREFIX_all to what the whole system uses, PREFIX_slab to the part of it that is in slabs, and
# PREFIX_percpu to that of possible CPUs. What is freed after a grace period is waited for, and caches are dropped. Free
# pages that wait in lists of CPUs, which may be tens of MiB after many were freed, are not used; MemFree does not have them.
memory()
{
	local cache
	sync
	sleep 3
	echo 3 >/proc/sys/vm/drop_caches
	sleep 1
	for cache in /sys/kernel/slab/*/shrink; do
		[ -L "${cache%/shrink}" ] || echo 1 >"$cache"
	done
	eval "$(awk -v prefix="$1" '
		FILENAME == "/proc/zoneinfo" {
			if ($1 == "count:") pages += $2
			next
		}
		{ kib[$1] = $2 }
		END {
			free = kib["MemFree:"] + pages * 4
			print prefix "_all=" kib["MemTotal:"] - free - kib["Buffers:"] - kib["Cached:"]
			print prefix "_slab=" kib["Slab:"]
			print prefix "_percpu=" kib["Percpu:"]
		}' /proc/zoneinfo /proc/meminfo)"
}
