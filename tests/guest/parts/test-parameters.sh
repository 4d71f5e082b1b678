# SPDX-License-Identifier: GPL-2.0
# Module parameters: valid and invalid values.

usual=$(cat /sys/class/misc/iostat/inflight_max)
unload_module
for size in 1 63 4194305 4294967295; do
	log_from_now
	refuses "inflight=$size: refused" load_module inflight=$size
	is "inflight=$size: the kernel log has the reason" \
		"$(log_since | sed 's/.*iostat: //' | grep -c "^inflight=$size is not from 64 to 4194304\$")" 1
done
log_from_now
refuses "frequent_events=2: refused" load_module frequent_events=2
is "frequent_events=2: the kernel log has the reason" \
	"$(log_since | sed 's/.*iostat: //' | grep -c "^frequent_events=2 is not 0 or 1\$")" 1
for size in x -1 4294967296 ''; do
	refuses "inflight=$size: refused" load_module "inflight=$size"
done
is "refused: no interfaces are left" "$(ls -d /dev/iostat /sys/block/*/iostat $TRACING/events/io 2>/dev/null)" ""

# The table has a power of two of entries, a quarter of which is kept free.
for sizes in 0:$usual 64:96 65:96 97:192 49152:49152; do
	succeeds "inflight=${sizes%:*}: accepted" load_module "inflight=${sizes%:*}"
	is "inflight=${sizes%:*}: capacity" "$(cat /sys/class/misc/iostat/inflight_max)" "${sizes#*:}"
	unload_module
done
load_module
log_from_now
refuses "a copy under another name: refused" insmod /payload/iostaX.ko
is "a copy under another name: the kernel log has the reason" \
	"$(log_since | grep -c 'iostaX: exports duplicate symbol iostat_.* (owned by iostat)')" 1

unload_module
succeeds "loaded with the defaults" load_module
