# SPDX-License-Identifier: GPL-2.0
# Reads every file in loops, two processes at a time, while its disk or module is removed. Sourced.

readers()
{
	local what
	while going; do
		turn
		one_of what all all text pieces held flights
		case $what in
		all)
			# The last directory is a partition's.
			cat /sys/block/*/iostat/* /sys/block/*/iostat/*/* /sys/class/misc/iostat/* \
				/sys/block/*/*p1/iostat/* /sys/block/*/*p1/iostat/*/*
			;;
		text) cat /dev/iostat /dev/iostat /dev/iostat ;;
		pieces) dd if=/dev/iostat of=/dev/null bs=13 ;;
		held)
			# Held open while disks and the module are removed.
			exec 7</dev/iostat || continue
			nap 0 50
			cat <&7
			exec 7<&-
			;;
		flights)
			[ -c /dev/iostat ] && exec 7<>/dev/iostat || continue
			echo @inflight >&7 && cat <&7
			echo @slow >&7 && cat <&7
			exec 7<&-
			;;
		esac
	done >/dev/null 2>&1
	true
}
