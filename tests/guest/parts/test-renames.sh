# SPDX-License-Identifier: GPL-2.0
# Paths of files while threads rename, so that the locks of path lookups are contended. Each path is right, or mount point
# and path are <unknown>; where waits are hooked on a PREEMPT_RT kernel the path alone is. Readers and renaming threads share
# a CPU, and readers have the higher priority: with PREEMPT_RT they find a lock held by a thread that they have preempted.

echo 8192 >$TRACING/buffer_size_kb
make_null_blk_disk nbn size=256 memory_backed=1 irqmode=2 completion_nsec=5000000
echo 0 >/sys/block/nbn/queue/read_ahead_kb
succeeds "renames: mkfs.ext4" mkfs.ext4 -q -F /dev/nbn
mkdir -p /mnt/files
succeeds "renames: mount" mount /dev/nbn /mnt/files
# Renames are fastest in tmpfs; the locks are those of all file systems.
mkdir /mnt/files/kept /tmp/renamed
for number in 0 1; do
	dd if=/dev/urandom of=/mnt/files/kept/file$number bs=64k count=4 status=none
done
sync

# named EVENT: prints number, mount point and path of the event's reads of the disk.
named()
{
	sed -n "s/.* $1: .*dev=nbn .*B_READ.* comm=fio .* mount=\(.*\) path=\(.*\)\$/\1 \2/p" /tmp/trace |
		sort | uniq -c
}

# right, wrong EVENT: print how many have the right path, and how many what is not allowed.
right()
{
	named "$1" | awk '$2 == "/mnt/files" && $3 ~ "^/mnt/files/kept/file[01]$" { n += $1 } END { print n + 0 }'
}

wrong()
{
	local unknown="<unknown>"
	[ "$1" != wait_start ] || ! grep -q PREEMPT_RT /proc/version || unknown=/mnt/files
	named "$1" | awk -v unknown="$unknown" '$2 == "/mnt/files" && $3 ~ "^/mnt/files/kept/file[01]$" { next }
		$2 == unknown && $3 == "<unknown>" { next } $3 == "<none>" { next } { n += $1 } END { print n + 0 }'
}

# reads NAME DIRECT: runs fio during renames and checks the paths.
reads()
{
	: >$TRACING/trace
	kill -CONT $renamer
	echo 1 >$TRACING/events/io/enable
	succeeds "renames: $1" fio_quiet --filename_format=/mnt/files/kept/file\$jobnum --rw=randread --bs=4k \
		--size=256k --numjobs=2 --cpus_allowed=0 --direct="$2" --ioengine=psync --invalidate=1 \
		--time_based --runtime=$seconds --allow_file_create=0
	echo 0 >$TRACING/events/io/enable
	kill -STOP $renamer
	cp $TRACING/trace /tmp/trace
	holds "renames: $1: more than 100 waits" "$(named wait_start | awk '{ n += $1 } END { print n + 0 }') > 100"
	for event in start wait_start; do
		is "renames: $1: $event: no wrong name" "$(wrong $event)" 0
		count=$(right $event)
		[ $event = wait_start ] && grep -q PREEMPT_RT /proc/version ||
			holds "renames: $1: $event: more than 100 right names" "count > 100"
	done
}

# Only with PREEMPT_RT is a lock found held by a thread that was preempted.
seconds=5
! grep -q PREEMPT_RT /proc/version || seconds=20
taskset 1 /payload/renamer /tmp/renamed 4 &
renamer=$!
reads "buffered reads" 0
reads "direct reads" 1
kill -KILL $renamer
wait $renamer 2>/dev/null
rm -r /tmp/renamed /tmp/trace
umount /mnt/files
remove_null_blk_disk nbn
