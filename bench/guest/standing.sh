# SPDX-License-Identifier: GPL-2.0
# What the module costs besides: time to load, and memory, without I/O and with some on each CPU, with 1, 16
# and 256 disks. Goes to files "load" (disks ns) and "memory" (disks kind bytes).

# events 0|1: all that gives memory out.
events()
{
	local event
	for event in percpu/percpu_alloc_percpu kmem/{kmalloc,kfree,kmem_cache_alloc,kmem_cache_free}; do
		echo "$1" >$TRACING/events/$event/enable || die "no event $event"
	done
}

# The bytes that one program has allocated and not freed: per-CPU memory of
# one CPU, and everything from the slab allocator. (The pages of records come from neither.)
given()
{
	awk -v program="$1" '
		{
			ours = index($1, program "-") == 1
			split("", field)
			for (i = 5; i <= NF; i++)
				if (split($i, pair, "=") == 2)
					field[pair[1]] = pair[2]
		}
		ours && / percpu_alloc_percpu:/ { percpu += field["size"] }
		# krealloc says twice that it gave the same out.
		ours && / (kmalloc|kmem_cache_alloc):/ { size[field["ptr"]] = field["bytes_alloc"] }
		/ (kfree|kmem_cache_free):/ { delete size[field["ptr"]] }
		END {
			for (pointer in size)
				slab += size[pointer]
			print "percpu", percpu + 0
			print "slab", slab + 0
		}
	' $TRACING/trace
}

# Bytes of the pages that programs may map.
pages()
{
	/payload/readall 1 pages >/tmp/pages || die "iostat cannot be mapped"
	cut -d ' ' -f 2 /tmp/pages
}

load_timed()
{
	/payload/loadtime /payload/iostat.ko || die "iostat.ko cannot be loaded"
}

echo 32768 >$TRACING/buffer_size_kb
sleep 8
for disks in 1 16 256; do
	null_blk irqmode=0 nr_devices="$disks" gb=1
	# Not the first load: it makes trampolines and caches that stay.
	load_timed >/dev/null
	rmmod iostat
	for round in 1 2 3; do
		sample load "$disks $(load_timed)"
		rmmod iostat
	done
	echo >$TRACING/trace
	events 1
	load_timed >/dev/null
	sleep 2 # some is given back after a grace period
	events 0
	given loadtime | while read -r kind bytes; do
		sample memory "$disks $kind $bytes"
	done
	sample memory "$disks pages $(pages)"
	# From here on each of the disks has been read from on each of the CPUs. null_blk completes where it was asked.
	for cpu in $(seq 0 $((cpus - 1))); do
		taskset -c "$cpu" head -q -c 4096 /dev/nullb* >/dev/null || die "no reads"
	done
	sleep 2
	sample memory "$disks used $(pages)"
	sample memory "$disks cpus $cpus"
	sample memory "$disks possible $(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))"
	sample memory "$disks module $(awk '$1 == "iostat" { print $2 }' /proc/modules)"
	echo "  $disks disks: load, memory: done"
	rmmod iostat
	rmmod null_blk
done
for file in load memory; do
	give $file </tmp/$file
done
