# SPDX-License-Identifier: GPL-2.0
# What the kernel log has. A test must not clear it: warnings would be lost. Sourced after tap.sh.

. /payload/trouble.sh
LOG_LINES=0
LOG_BEGINS=$(dmesg | head -n 1)

# no_complaint NAME: the kernel log has no warning since the last call, the first call since the boot. What the kernel printed
# after a warning is printed as comments: only the kernel log has the stacks of its tasks.
no_complaint()
{
	dmesg >/tmp/kernel-log
	# vm-in-root.sh gives the log enough memory to keep its first line.
	is "$1: the kernel log is complete" "$(head -n 1 /tmp/kernel-log)" "$LOG_BEGINS"
	is "$1: no warning of the kernel" "$(tail -n +$((LOG_LINES + 1)) /tmp/kernel-log | grep -E "$TROUBLE")" ""
	tail -n +$((LOG_LINES + 1)) /tmp/kernel-log | grep -E -A 40 "$TROUBLE" | head -n 200 | sed 's/^/# /'
	LOG_LINES=$(wc -l </tmp/kernel-log)
}

# log_from_now, log_since: prints what was added to the kernel log since the last log_from_now.
log_from_now()
{
	LOG_FROM=$(dmesg | wc -l)
}

log_since()
{
	dmesg | tail -n +$((LOG_FROM + 1))
}
