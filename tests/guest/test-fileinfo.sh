# SPDX-License-Identifier: GPL-2.0
# Which file an I/O is for: what io:start and io:done say, by way of access and file system.

echo 8192 >$TRACING/buffer_size_kb

# files EVENT DISK OP: the "PATH MOUNT FS" of the I/Os of a disk (with or without partitions) that the
# trace has, most frequent first, but for those of no file.
files()
{
	grep " $1: " $TRACING/trace | grep " dev=$2" | grep "flags=[A-Z_|]*$3" |
		sed -n 's/.* fs=\(.*\) mount=\(.*\) path=\(.*\)$/\3 \2 \1/p' | grep -v '^<none>' |
		sort | uniq -c | sort -rn | sed 's/^ *[0-9]* //'
}

# cell NAME DISK OP WANT COMMAND...: while the command runs, every start and done of that kind that
# is of a file is of the wanted.
cell()
{
	local name=$1 disk=$2 op=$3 want=$4
	shift 4
	sync
	echo 3 >/proc/sys/vm/drop_caches
	: >$TRACING/trace
	echo 1 >$TRACING/events/io/enable
	# A mount table that has changed is read by a worker.
	sleep 0.2
	"$@" >/tmp/out 2>&1 || fail "$name: $*" "$(tail -n 1 /tmp/out)"
	sleep 0.2
	echo 0 >$TRACING/events/io/enable
	is "fileinfo: $name: start" "$(files start "$disk" "$op")" "$want"
	is "fileinfo: $name: done" "$(files done "$disk" "$op")" "$want"
}

# job FILE ARGUMENT...: fio, 256 KiB of it.
job()
{
	local file=$1
	shift
	fio_quiet --filename="$file" --size=256k --bs=16k --allow_file_create=0 "$@"
}

# covered DISK OP: where in their file the starts in the trace are.
covered()
{
	grep " start: " $TRACING/trace | grep " dev=$1" | grep "flags=[A-Z_|]*$2" | grep -v 'path=<none>' |
		sed 's/.* offset=\([-0-9]*\) .*/\1/' | sort -n | uniq | paste -sd' '
}

write_and_sync()
{
	dd if=/dev/zero of="$1" bs=16k count=16 conv=notrunc && sync
}

map_read()
{
	job "$1" --ioengine=mmap --rw=read
}

map_write()
{
	job "$1" --ioengine=mmap --rw=write --end_fsync=0 && sync
}

# matrix NAME DISK MOUNT FS: all ways of access.
matrix()
{
	local name=$1 disk=$2 mount=$3 fs=$4 file=$3/a/b/file engine op
	local want="$file $mount $fs"
	mkdir -p "$mount/a/b"
	dd if=/dev/urandom of="$file" bs=256k count=1 2>/dev/null
	cell "$name: buffered read" "$disk" B_READ "$want" dd if="$file" of=/dev/null bs=16k
	cell "$name: buffered write" "$disk" B_WRITE "$want" write_and_sync "$file"
	for engine in psync libaio io_uring; do
		for op in read write; do
			cell "$name: direct $op, $engine" "$disk" "B_${op^^}" "$want" \
				job "$file" --ioengine=$engine --rw=$op --direct=1 --iodepth=4
		done
		is "fileinfo: $name: direct write, $engine: offsets" "$(covered "$disk" B_WRITE)" \
			"$(seq -s' ' 0 16384 245760)"
	done
	cell "$name: mapped read" "$disk" B_READ "$want" map_read "$file"
	cell "$name: mapped write" "$disk" B_WRITE "$want" map_write "$file"
}

# filesystem FS MKFS...
filesystem()
{
	local fs=$1
	shift
	make_null_blk_disk nbf size=512 memory_backed=1
	# What one call asks for is one I/O.
	echo 2 >/sys/block/nbf/queue/nomerges
	succeeds "fileinfo: mkfs.$fs" "$@" /dev/nbf
	mkdir -p /mnt/files
	succeeds "fileinfo: mount $fs" mount -t "$fs" /dev/nbf /mnt/files
	matrix "$fs" nbf /mnt/files "$fs"
	umount /mnt/files
	remove_null_blk_disk nbf
}

filesystem ext4 mkfs.ext4 -q -F
filesystem xfs mkfs.xfs -q -f
[ ! -x /usr/bin/mkfs.btrfs ] || filesystem btrfs mkfs.btrfs -q -f
