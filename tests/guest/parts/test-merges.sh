# SPDX-License-Identifier: GPL-2.0
# io:merge: the bytes of each file and of each process when bios of several are merged into one I/O.

echo 16384 >$TRACING/buffer_size_kb

# trace 0|1: disables or enables the events of requested and completed bytes.
trace()
{
	local event
	for event in start merge done; do
		echo "$1" >$TRACING/events/io/$event/enable
	done
	[ "$1" = 0 ] || : >$TRACING/trace
}

# events EVENT DISK: prints how many the trace has.
events()
{
	grep -cE " $1: id=[0-9]+ dev=$2 " $TRACING/trace
}

# bytes_by KEY EVENT DISK: prints "VALUE BYTES" for each value of a member, of I/Os with data.
bytes_by()
{
	grep -E " ($2): id=[0-9]+ dev=$3 " $TRACING/trace |
		sed -nE "s/.* bcount=([0-9]+) .* $1=([^ ]+).*/\2 \1/p" |
		awk '$2 { sum[$1] += $2 } END { for (key in sum) print key, sum[key] }' | sort -V
}

# kernels_merges: prints the merges of reads and of writes that /proc/diskstats has.
kernels_merges()
{
	awk '{ print $2, $6 }' /sys/block/nbm/stat
}

# own_merges: prints those of the disk's event counters.
own_merges()
{
	(cd /sys/block/nbm/iostat/events && cat read_merges write_merges) | xargs
}

# merges_counted: prints the merges that the disk's event counters have.
merges_counted()
{
	(cd /sys/block/nbm/iostat/events && cat bio_backmerges bio_frontmerges) | awk '{ sum += $1 } END { print sum }'
}

# bytes EVENT DISK: prints the sum of bytes; for done of the bytes transferred.
bytes()
{
	grep -E " ($1): id=[0-9]+ dev=$2 " $TRACING/trace |
		sed -nE 's/.* bcount=([0-9]+) (resid=([0-9]+) )?.*/\1 \3/p' | awk '{ sum += $1 - $2 } END { print sum + 0 }'
}

# Small files that are written back together are adjacent on the disk.
make_null_blk_disk nbm size=256 memory_backed=1
mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=0 /dev/nbm && mkdir -p /mnt/merges && mount /dev/nbm /mnt/merges ||
	fail "merges: ext4"
for file in 1 2 3 4 5 6 7 8; do
	dd if=/dev/zero of="/mnt/merges/m$file" bs=4k count="$file" status=none
done
trace 1
sync
wait_idle nbm
trace 0
want=$(for file in 1 2 3 4 5 6 7 8; do echo "/mnt/merges/m$file $((file * 4096))"; done)
bytes_by path 'start|merge' nbm | grep '^/mnt/merges/m' >/tmp/files
is "merges: write-back: bytes of each file, by start and merge" "$(cat /tmp/files)" "$want"
is "merges: write-back: all bytes, equal to the dones'" "$(bytes 'start|merge' nbm)" "$(bytes done nbm)"
holds "merges: write-back: at least the bytes of the files" "$(bytes done nbm) >= 36 * 4096"
merged=$(events merge nbm)
holds "merges: write-back: at least one merge" "merged > 0"
holds "merges: write-back: a done has only one of the files" \
	"$(bytes_by path done nbm | grep -c '^/mnt/merges/m') < 8"
is "merges: an event has no id" "$(grep -c ' merge: id=0 ' $TRACING/trace)" "$(events merge nbm)"
grep ' merge: .* path=/mnt/merges/m' $TRACING/trace >/tmp/files
is "merges: each has offset 0 of its file" "$(grep -c ' offset=0 ' /tmp/files)" "$(wc -l </tmp/files)"

# No events while the event is disabled.
echo 1 >$TRACING/events/io/start/enable
: >$TRACING/trace
dd if=/dev/zero of=/mnt/merges/n1 bs=4k count=1 status=none
dd if=/dev/zero of=/mnt/merges/n2 bs=4k count=1 status=none
sync
echo 0 >$TRACING/events/io/start/enable
is "merges: disabled: no event" "$(events merge nbm)" 0
umount /mnt/merges
remove_null_blk_disk nbm

# Merges under the lock of each I/O scheduler: two processes read ahead pages next to each other. Each
# bio is one page.
make_null_blk_disk nbm size=64 blocksize=4096 irqmode=2 completion_nsec=5000000 submit_queues=1 hw_queue_depth=1
for scheduler in none mq-deadline kyber bfq; do
	modprobe -q "$scheduler-iosched"
	modprobe -q "$scheduler"
	echo "$scheduler" >/sys/block/nbm/queue/scheduler 2>/dev/null || continue
	trace 1
	begin nbm
	counted=$(merges_counted)
	fio_quiet --filename=/dev/nbm --direct=1 --rw=write --bs=4k --size=4m --ioengine=libaio --iodepth=64 \
		--iodepth_batch_submit=1 --numjobs=2 --offset_increment=4m --group_reporting
	delta nbm
	trace 0
	counted=$(($(merges_counted) - counted))
	is "merges: $scheduler: bytes by start and merge" \
		"$(bytes 'start|merge' nbm)" $((2 * 4 << 20))
	is "merges: $scheduler: bytes by done" "$(bytes done nbm)" "$d_bytes_write"
	is "merges: $scheduler: one event for each merge" "$(events merge nbm)" \
		"$counted"
	is "merges: $scheduler: by direction, as /proc/diskstats" "$(own_merges)" "$(kernels_merges)"
	begin nbm
	fio_quiet --filename=/dev/nbm --direct=1 --rw=read --bs=4k --size=1m --ioengine=libaio --iodepth=64 \
		--iodepth_batch_submit=16
	is "merges: $scheduler: of reads too" "$(own_merges)" "$(kernels_merges)"
	# Without a scheduler, writes that are submitted one at a time are not merged.
	holds "merges: $scheduler: there are both" \
		"$(own_merges | awk -v name="$scheduler" '{ print ($1 > 0 && ($2 > 0) == (name != "none")) }') == 1"
	unknown=0
	# bfq merges with interrupts disabled, where the file cannot be looked up.
	[ "$scheduler" != bfq ] || unknown=$(events merge nbm)
	is "merges: $scheduler: files" "$(grep ' merge: ' $TRACING/trace | grep -c 'path=<unknown>') $(grep ' merge: ' \
		$TRACING/trace | grep -c 'path=/dev/nbm$')" "$unknown $(($(events merge nbm) - unknown))"
	echo "# merges: $scheduler: $(events merge nbm) of $(events start nbm)"
done
# The kind of memory is known even then. Each process writes one page after the other without waiting
# for them, so that a page waits when the next one is submitted.
if grep -q '\[bfq\]' /sys/block/nbm/queue/scheduler; then
	echo 128 >/sys/block/nbm/queue/nr_requests
	trace 1
	fio_quiet --filename=/dev/nbm --rw=write --bs=4k --numjobs=2 --offset_increment=256k --size=256k --ioengine=psync \
		--sync_file_range=write:1 --fallocate=none --group_reporting
	wait_idle nbm
	trace 0
	holds "merges: bfq: buffered: at least one under the lock" "$(grep -c ' merge: .* path=<unknown>' $TRACING/trace) > 0"
	is "merges: bfq: buffered: B_PAGEIO" "$(grep ' merge: ' $TRACING/trace | grep -vc 'flags=[A-Z_|]*B_PAGEIO')" 0
	is "merges: bfq: buffered: bytes" "$(bytes 'start|merge' nbm)" "$(bytes done nbm)"
fi
remove_null_blk_disk nbm
nothing_lost "merges"
