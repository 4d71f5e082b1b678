# SPDX-License-Identifier: GPL-2.0
# Odd system calls on every file, by root and by nobody: see abuse.c. Sourced.

abuse()
{
	local seed
	while going; do
		turn
		seed=$RANDOM$RANDOM
		: >/run/abuse-"$1"
		# A list of its own each time: files come and go. Those of the events
		# that are meant to be written to are left out.
		find /dev/iostat /sys/class/misc/iostat/ /sys/block/*/iostat /sys/kernel/tracing/events/io/*/format \
			-type f -o -type c 2>/dev/null | grep -v '/power/\|/uevent$' |
			/payload/abuse "$seed" "/run/abuse-$1" "$1" &
		nap 100 400
		rm -f "/run/abuse-$1"
		wait $!
		# 2: there was nothing to open.
		case $? in
		0 | 2) ;;
		*) return 1 ;;
		esac
	done
}
