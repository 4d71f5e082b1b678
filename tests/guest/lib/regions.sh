# SPDX-License-Identifier: GPL-2.0
# Messages to /dev/iostat and their replies. Sourced by the tests of regions.

control=/sys/class/misc/iostat

# say DISK WORD...: sends a message and sets reply. False if it failed; the error text is in /tmp/say.
say()
{
	local status=0
	open_iostat 9
	printf '%s\n' "$*" >&9 2>/tmp/say || status=1
	reply=$(cat <&9)
	exec 9<&-
	return $status
}

# sends NAME DISK WORD...: sends a message that must succeed.
sends()
{
	local name=$1
	shift
	if say "$@"; then pass "$name"; else fail "$name" "$reply"; fi
}

allocated()
{
	cat $control/stats_current_allocated_bytes
}

# columns_of LINE PREFIX: assigns the 13 numbers of a line of @stats_print to the columns' names.
columns_of()
{
	local name words
	read -ra words <<<"$1"
	words=("${words[@]:1}")
	# The last line of a region with classes has one more word.
	[[ $1 != total* ]] || words=("${words[@]:1}")
	for name in reads rmerges rsectors rticks writes wmerges wsectors wticks in_flight io_ticks \
		time_in_queue io_ticks_read io_ticks_write; do
		printf -v "$2$name" %s "${words[0]}"
		words=("${words[@]:1}")
	done
}

# total_of PREFIX: adds up each column over all lines of reply.
total_of()
{
	columns_of "$(awk '$1 != "total" { for (i = 2; i <= 14; i++) sum[i] += $i }
		END { printf "all"; for (i = 2; i <= 14; i++) printf " %.0f", sum[i] }' <<<"$reply")" "$1"
}
