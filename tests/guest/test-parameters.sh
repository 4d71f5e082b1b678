# SPDX-License-Identifier: GPL-2.0
# What can be asked for at load, what is refused, and a table that is too small.

rmmod iostat
for size in 0 1 63 4194305 4294967295; do
	dmesg -c >/dev/null
	refuses "inflight=$size: refused" load_module inflight=$size
	is "inflight=$size: one sentence says why" \
		"$(dmesg | sed 's/.*iostat: //' | grep -c "^inflight=$size is not from 64 to 4194304\$")" 1
done
for size in x -1 4294967296 ''; do
	refuses "inflight=$size: refused" load_module "inflight=$size"
done
is "refused: nothing is left" "$(ls -d /dev/iostat /sys/block/*/iostat $TRACING/events/io 2>/dev/null)" ""

succeeds "a size that is no power of two: accepted" load_module inflight=65
dmesg -c >/dev/null
refuses "a copy under another name: refused" insmod /payload/iostaX.ko
is "a copy under another name: the loader says why" \
	"$(dmesg | grep -c 'iostaX: exports duplicate symbol iostat_.* (owned by iostat)')" 1

# 200 I/Os in flight for a table of 128.
make_null_blk_disk nbp size=64 irqmode=2 completion_nsec=20000000 hw_queue_depth=256
wait_idle nbp
begin nbp
fio_quiet --filename=/dev/nbp --direct=1 --rw=randwrite --bs=4k --number_ios=2000 --size=32m \
	--ioengine=libaio --iodepth=200
delta nbp
untracked=$(cat /sys/class/misc/iostat/untracked)
holds "a table too small: some are not followed" "untracked > 0"
unmarked=$(cat /sys/class/misc/iostat/unmarked)
holds "a table too small: some of those complete unknown" "0 < unmarked && unmarked <= untracked"
holds "a table too small: the others are" "d_operations_write > 1000"
is "a table too small: none is both" $((d_operations_write + untracked)) "$dk_writes"
balanced "a table too small" nbp
is "a table too small: nothing is left in it" "$(cat /sys/class/misc/iostat/tracked)" 0
remove_null_blk_disk nbp
rmmod iostat
succeeds "and loaded again as ever" load_module
