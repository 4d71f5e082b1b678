# SPDX-License-Identifier: GPL-2.0
# Invalid system calls on every file, by root and by the user nobody: see abuse.c. Sourced.

abuse()
{
	local seed
	while going; do
		turn
		seed=$RANDOM$RANDOM
		: >/run/abuse-"$1"
		# A new list each time, as files are added and removed. Files of the events that are meant to be
		# written to are left out.
		find /dev/iostat /sys/class/misc/iostat/ /sys/block/*/iostat /sys/kernel/tracing/events/io/*/format \
			-type f -o -type c 2>/dev/null | grep -v '/power/\|/uevent$' |
			/payload/abuse "$seed" "/run/abuse-$1" "$1" &
		nap 100 400
		rm -f "/run/abuse-$1"
		wait $!
		# Status 2: no file could be opened.
		case $? in
		0 | 2) ;;
		*) return 1 ;;
		esac
	done
}
