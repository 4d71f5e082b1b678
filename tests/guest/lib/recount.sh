# SPDX-License-Identifier: GPL-2.0
# Traces block events twice, before and after the module's probes, and passes both traces with the
# module's statistics of the same I/O to recount.py on the host. Sourced.

BEFORE=$TRACING/instances/before
AFTER=$TRACING/instances/after
RQ_EVENTS="rq_tag_wait io_start rq_issue rq_requeue rq_merge rq_complete"
BIO_EVENTS="bio_queue bio_complete"
# Linux 7.0 does not have it.
[ -d $TRACING/events/block/block_rq_tag_wait ] || RQ_EVENTS=${RQ_EVENTS#rq_tag_wait }

# The second trace records the address of the request or bio, which the kernel's own events, the
# first trace, do not have.
trace_addresses()
{
	local rq="io=rq:x64 dev=rq->q->disk->part0->bd_dev:u32 sector=rq->__sector:u64"
	local bio="io=bio:x64 dev=bio->bi_bdev->bd_dev:u32 sector=bio->bi_iter.bi_sector:u64" event
	# No request yet: the task is known.
	[[ $RQ_EVENTS != rq_tag_wait* ]] || echo "t:oracle/rq_tag_wait block_rq_tag_wait io=q:x64 dev=q->disk->part0->bd_dev:u32"
	rq="$rq bytes=rq->__data_len:u32 op=rq->cmd_flags:u32"
	for event in io_start rq_issue rq_requeue rq_merge; do
		echo "t:oracle/$event block_$event $rq"
	done
	echo "t:oracle/rq_complete block_rq_complete $rq done=nr_bytes:u32"
	for event in $BIO_EVENTS; do
		echo "t:oracle/$event block_$event $bio bytes=bio->bi_iter.bi_size:u32"
	done
}

# enable INSTANCE SYSTEM-PREFIX 0|1
enable()
{
	local event
	for event in $RQ_EVENTS $BIO_EVENTS; do
		echo "$3" >"$1/events/$2$event/enable" || fail "recount: no event $2$event"
	done
}

# Loads the module after the first trace has registered its probes and before the second does. The
# first trace stays registered all the time.
oracle_start()
{
	local instance line
	[ ! -d /sys/module/iostat ] || unload_module
	mkdir "$BEFORE" "$AFTER"
	for instance in "$BEFORE" "$AFTER"; do
		echo 0 >"$instance/tracing_on"
		echo mono_raw >"$instance/trace_clock"
		echo 8192 >"$instance/buffer_size_kb"
	done
	trace_addresses | while read -r line; do
		echo "$line" >>$TRACING/dynamic_events || fail "recount: $line"
	done
	enable "$BEFORE" block/block_ 1
	load_module || fail "recount: the module does not load"
}

oracle_stop()
{
	enable "$BEFORE" block/block_ 0
	echo >$TRACING/dynamic_events
	rmdir "$BEFORE" "$AFTER"
}

# account_stat NUMBER DISK: prints the line of statistics and the marks in the trace between which
# it was read ("idle" if the disk has no I/O).
account_stat()
{
	local stat kind=bio dev columns kernel dir=/sys/block/$2
	[ "$1" = idle ] || echo "$1 from" >"$AFTER/trace_marker"
	read -r stat <"$dir/iostat/stat" || return 1
	[ "$1" = idle ] || echo "$1 to" >"$AFTER/trace_marker"
	[ ! -d "$dir/mq" ] || kind=rq
	read -r dev <"$dir/dev" && read -r columns <"$dir/iostat/stat_columns" &&
		read -ra kernel <"$dir/stat" || return 1
	echo "$2 disk $kind $dev $1
$2 field10 ${kernel[9]}
$2 columns $columns
$2 stat $stat"
}

account_histograms()
{
	local file values
	# The directory comes with the first I/O.
	for file in "/sys/block/$1/iostat/latency"/*_*; do
		[ -e "$file" ] || continue
		read -r values <"$file"
		echo "$1 ${file##*/} $values"
	done
}

# account DISK...: prints the statistics of idle disks.
account()
{
	local disk
	for disk; do
		wait_idle "$disk"
		account_stat idle "$disk"
		account_histograms "$disk"
	done
}

# pages INSTANCE DIR: copies the raw pages of the trace buffer.
pages()
{
	local cpu
	mkdir "$2"
	for cpu in "$1"/per_cpu/cpu*; do
		grep -hE 'overrun|dropped' "$cpu/stats" >>/tmp/oracle/lost
		# Ends with an error: with nonblock, reading past the last page fails.
		dd if="$cpu/trace_pipe_raw" of="$2/${cpu##*/}" bs=4096 iflag=nonblock 2>/dev/null
	done
}

# recount NAME "DISK..." COMMAND...: COMMAND may write statistics to /tmp/oracle/last, and to
# /tmp/oracle/claims the claims that the host compares with the recount:
#	field10-wrong PERCENT	field 10 of /proc/diskstats is wrong by at least this much
#	within PERCENT COLUMN...	these columns are this exact, even where the two traces leave more open
recount()
{
	local name=$1 disks=$2
	shift 2
	rm -rf /tmp/oracle
	mkdir /tmp/oracle
	account $disks >/tmp/oracle/first
	: >"$BEFORE/trace"
	: >"$AFTER/trace"
	# Not earlier: the probes of bios are registered with the first disk that takes bios.
	enable "$AFTER" oracle/ 1
	echo 1 >"$AFTER/tracing_on"
	echo 1 >"$BEFORE/tracing_on"
	"$@" || fail "recount $name: $*"
	[ -e /tmp/oracle/last ] || account $disks >/tmp/oracle/last
	echo 0 >"$BEFORE/tracing_on"
	echo 0 >"$AFTER/tracing_on"
	cat "$BEFORE"/events/block/block_*/format "$AFTER"/events/oracle/*/format \
		"$AFTER/events/ftrace/print/format" >/tmp/oracle/formats
	cat /sys/class/misc/iostat/latency_bounds_ns >/tmp/oracle/bounds
	enable "$AFTER" oracle/ 0
	pages "$BEFORE" /tmp/oracle/before
	pages "$AFTER" /tmp/oracle/after
	tar -C /tmp/oracle -cf - . | give "recount-$name"
	pass "recount $name: traced" # counted by the host
}
