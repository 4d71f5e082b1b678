# SPDX-License-Identifier: GPL-2.0
# The events are enabled, disabled, filtered, triggered, and read by perf and bpftrace, which are killed
# meanwhile. Sourced.

IO=$TRACING/events/io

# listen COMMAND...: starts COMMAND and ends it after a while, by SIGKILL or another signal.
listen()
{
	local signal pid
	one_of signal INT TERM KILL KILL
	act "$* and $signal"
	"$@" >/dev/null 2>&1 &
	pid=$!
	nap 200 500
	kill -"$signal" $pid 2>/dev/null
	nap 5 20
	kill -KILL $pid 2>/dev/null
	wait $pid
}

trace_perf()
{
	command -v perf >/dev/null || return 0
	listen perf record -q -a -o /tmp/perf.data -e io:start -e io:done --filter 'b_bcount > 4096' \
		-e io:wait_start -e io:wait_done
}

trace_bpftrace()
{
	command -v bpftrace >/dev/null || return 0
	listen bpftrace -e 'tracepoint:io:start { @start[args->id] = nsecs; }
		tracepoint:io:done { @us = hist(args->service_ns / 1000); delete(@start[args->id]); }
		tracepoint:io:wait_start { @waits[args.wait_in] = count(); }
		tracepoint:io:wait_done { @wait_us = hist(args.wait_ns / 1000); }'
}

trace_toggle()
{
	local event turn value
	for turn in 1 2 3 4 5 6 7 8; do
		one_of event start merge done wait_start wait_done
		one_of value 0 1
		echo $value >"$IO/$event/enable"
		nap 0 20
	done
	echo 0 >$IO/enable
}

# Left enabled: the module may be unloaded meanwhile, and readers may start.
trace_leave()
{
	local event
	for event in start merge done wait_start wait_done; do
		! chance 60 || echo 1 >"$IO/$event/enable"
	done
	nap 10 150
}

trace_filter()
{
	echo 1 >$IO/enable
	echo 'b_bcount > 4096 && dev_statname ~ "n*"' >$IO/start/filter
	nap 10 100
	echo 0 >$IO/start/filter
	echo 0 >$IO/enable
}

# Not while modules are unloaded: the kernel (7.3's null_blk as well) warns about an event that has a
# trigger then, as the event stays registered for it.
trace_trigger()
{
	echo 1 >$IO/enable
	echo 'stacktrace if b_error != 0' >$IO/done/trigger
	echo 'hist:keys=dev_statname:vals=service_ns' >$IO/done/trigger
	nap 10 100
	cat $IO/done/hist >/dev/null
	echo '!hist:keys=dev_statname:vals=service_ns' >$IO/done/trigger
	echo '!stacktrace' >$IO/done/trigger
	echo 0 >$IO/enable
}

# Readers of the buffer print events of modules that may be unloaded.
trace_read()
{
	echo 1 >$IO/enable
	nap 10 50
	head -c 200000 $TRACING/trace_pipe >/dev/null &
	nap 10 100
	cat $TRACING/trace >/dev/null
	kill $! 2>/dev/null
	wait $!
	echo 0 >$IO/enable
}

tracers()
{
	local how hows=(toggle toggle leave filter read perf bpftrace)
	[[ " ${cast[*]} " == *" load "* ]] || hows+=(trigger)
	while going; do
		turn
		one_of how "${hows[@]}"
		act "$how"
		"trace_$how"
		nap 0 30
	done 2>&1
	echo 0 >$TRACING/events/enable
	: >$TRACING/trace
}
