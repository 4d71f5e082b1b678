# SPDX-License-Identifier: GPL-2.0
# What can be asked for at load, and what is refused.

usual=$(cat /sys/class/misc/iostat/inflight)
rmmod iostat
for size in 1 63 4194305 4294967295; do
	dmesg -c >/dev/null
	refuses "inflight=$size: refused" load_module inflight=$size
	is "inflight=$size: one sentence says why" \
		"$(dmesg | sed 's/.*iostat: //' | grep -c "^inflight=$size is not from 64 to 4194304\$")" 1
done
for size in x -1 4294967296 ''; do
	refuses "inflight=$size: refused" load_module "inflight=$size"
done
is "refused: nothing is left" "$(ls -d /dev/iostat /sys/block/*/iostat $TRACING/events/io 2>/dev/null)" ""

# A power of two of entries, a quarter of which is kept free.
for sizes in 0:$usual 64:96 65:96 97:192 49152:49152; do
	succeeds "inflight=${sizes%:*}: accepted" load_module "inflight=${sizes%:*}"
	is "inflight=${sizes%:*}: room for so many" "$(cat /sys/class/misc/iostat/inflight)" "${sizes#*:}"
	rmmod iostat
done
load_module
dmesg -c >/dev/null
refuses "a copy under another name: refused" insmod /payload/iostaX.ko
is "a copy under another name: the loader says why" \
	"$(dmesg | grep -c 'iostaX: exports duplicate symbol iostat_.* (owned by iostat)')" 1

rmmod iostat
succeeds "and loaded again as ever" load_module
