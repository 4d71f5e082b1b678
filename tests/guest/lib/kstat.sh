# SPDX-License-Identifier: GPL-2.0
# Reads of kstats through /dev/iostat, and requests to the module kstat_client. Sourced.

# message WORD...: prints the reply to a message.
message()
{
	open_iostat 7
	echo "$*" >&7 && cat <&7
	exec 7<&-
}

# value MODULE:INSTANCE:NAME:STATISTIC: prints its value.
value()
{
	message @kstat "$1" | cut -f 2
}

# listed MODULE:INSTANCE:NAME COLUMN: prints a column of its line in the list.
listed()
{
	message @kstat_list "$1" | awk -v column="$2" 'NR == 3 { print $column }'
}

chain_id()
{
	message @kstat_list none | awk '/^chain_id/ { print $2 }'
}

# outcome WORD...: sends a message and prints 0 or the name of the errno.
outcome()
{
	echo "$*" | /payload/message raw - | cut -d ' ' -f 1
}

lines()
{
	dmesg | grep -c 'iostat: kstat: '
}

# asked LINE: passes a request to kstat_client and prints the result.
asked()
{
	echo "$1" >/sys/module/kstat_client/parameters/do || return 1
	cat /sys/module/kstat_client/parameters/result
}
