# SPDX-License-Identifier: GPL-2.0
# What uid 65534 may do, from namespaces of its own in which /proc is not what it should
# be: see nobody.c. Sourced.

nobody()
{
	local disk lap
	while going; do
		turn
		one_of disk /dev/nb0 /dev/nb1
		between lap 20 400
		# Event numbers of its own each time: the module comes and goes. Ended from outside,
		# or by itself: a call that never returned would then be seen.
		cat $IO/*/id 2>/dev/null | /payload/nobody $RANDOM$RANDOM $GOING $lap $disk 2>&1 &
		if chance 40; then
			nap 20 300
			kill -KILL $! 2>/dev/null
			wait $!
		else
			wait $! || return 1
		fi
	done
}
