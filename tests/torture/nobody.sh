# SPDX-License-Identifier: GPL-2.0
# What uid 65534 may do, from namespaces of its own in which /proc is replaced: see nobody.c. Sourced.

nobody()
{
	local disk lap
	while going; do
		turn
		one_of disk /dev/nb0 /dev/nb1
		between lap 20 400
		# New event ids each time, as the module is loaded and unloaded. Ended by a signal or by itself: a call
		# that never returns is noticed.
		cat $IO/*/id 2>/dev/null | /payload/nobody $RANDOM$RANDOM $GOING $lap $disk 2>&1 &
		if chance 40; then
			nap 20 300
			kill -KILL $! 2>/dev/null
			# Its status is not that of this actor.
			wait $! || true
		else
			wait $! || return 1
		fi
	done
}
