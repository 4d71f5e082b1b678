# SPDX-License-Identifier: GPL-2.0
# The fileinfo fields for each way to reach a file. Each way is tested, and the line made from the result
# is the one in Documentation/io-provider.rst.

echo 8192 >$TRACING/buffer_size_kb
FROM=65536 LENGTH=65536

# Prints each event with all its fields.
echo 1 >$TRACING/options/fields

READ=64 WRITE=256

# files EVENT DISK OP: prints for each I/O of a disk in this direction: offset, bytes, flags of open(),
# file system, mount point, name, directory, path. (No text has a blank.) I/Os without a file are left
# out, unless all have none.
files()
{
	awk -v event="$1:" -v disk="$2" -v op="$3" '
		index($0, " " event " ") {
			for (i = 1; i <= NF; i++) {
				at = index($i, "=")
				v[substr($i, 1, at - 1)] = substr($i, at + 1)
				# "0x10000 (65536)"
				if ($i ~ /=0x/) v[substr($i, 1, at - 1)] = substr($(i + 1), 2, length($(i + 1)) - 2)
			}
			if (v["dev_statname"] != disk || int(v["b_flags"] / op) % 2 == 0) next
			if (v["b_bcount"] == 0 || v["outcome"] + 0 != 0) next
			line = v["fi_offset"] " " v["b_bcount"] " " v["fi_oflags"] " " v["fi_fs"] " " v["fi_mount"] " " \
				v["fi_name"] " " v["fi_dirname"] " " v["fi_pathname"]
			if (v["fi_pathname"] == "<none>") none[++nones] = line
			else { print line; some++ }
		}
		END { if (!some) for (i = 1; i <= nones; i++) print none[i] }
	' $TRACING/trace
}

# summary: prints what all of these have in common, as in the table. The offset is "true" if the I/Os
# cover the range, and "true/-1" if some have none.
summary()
{
	sort -n | awk -v from=$FROM -v length_=$LENGTH '
		{ text = $4 " " $5 " " $8
		  if (NR > 1 && text != first) first = "several"
		  if (NR == 1) { first = text; next_ = from; ok = 1 }
		  if ($1 == -1) unknown++
		  else { if ($1 != next_) ok = 0; next_ = $1 + $2 }
		  flags += $3 != 0
		  # Name and directory must agree with the path.
		  dir = $8; sub("/[^/]*$", "", dir); if (dir == "") dir = "/"; name = $8; sub(".*/", "", name)
		  if ($8 ~ /^</) dir = name = $8
		  if ($6 != name || $7 != dir) parts++ }
		END { if (!NR) { print "nothing"; exit }
		      offset = unknown == NR ? "-1" : !ok || next_ != from + length_ ? "false" :
			unknown ? "true/-1" : "true"
		      oflags = flags == NR ? "set" : flags ? "mixed" : "0"
		      print first, offset, oflags (parts ? " but name and directory" : "") }'
}

# The lines of the table, without its header.
sed '1,/^\.\. ways begin/d; /^\.\. ways end/,$d' /payload/io-provider.rst | sed '1,/^way /d; /^===/d; /^$/d' >/tmp/documented
measured=()

# way NAME DISK OP COMMAND...: compares the line of a command's I/Os with the document's.
way()
{
	local name=$1 disk=$2 op=$3 start done_ line
	shift 3
	sync
	echo 3 >/proc/sys/vm/drop_caches
	: >$TRACING/trace
	"$@" >/tmp/out 2>&1 || fail "ways: $name: $*" "$(tail -n 1 /tmp/out)"
	wait_idle "$disk"
	start=$(files start "$disk" "$op" | summary)
	done_=$(files done "$disk" "$op" | summary)
	is "ways: $name: done agrees with start" "$done_" "$start"
	read -ra start <<<"$start"
	printf -v line '%-36s  %-8s  %-9s  %-17s  %-9s  %s' "$name" "${start[@]}"
	measured+=("$name")
	echo "# $line"
	[[ $line != *false* && $line != *several* ]] || files start "$disk" "$op" | head -n 20
	is "ways: $name: the document has this line" "$line" "$(grep -- "^$name  " /tmp/documented)"
}

watch()
{
	echo "$1" >$TRACING/events/io/enable
	sleep 0.3
}

# direct|buffered FILE: reads or writes the range; a buffered write is synced.
direct_read() { dd if="$1" of=/dev/null bs=64k skip=1 count=1 iflag=direct; }
direct_write() { dd if=/dev/zero of="$1" bs=64k seek=1 count=1 oflag=direct conv=notrunc; }
buffered_read() { dd if="$1" of=/dev/null bs=64k skip=1 count=1; }
dirty() { dd if=/dev/zero of="$1" bs=64k seek=1 count=1 conv=notrunc; }
buffered_write() { dirty "$1" && sync; }

# job FILE ARGUMENT...: runs fio.
job()
{
	fio_quiet --filename="$1" --offset=$FROM --size=$LENGTH --bs=16k --allow_file_create=0 "${@:2}"
}

map_write()
{
	/payload/reach map-write "$1" $FROM $LENGTH && sync
}

# new_file FILE: creates a file that is large enough, on disk.
new_file()
{
	dd if=/dev/urandom of="$1" bs=64k count=4 conv=fsync status=none
}

make_disk()
{
	make_null_blk_disk "$1" size="$2" memory_backed=1 "${@:3}"
	# Without merges and readahead each call is one I/O.
	echo 2 >"/sys/block/$1/queue/nomerges"
	echo 0 >"/sys/block/$1/queue/read_ahead_kb"
}

modprobe ext4
modprobe overlay
make_disk nbw 256
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/nbw
mkdir -p /mnt/w /mnt/o /mnt/b /mnt/l /mnt/d
mount /dev/nbw /mnt/w
mkdir /mnt/w/up /mnt/w/low /mnt/w/work
new_file /mnt/w/file
watch 1

way "buffered read" nbw $READ buffered_read /mnt/w/file
way "buffered write" nbw $WRITE buffered_write /mnt/w/file
way "direct read" nbw $READ direct_read /mnt/w/file
way "direct write" nbw $WRITE direct_write /mnt/w/file
way "mmap: fault" nbw $READ /payload/reach map-read /mnt/w/file $FROM $LENGTH
way "mmap: write-back" nbw $WRITE map_write /mnt/w/file
for engine in libaio io_uring; do
	for op in READ WRITE; do
		way "direct ${op,,}, ${engine#lib}" nbw ${!op} job /mnt/w/file --ioengine=$engine --rw=${op,,} --direct=1 \
			--iodepth=4
	done
done
# A write of less than a file system block in a hole: the rest of the block is zeroed.
truncate -s 0 /mnt/w/holes
truncate -s 1M /mnt/w/holes
LENGTH=512
pad() { dd if=/dev/zero of=/mnt/w/holes bs=512 seek=128 count=1 oflag=direct conv=notrunc; }
way "direct write, padded" nbw $WRITE pad
LENGTH=65536
way "sendfile" nbw $READ /payload/reach sendfile /mnt/w/file $FROM $LENGTH

# Swap, and direct I/O from memory in the swap cache.
make_disk nbs 64
mkswap /dev/nbs >/dev/null
succeeds "ways: swapon" swapon /dev/nbs
grep -q ' /sys/fs/cgroup ' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/ways
swapped()
{
	sh -c 'echo $$ >/sys/fs/cgroup/ways/cgroup.procs && exec /payload/reach swapped "$@"' sh \
		/mnt/w/file $FROM $LENGTH /sys/fs/cgroup/ways/memory.reclaim
}
way "swap-out" nbs $WRITE swapped
way "swap-in" nbs $READ swapped
way "direct write from swapped memory" nbw $WRITE swapped
is "ways: direct write from swapped memory: is B_PHYS" "$(grep ' start: ' $TRACING/trace |
	sed -n 's/.* b_flags=0x\([0-9a-f]*\) .*dev_statname=nbw .*fi_name=file .*/\1/p' | sort -u)" 120
is "ways: swap: is B_PAGEIO" "$(grep ' start: ' $TRACING/trace | grep 'dev_statname=nbs' |
	sed -n 's/.* b_flags=0x[0-9a-f]*\([0-9a-f]\)[0-9a-f] .*/\1/p' | sort -u | paste -sd' ')" "1 5"
swapoff /dev/nbs
rmdir /sys/fs/cgroup/ways
remove_null_blk_disk nbs

# Write-back after the file's inode was evicted or its mount removed.
dirty_and_unmount()
{
	dirty /mnt/w/file && umount /mnt/w
}
way "write-back at umount" nbw $WRITE dirty_and_unmount
mount /dev/nbw /mnt/w
sleep 0.3

dirty_and_drop()
{
	dirty /mnt/w/file
	echo 2 >/proc/sys/vm/drop_caches
	sync
}
way "write-back after drop_caches" nbw $WRITE dirty_and_drop

# The initial namespace unmounts it first; the last mount is in another namespace.
in_own_namespace()
{
	unshare -m --propagation private sh -ec 'umount() { echo >/tmp/ready; while [ -e /tmp/ready ]; do sleep 0.1; done; }
		umount; dd if=/dev/zero of=/mnt/w/file bs=64k seek=1 count=1 conv=notrunc' &
	while [ ! -e /tmp/ready ]; do sleep 0.1; done
	umount /mnt/w
	sleep 0.3
	rm /tmp/ready
	wait $!
}
way "write-back at a namespace's end" nbw $WRITE in_own_namespace
mount /dev/nbw /mnt/w
sleep 0.3

# overlayfs.
new_file /mnt/w/low/low
mount -t overlay overlay -o lowerdir=/mnt/w/low,upperdir=/mnt/w/up,workdir=/mnt/w/work /mnt/o
new_file /mnt/o/up
sleep 0.3
for layer in upper lower; do
	file=/mnt/o/${layer%per}
	[ $layer = upper ] || file=/mnt/o/low
	way "overlay, $layer: buffered read" nbw $READ buffered_read $file
	way "overlay, $layer: direct read" nbw $READ direct_read $file
done
way "overlay, upper: buffered write" nbw $WRITE buffered_write /mnt/o/up
way "overlay, upper: direct write" nbw $WRITE direct_write /mnt/o/up
way "overlay, upper: mmap: fault" nbw $READ /payload/reach map-read /mnt/o/up $FROM $LENGTH

# Other root directories: a chroot on the disk, and a container whose root is the host's overlay. Their
# programs are not on this disk.
mkdir -p /mnt/w/jail/bin
: >/mnt/w/jail/bin/busybox
mount --bind "$(command -v busybox)" /mnt/w/jail/bin/busybox
: >/mnt/o/busybox
mount --bind "$(command -v busybox)" /mnt/o/busybox
new_file /mnt/w/jail/file
in_jail() { chroot /mnt/w/jail /bin/busybox dd if=/file of=/dev/null bs=64k skip=1 count=1 "$@"; }
mkdir -p /mnt/w/jail/dev && : >/mnt/w/jail/dev/null
way "chroot: buffered read" nbw $READ in_jail
way "chroot: direct read" nbw $READ in_jail iflag=direct
mkdir -p /mnt/o/dev /mnt/o/old && : >/mnt/o/dev/null
in_container()
{
	unshare -m --propagation private sh -ec 'mount --rbind /mnt/o /mnt/o; cd /mnt/o; pivot_root . old
		exec /busybox chroot . /busybox dd if=/up of=/dev/null bs=64k skip=1 count=1 '"$*"
}
way "container: buffered read" nbw $READ in_container
way "container: direct read" nbw $READ in_container iflag=direct
umount /mnt/o/busybox /mnt/w/jail/bin/busybox /mnt/o

# Bind mounts, deleted files, and lazily unmounted file systems.
mkdir /mnt/w/part
new_file /mnt/w/part/file
mount --bind /mnt/w/part /mnt/b
sleep 0.3
way "bind mount: buffered read" nbw $READ buffered_read /mnt/b/file
way "bind mount: direct read" nbw $READ direct_read /mnt/b/file
umount /mnt/b
exec 9<>/mnt/w/part/file
rm /mnt/w/part/file
way "deleted: buffered write" nbw $WRITE buffered_write /proc/self/fd/9
way "deleted: direct read" nbw $READ direct_read /proc/self/fd/9
exec 9>&-
exec 9<>/mnt/w/file
umount -l /mnt/w
sleep 0.3
way "lazily unmounted: buffered write" nbw $WRITE buffered_write /proc/self/fd/9
way "lazily unmounted: direct read" nbw $READ direct_read /proc/self/fd/9
exec 9>&-
sleep 0.3

# A file system that only another namespace has mounted, not the one mounted at this path before.
elsewhere()
{
	unshare -m --propagation private sh -ec 'mount /dev/nbw /mnt/b; dd if=/dev/zero of=/mnt/b/file bs=64k seek=1 count=1 conv=notrunc
		sync; umount /mnt/b'
}
way "mounted in another namespace only" nbw $WRITE elsewhere
mount /dev/nbw /mnt/w
sleep 0.3

# A loop device.
modprobe loop
truncate -s 16M /mnt/w/image
dd if=/dev/urandom of=/mnt/w/image bs=64k count=4 conv=fsync,notrunc status=none
for mode in off on; do
	loop=$(losetup --show -f --direct-io=$mode /mnt/w/image)
	echo 2 >"/sys/block/${loop#/dev/}/queue/nomerges"
	name="loop on a file, $([ $mode = on ] && echo direct || echo buffered)"
	is "ways: $name: on" "$(cat "/sys/block/${loop#/dev/}/loop/dio")" $([ $mode = on ] && echo 1 || echo 0)
	way "$name" "${loop#/dev/}" $READ direct_read "$loop"
	way "$name, below" nbw $READ direct_read "$loop"
	losetup -d "$loop"
done
umount /mnt/w

# Stacked disks: an I/O of a file is split.
make_disk nbx 128
make_disk nby 128
# over NAME DISK: makes a file system on the disk and checks it.
over()
{
	local name=$1 disk=$2 below
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$disk"
	mount "/dev/$disk" /mnt/d
	new_file /mnt/d/file
	sleep 0.3
	for op in READ WRITE; do
		way "$name: direct ${op,,}" "$disk" ${!op} "direct_${op,,}" /mnt/d/file
		both "$name, below: direct ${op,,}" ${!op} "direct_${op,,}" /mnt/d/file
	done
	both "$name, below: buffered read" $READ buffered_read /mnt/d/file
	both "$name, below: buffered write" $WRITE buffered_write /mnt/d/file
	umount /mnt/d
}
# both NAME OP COMMAND...: way for two disks together.
both()
{
	local files
	# shellcheck disable=SC2317 # called by way
	eval "$(declare -f files | sed '1s/files/files_of/')"
	files()
	{
		files_of "$1" nbx "$3"
		files_of "$1" nby "$3"
	}
	way "$1" nbx "${@:2}"
	eval "$(declare -f files_of | sed '1s/files_of/files/')"
}
modprobe dm-mod
dmsetup create ways --table "0 262144 striped 2 16 /dev/nbx 0 /dev/nby 0" && dmsetup mknodes ways
over "dm-stripe" "$(dm_disk ways)"
dmsetup remove ways
dmsetup create ways --table "$(printf '0 131000 linear /dev/nbx 0\n131000 100000 linear /dev/nby 8')" && dmsetup mknodes ways
seam=$(dm_disk ways)
echo 2 >"/sys/block/$seam/queue/nomerges"
# A read across the border of the two targets.
straddle()
{
	dd if="/dev/$seam" of=/dev/null bs=64k skip=1023 count=1 iflag=direct
}
FROM=$((1023 * 65536))
both "dm, two targets, below: direct read" $READ straddle
FROM=65536
dmsetup remove ways
modprobe raid0
mdadm --build /dev/md7 --level=0 --raid-devices=2 --chunk=8 --assume-clean /dev/nbx /dev/nby >/tmp/out 2>&1 ||
	fail "ways: raid0" "$(tail -n 1 /tmp/out)"
over "raid0" md7
mdadm --quiet --stop /dev/md7

watch 0
echo 0 >$TRACING/options/fields
remove_null_blk_disk nbw
remove_null_blk_disk nbx
remove_null_blk_disk nby

# The document has no other lines.
is "ways: the document has no other lines" "$(sed 's/   *.*//' /tmp/documented | sort)" \
	"$(printf '%s\n' "${measured[@]}" | sort)"
