# SPDX-License-Identifier: GPL-2.0
# The file of an I/O in io:start and io:done, for each way of access and each file system.

echo 8192 >$TRACING/buffer_size_kb

# files EVENT DISK OP: prints "PATH MOUNT FS" of the I/Os in /tmp/trace of a disk (with or without partitions)
# that have a file, most frequent first.
files()
{
	awk -v event=" $1: " -v disk=" dev=$2" -v op="flags=[A-Z_|]*$3" '
		index($0, event) && index($0, disk) && $0 ~ op {
			for (i = 1; i <= NF; i++) {
				at = index($i, "=")
				value[substr($i, 1, at - 1)] = substr($i, at + 1)
			}
			if (value["path"] != "<none>")
				count[value["path"] " " value["mount"] " " value["fs"]]++
		}
		END { for (file in count) print count[file], file }' /tmp/trace | sort -rn | cut -d ' ' -f 2-
}

# watch 0|1: disables or enables both events. A worker reads the mount table after a change.
watch()
{
	echo "$1" >$TRACING/events/io/enable
	sleep 0.2
}

# cell NAME DISK OP WANT COMMAND...: checks that every start and done of OP that has a file during
# COMMAND has the file WANT.
cell()
{
	local name=$1 disk=$2 op=$3 want=$4
	shift 4
	sync
	echo 3 >/proc/sys/vm/drop_caches
	: >$TRACING/trace
	"$@" >/tmp/out 2>&1 || fail "$name: $*" "$(tail -n 1 /tmp/out)"
	wait_idle "$disk"
	cat $TRACING/trace >/tmp/trace
	is "fileinfo: $name: start" "$(files start "$disk" "$op")" "$want"
	is "fileinfo: $name: done" "$(files done "$disk" "$op")" "$want"
}

# job FILE ARGUMENT...: runs fio on 256 KiB of FILE.
job()
{
	local file=$1
	shift
	fio_quiet --filename="$file" --size=256k --bs=16k --allow_file_create=0 "$@"
}

# covered DISK OP: prints the file offsets of the traced starts.
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

# matrix NAME DISK MOUNT FS: checks all ways of access.
matrix()
{
	local name=$1 disk=$2 mount=$3 fs=$4 file=$3/a/b/file engine op
	local want="$file $mount $fs"
	watch 1
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
	# Direct I/O is submitted as synchronous I/O by all three engines. A file system's own I/O, as ext4's that
	# zeroes its inode tables in the background, has no file.
	is "fileinfo: $name: direct I/O is not B_ASYNC" \
		"$(grep ' start: ' $TRACING/trace | grep -v 'path=<none>' | grep -c 'B_PHYS.*B_ASYNC')" 0
	cell "$name: mapped read" "$disk" B_READ "$want" map_read "$file"
	cell "$name: mapped write" "$disk" B_WRITE "$want" map_write "$file"
	watch 0
}

# filesystem FS MKFS...
filesystem()
{
	local fs=$1
	shift
	make_null_blk_disk nbf size=512 memory_backed=1
	# Without merges each call is one I/O.
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
filesystem btrfs mkfs.btrfs -q -f

# A loop device with its image in tmpfs: an I/O of the loop device has the file in its own file system.
modprobe loop
truncate -s 300M /tmp/loop.img
loop=$(losetup -f --show /tmp/loop.img)
mkfs.ext4 -q -F "$loop"
mount "$loop" /mnt/files
matrix "loop over tmpfs" "${loop#/dev/}" /mnt/files ext4
umount /mnt/files
losetup -d "$loop"

# A disk without a file system.
make_null_blk_disk nbr size=64 memory_backed=1
watch 1
for engine in psync libaio io_uring; do
	for op in read write; do
		cell "raw: direct $op, $engine" nbr "B_${op^^}" "/dev/nbr /dev devtmpfs" \
			job /dev/nbr --ioengine=$engine --rw=$op --direct=1 --iodepth=4
	done
done
cell "raw: buffered read" nbr B_READ "/dev/nbr <none> bdev" dd if=/dev/nbr of=/dev/null bs=16k count=16
cell "raw: buffered write" nbr B_WRITE "/dev/nbr <none> bdev" write_and_sync /dev/nbr
# Two pages: the kernel does not split a bio of one page, even if it is larger than this.
most=$(($(page_bytes) * 2))
echo $((most >> 10)) >/sys/block/nbr/queue/max_sectors_kb
cell "raw: in parts" nbr B_READ "/dev/nbr /dev devtmpfs" dd if=/dev/nbr of=/dev/null bs=64k count=1 skip=1 iflag=direct
is "fileinfo: raw: in parts: offsets" "$(covered nbr B_READ)" "$(seq -s' ' 65536 $most 122880)"
# A call that fails before it makes a bio leaves nothing behind.
mknod /dev/other b $(tr : ' ' </sys/block/nbr/dev)
cell "raw: another node, after a call that failed" nbr B_READ "/dev/other /dev devtmpfs" \
	/payload/failcall /dev/nbr /dev/other direct
cell "raw: another node, into pieces, after a call that failed" nbr B_READ "/dev/other /dev devtmpfs" \
	/payload/failcall /dev/nbr /dev/other vector
cell "raw: buffered, after a call that failed" nbr B_READ "/dev/nbr <none> bdev" /payload/failcall /dev/other /dev/nbr
rm /dev/other
succeeds "fileinfo: raw: a partition" /payload/partition /dev/nbr 1 2048 65536
cell "raw: a partition" nbr B_READ "/dev/nbr1 /dev devtmpfs" dd if=/dev/nbr1 of=/dev/null bs=8k count=2 iflag=direct
is "fileinfo: raw: a partition: offsets" "$(covered nbr1 B_READ)" "0 8192"

# A claimed disk's blocks belong to the device on top of it, so a page of its bdev has no file.
dm_linear nbrdm /dev/nbr 65536
cell "claimed: buffered read" nbr B_READ "" dd if=/dev/nbr of=/dev/null bs=16k count=16
holds "fileinfo: claimed: there were reads" "$(grep ' start: .* dev=nbr ' /tmp/trace | grep -c 'B_READ.* path=<none>') > 0"
dmsetup remove nbrdm

# A queue is run by any thread, also for requests of others: only the upper layer knows the file.
dmsetup create nbrmp --table "0 65536 multipath 0 0 1 1 round-robin 0 1 1 /dev/nbr 1" &&
	mp=$(dm_disk nbrmp) || fail "fileinfo: multipath"
cell "multipath" "$mp" B_READ "/dev/$mp /dev devtmpfs" \
	dd if="/dev/$mp" of=/dev/null bs=16k count=16 iflag=direct
cell "multipath: its path" nbr B_READ "<unknown> <unknown> <unknown>" \
	dd if="/dev/$mp" of=/dev/null bs=16k count=16 iflag=direct
# Memory that processes share has a name and an offset in a file system without storage, which are not those of the I/O.
cell "multipath: its path, into shared memory" nbr B_READ "<unknown> <unknown> <unknown>" \
	fio_quiet --filename="/dev/$mp" --rw=read --bs=16k --size=256k --direct=1 --iomem=shm
starts=$(grep -c ' start: .* dev=nbr ' /tmp/trace)
direct=$(grep -c ' start: .* dev=nbr .*B_PHYS' /tmp/trace)
holds "fileinfo: multipath: its path, into shared memory: direct I/O" "direct == starts && starts > 0"
dmsetup remove nbrmp
watch 0
remove_null_blk_disk nbr

# Metadata has no file; a path that is too long keeps its end; a deleted file keeps its path.
make_null_blk_disk nbf size=512 memory_backed=1
mkfs.ext4 -q -F /dev/nbf
mount /dev/nbf /mnt/files
long=/mnt/files
for part in a b c d e f; do
	long+=/$(printf "%050d" 0 | tr 0 $part)
done
mkdir -p "$long"
watch 1
cell "a long path" nbf B_WRITE "...${long: -55}/lastname <unknown> ext4" write_and_sync "$long/lastname"
is "fileinfo: metadata has no file" \
	"$(grep ' start: ' $TRACING/trace | grep -c 'B_PAGEIO.* fs=<none> mount=<none> path=<none>' | sed 's/[1-9][0-9]*/some/')" some
exec 9>/mnt/files/gone
rm /mnt/files/gone
cell "a deleted file" nbf B_WRITE "/mnt/files/gone /mnt/files ext4" write_and_sync /proc/self/fd/9
cell "a deleted file, direct" nbf B_WRITE "/mnt/files/gone /mnt/files ext4" \
	dd if=/dev/zero of=/proc/self/fd/9 bs=16k count=16 conv=notrunc oflag=direct
exec 9>&-

# One file right after another, and under other names: what was found a moment ago is not traced for another.
look()
{
	: >$TRACING/trace
	dd if="$1" of=/dev/null bs=16k iflag=direct status=none
	dd if="$1" of=/dev/null bs=16k iflag=direct status=none
	cat $TRACING/trace >/tmp/trace
	is "fileinfo: again: $1" "$(files start nbf B_READ)" "$1 $2 ext4"
}
mkdir /mnt/files/dir /mnt/bound
dd if=/dev/zero of=/mnt/files/dir/one bs=16k count=1 oflag=direct status=none
exec 9</mnt/files/dir/one
look /mnt/files/dir/one /mnt/files
mv /mnt/files/dir/one /mnt/files/dir/two
look /mnt/files/dir/two /mnt/files
mv /mnt/files/dir /mnt/files/folder
look /mnt/files/folder/two /mnt/files
mount --bind /mnt/files/folder /mnt/bound
sleep 0.5
for _ in 1 2; do
	look /mnt/bound/two /mnt/bound
	look /mnt/files/folder/two /mnt/files
done
umount /mnt/bound
mv /mnt/files/folder/two /mnt/files
look /mnt/files/two /mnt/files
exec 9<&-
: >$TRACING/trace
for number in {10..40}; do
	dd if=/dev/zero of=/mnt/files/$number bs=16k count=1 oflag=direct status=none
	rm /mnt/files/$number
done
cat $TRACING/trace >/tmp/trace
is "fileinfo: again: in memory that was another's" "$(files start nbf B_WRITE | sort)" \
	"$(printf '/mnt/files/%s /mnt/files ext4\n' {10..40})"

# A call for its disk fails before.
dd if=/dev/zero of=/mnt/files/plain bs=128k count=1 status=none
cell "after a call that failed, direct" nbf B_READ "/mnt/files/plain /mnt/files ext4" \
	/payload/failcall /dev/nbf /mnt/files/plain direct
cell "after a call that failed, buffered" nbf B_READ "/mnt/files/plain /mnt/files ext4" \
	/payload/failcall /dev/nbf /mnt/files/plain

# Memory of a direct write is a file's that is read then.
dd if=/dev/zero of=/mnt/files/target bs=64k count=1 conv=fsync status=none
cell "a page fault in direct I/O, the read" nbf B_READ "/mnt/files/plain /mnt/files ext4" \
	/payload/faultcall /mnt/files/plain /mnt/files/target
is "fileinfo: a page fault in direct I/O, the read: of the page cache, from the start of the file" \
	"$(grep ' start: .* dev=nbf .*B_READ.* path=/mnt/files/plain' /tmp/trace | head -n 1 | grep -c 'B_PAGEIO.* offset=0 ')" 1
cell "a page fault in direct I/O, the write" nbf B_WRITE "/mnt/files/target /mnt/files ext4" \
	/payload/faultcall /mnt/files/plain /mnt/files/target
rm /mnt/files/target
# A loop device reads into the page cache of others by direct I/O.
modprobe loop
loop=$(losetup --show -f --direct-io=on /mnt/files/plain)
cell "a read of the page cache of a loop device, below" nbf B_READ "/mnt/files/plain /mnt/files ext4" \
	dd if="$loop" of=/dev/null bs=16k count=4
is "fileinfo: a read of the page cache of a loop device, below: direct I/O" \
	"$(grep ' start: .* dev=nbf .*B_READ.* path=/mnt/files/plain' /tmp/trace | grep -vc 'B_PHYS')" 0
losetup -d "$loop"

# Characters that would end a word or a line are escaped, in the names of files and of threads.
odd=$'/mnt/files/a b\nc\\d' escaped='/mnt/files/a\040b\012c\134d'
cell "an odd name" nbf B_WRITE "$escaped /mnt/files ext4" write_and_sync "$odd"
cell "an odd name, direct" nbf B_READ "$escaped /mnt/files ext4" dd if="$odd" of=/dev/null bs=16k iflag=direct
long_odd=/mnt/files/$(printf 'x %.0s' {1..100})
mv "$odd" "$long_odd"
cell "an odd name, too long" nbf B_READ "...\\040$(printf 'x\\040%.0s' {1..12}) /mnt/files ext4" \
	dd if="$long_odd" of=/dev/null bs=16k
# A name is cut between characters, which have one to four bytes.
for char in ä € 𝄞; do
	bytes=$(printf %s "$char" | wc -c)
	for rest in '' x xx xxx; do
		name=$(eval "printf '$char%.0s' {1..$((220 / bytes))}")$rest
		kept=$(eval "printf '$char%.0s' {1..$(((64 - ${#rest}) / bytes))}")$rest
		dd if=/dev/zero of="/mnt/files/$name" bs=4k count=1 status=none
		cell "characters of $bytes bytes, ${#rest} single bytes" nbf B_READ "...$kept /mnt/files ext4" \
			dd if="/mnt/files/$name" of=/dev/null
		rm "/mnt/files/$name"
	done
done
# A thread has the name of its program.
odd=$'/tmp/a b\nc\\d\n<idle>'
cp "$(command -v dd)" "$odd"
dd if=/dev/zero of=/mnt/files/plain bs=4k count=1 status=none
cell "an odd thread" nbf B_READ "/mnt/files/plain /mnt/files ext4" "$odd" if=/mnt/files/plain of=/dev/null
is "fileinfo: an odd thread: its name" \
	"$(sed -n 's/.* start: .*dev=nbf .*pid=[0-9]* tgid=[0-9]* uid=0 comm=\([^ ]*\) offset=.* path=.*plain$/\1/p' $TRACING/trace | sort -u)" \
	'...c\134d\012<idle>'
rm "$odd"

# A mount is moved.
mkdir -p /mnt/else
mount --move /mnt/files /mnt/else
sleep 0.5
cell "a moved mount" nbf B_WRITE "/mnt/else/moved /mnt/else ext4" write_and_sync /mnt/else/moved
watch 0
umount /mnt/else
remove_null_blk_disk nbf
