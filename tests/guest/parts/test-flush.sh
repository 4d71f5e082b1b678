# SPDX-License-Identifier: GPL-2.0
# Flushes and discards: ext4 with fsync on virtio-blk, scsi_debug.

succeeds "ext4: mkfs" mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 /dev/vda
# Before the mount, from which on a thread of ext4 reads block bitmaps.
: >$TRACING/trace
echo 1 >$TRACING/events/block/block_io_start/enable
begin vda
succeeds "ext4: mount" mount /dev/vda /mnt
succeeds "ext4: fio with fsync" fio_quiet --filename=/mnt/file --rw=randwrite --bs=4k --fsync=1 \
	--number_ios=100 --size=8m
sync
umount /mnt
delta vda
echo 0 >$TRACING/events/block/block_io_start/enable
is "virtio-blk: a start for each traced request" "$d_start_count" \
	"$(grep -c " block_io_start: $(tr : , </sys/block/vda/dev) " $TRACING/trace)"
like_kernel "virtio-blk"
holds "virtio-blk: every fsync is ordered" "d_tag_ordered >= 100"
is "virtio-blk: the kernel counts writes without data" \
	$((d_operations_write + d_operations_none)) "$dk_writes"
balanced "virtio-blk" vda

modprobe sd_mod
succeeds "scsi_debug: module" modprobe scsi_debug dev_size_mb=64 delay=0 lbpu=1
sd=$(scsi_debug_disk) || fail "scsi_debug: no disk"
begin "$sd"
fio_quiet --filename="/dev/$sd" --direct=1 --rw=write --bs=64k --size=16m --fsync=4
succeeds "scsi_debug: discard" blkdiscard -o 0 -l 8M "/dev/$sd"
delta "$sd"
is "scsi_debug: bytes equal fio's" "$d_bytes_write" $((16 << 20))
is "scsi_debug: bytes freed" "$d_bytes_free" $((8 << 20))
like_kernel "scsi_debug"
balanced "scsi_debug" "$sd"

# O_DSYNC on a device with forced unit access: the write is one request, and the flush of the file another.
begin "$sd"
fio_quiet --filename="/dev/$sd" --direct=1 --sync=dsync --rw=write --bs=4k --number_ios=50 --size=1m
delta "$sd"
is "O_DSYNC: one operation each" "$d_operations_write" 50
is "O_DSYNC: one flush each, without data" "$d_operations_none" 50
is "O_DSYNC: all ordered" "$d_tag_ordered" 100
is "O_DSYNC: bytes counted once" "$d_bytes_write" $((50 * 4096))
balanced "O_DSYNC" "$sd"
modprobe -r scsi_debug

# Without forced unit access the write is a flush sequence: a request whose data completes, and which completes again
# after a flush of the flush machinery.
delay_ns=5000000
make_null_blk_disk nbf size=64 memory_backed=1 cache_size=1 fua=0 irqmode=2 completion_nsec=$delay_ns ||
	fail "flush sequence: no disk"
begin nbf
fio_quiet --filename=/dev/nbf --direct=1 --sync=dsync --rw=write --bs=4k --number_ios=20 --size=1m
delta nbf
is "flush sequence: one operation each" "$d_operations_write" 20
is "flush sequence: bytes counted once" "$d_bytes_write" $((20 * 4096))
holds "flush sequence: a write takes the time of its data and of its flush" \
	"d_duration_write_ns >= 20 * 2 * $delay_ns"
holds "flush sequence: its flush is a wait" "d_wlentime >= 20 * $delay_ns"
balanced "flush sequence" nbf
remove_null_blk_disk nbf
nothing_lost "flush"
