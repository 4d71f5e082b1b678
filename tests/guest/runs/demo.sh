# SPDX-License-Identifier: GPL-2.0
# Shown by `make run`.

say()
{
	printf '\n\033[1m== %s\033[0m\n' "$*"
}

fail()
{
	echo "error: $*"
	exit 1
}

PATH=/payload:$PATH
dmesg -n 3
say "load"
load_module || fail "the module does not load: $(dmesg | grep iostat | tail -n 1)"
dmesg | grep 'iostat: recording'
make_null_blk_disk nullb0 irqmode=2 completion_nsec=100000 submit_queues=2 || fail "no null_blk"
# Debian's kernels for arm64 have no scsi_debug.
flushed=scsi_debug sd=nvme0n1
if [ "$(uname -m)" = aarch64 ]; then
	flushed=NVMe
	[ -b /dev/nvme0n1 ] || fail "no NVMe disk"
else
	modprobe sd_mod; modprobe scsi_debug dev_size_mb=64 delay=0 lbpu=1 || fail "no scsi_debug"
	sd=$(scsi_debug_disk) || fail "no disk of scsi_debug"
fi
modprobe brd rd_nr=1 rd_size=65536 || fail "no brd"
dm_linear demo /dev/nullb0 524288 || fail "no dm-linear"

say "real I/O: fio on null_blk, ext4 with fsync on virtio-blk, flushes and discards on $flushed, dm-linear, brd"
fio_quiet --filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --ioengine=io_uring \
	--iodepth=16 --number_ios=8000 --size=256m || fail "fio on null_blk"
mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt || fail "ext4"
fio_quiet --filename=/mnt/file --rw=randwrite --bs=4k --fsync=1 --number_ios=300 --size=16m ||
	fail "fio on ext4"
umount /mnt
fio_quiet --filename="/dev/$sd" --rw=write --bs=64k --size=32m --end_fsync=1 || fail "fio on scsi_debug"
blkdiscard -o 0 -l 16M "/dev/$sd" || fail "discard"
fio_quiet --filename=/dev/mapper/demo --direct=1 --rw=randrw --bs=8k --number_ios=2000 \
	--size=128m --ioengine=libaio --iodepth=8 || fail "fio on dm-linear"
fio_quiet --filename=/dev/ram0 --direct=1 --rw=write --bs=4k --size=16m || fail "fio on brd"

say "ioscope: all devices, since the module was loaded"
ioscope || fail "ioscope"

say "ioscope lat: how long I/O took, from start to end"
ioscope lat -P total -c read,write || fail "ioscope lat"

say "/sys/block/$sd/iostat"
(cd "/sys/block/$sd/iostat" && for file in devstat/* kstat/*; do
	printf '%-28s %s\n' "$file" "$(cat "$file")"
done) | awk '{ left[NR] = $0 } END {
	half = int((NR + 1) / 2)
	for (i = 1; i <= half; i++) printf "%-44s %s\n", left[i], left[i + half]
}'

say "ioscope files: bytes and times by file, while fio writes back 64 files of 4 to 256 KiB on ext4"
mount /dev/vda /mnt || fail "mount"
ioscope files -n 5 >/tmp/files 2>/tmp/files.err &
files=$!
until grep -qs 1 $TRACING/instances/ioscope-*/events/io/done/enable; do
	kill -0 $files 2>/dev/null || fail "ioscope files: $(cat /tmp/files.err)"
	sleep 0.1
done
fio_quiet --directory=/mnt --nrfiles=64 --filesize=4k-256k --rw=write --bs=4k --end_fsync=1 || fail "fio on files"
kill -INT $files
wait $files
cat /tmp/files
umount /mnt

say "ioscope cgroups: which cgroup does how much I/O, while a backup reads what a database writes"
slice=/sys/fs/cgroup/system.slice
grep -q ' /sys/fs/cgroup ' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup || fail "no cgroup2"
echo +io >/sys/fs/cgroup/cgroup.subtree_control && mkdir -p $slice && echo +io >$slice/cgroup.subtree_control &&
	mkdir $slice/backup.service $slice/db.service || fail "no cgroups"
ioscope cgroups --on || fail "ioscope cgroups --on"
(
	echo $BASHPID >$slice/backup.service/cgroup.procs
	fio_quiet --filename=/dev/nullb0 --direct=1 --rw=read --bs=128k --number_ios=2000 --size=256m \
		--ioengine=libaio --iodepth=4
) &
backup=$!
(
	echo $BASHPID >$slice/db.service/cgroup.procs
	fio_quiet --filename=/dev/nullb0 --direct=1 --rw=randrw --rwmixread=20 --bsrange=4k-16k --number_ios=2000 \
		--size=256m
) || fail "fio in a cgroup"
wait $backup || fail "fio in a cgroup"
ioscope cgroups nullb0 || fail "ioscope cgroups"
rmdir $slice/backup.service $slice/db.service

say "ioscope sizes: how large the writes were"
ioscope sizes -c write nullb0 || fail "ioscope sizes"

say "trace events of the io provider"
echo 1 >$TRACING/events/io/enable
dd if=/dev/mapper/demo of=/dev/null bs=8k count=1 iflag=direct status=none
echo 0 >$TRACING/events/io/enable
grep -v '^#' $TRACING/trace | sed 's/^ *//' | cut -c1-280

say "unload"
rmmod iostat || fail "the module does not unload"
[ ! -e /dev/iostat ] && [ ! -e "/sys/block/$sd/iostat" ] || fail "files are left behind"
echo "unloaded, no files left behind"
