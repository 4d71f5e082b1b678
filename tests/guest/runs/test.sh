# SPDX-License-Identifier: GPL-2.0
# Runs PARTS: tests of exact numbers, on the stock kernel. Each part also runs alone, in a guest of
# its own (PARTS="requeue"): it creates the disks and loads the modules it needs. Prints the time of each.

. /payload/tap.sh
. /payload/balance.sh
. /payload/kernel-log.sh
dmesg -n 3

for PART in $PARTS; do
	echo "# $PART"
	PART_BEGINS=$SECONDS
	[ "$PART" = load ] || [ -d /sys/module/iostat ] || load_module
	. "/payload/test-$PART.sh"
	no_complaint "$PART"
	echo "# $PART: $((SECONDS - PART_BEGINS)) s"
done
finish
