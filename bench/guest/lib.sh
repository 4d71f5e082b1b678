# SPDX-License-Identifier: GPL-2.0
# Shared by all parts of the bench, in the guest. Sourced.

set -u
TRACING=/sys/kernel/tracing
cpus=$(nproc)

die()
{
	echo "error: $*"
	exit 1
}

# sample FILE FIELD...: one line for the report.
sample()
{
	local file=/tmp/$1
	shift
	echo "$*" >>"$file"
}

# profiled COUNT WHAT...: the last program that was run with marks (bench/marks.h) did COUNT of
# WHAT. For bench/profile.py: that, and where the functions of modules were.
sections=0
profiled()
{
	[ -n "$PROFILE" ] || return 0
	sample sections "$*"
	awk -v section=$sections 'NF == 4 { print section, $1, $3, $4 }' /proc/kallsyms >>/tmp/symbols
	sections=$((sections + 1))
}

# give_profile: once, at the end.
give_profile()
{
	local file
	[ -n "$PROFILE" ] || return 0
	awk 'NF == 3 { print "kernel", $1, $3, "" }' /proc/kallsyms >>/tmp/symbols
	for file in sections symbols; do
		give $file </tmp/$file
	done
}

load_module()
{
	insmod /payload/iostat.ko || return
	# The hooks of timeouts are put in place a tenth of a second later.
	sleep 1
}

# quiet_disk DISK: nothing that turns clock reads on, and no statistics.
quiet_disk()
{
	local queue=/sys/block/$1/queue
	# A bio-based disk has neither.
	{
		echo none >"$queue/scheduler"
		echo 0 >"$queue/wbt_lat_usec"
	} 2>/dev/null
	echo 0 >"$queue/iostats"
}

# null_blk [PARAMETER=VALUE...]: a disk whose driver costs next to nothing.
null_blk()
{
	modprobe null_blk queue_mode=2 bs=512 submit_queues="$cpus" hw_queue_depth=64 "$@" ||
		die "no null_blk"
	local disk
	for disk in /sys/block/nullb*; do
		quiet_disk "${disk##*/}"
	done
}
