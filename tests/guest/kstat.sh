# SPDX-License-Identifier: GPL-2.0
# Asking for kstats, and the module kstat_client. Sourced.

# message WORD...: the reply to it.
message()
{
	open_iostat 7
	echo "$*" >&7 && cat <&7
	exec 7<&-
}

# value MODULE:INSTANCE:NAME:STATISTIC
value()
{
	message @kstat "$1" | cut -f 2
}

# listed MODULE:INSTANCE:NAME COLUMN
listed()
{
	message @kstat_list "$1" | awk -v column="$2" 'NR == 3 { print $column }'
}

chain_id()
{
	message @kstat_list none | awk '/^chain_id/ { print $2 }'
}

# outcome WORD...: 0, or the errno's name, of a message.
outcome()
{
	echo "$*" | /payload/message raw - | cut -d ' ' -f 1
}

lines()
{
	dmesg | grep -c 'iostat: kstat: '
}

# asked LINE: what comes of it.
asked()
{
	echo "$1" >/sys/module/kstat_client/parameters/do || return 1
	cat /sys/module/kstat_client/parameters/result
}
