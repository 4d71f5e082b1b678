# SPDX-License-Identifier: GPL-2.0
# io:start and io:done.

make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=1000000 submit_queues=2
echo 60000 >$TRACING/buffer_size_kb
echo mono >$TRACING/trace_clock

# The module's own events.
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
begin nbe
fio_quiet --filename=/dev/nbe --direct=1 --rw=randrw --bsrange=4k-16k --ioengine=libaio --iodepth=16 \
	--number_ios=1000 --size=128m
delta nbe
echo 0 >$TRACING/events/io/enable
grep -h overrun $TRACING/per_cpu/cpu*/stats | grep -qv ': 0$' && fail "events: some were lost"
awk '
	{ id = bcount = wait = service = ""
	  for (i = 5; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] } }
	v["dev"] != "nbe" { next }
	/ start: / { starts++; open[v["id"]]++; bytes[v["id"]] = v["bcount"] }
	/ done: / { dones++; if (open[v["id"]]-- != 1 || bytes[v["id"]] != v["bcount"]) bad++
		wait_ns += v["wait_ns"]; service_ns += v["service_ns"]
		if (v["flags"] !~ /B_DONE/ || v["error"] != 0 || v["resid"] != 0) bad++ }
	END { print starts + 0, dones + 0, bad + 0, wait_ns + 0, service_ns + 0 }
' OFMT='%.0f' CONVFMT='%.0f' $TRACING/trace >/tmp/events
read -r starts dones bad wait_ns service_ns </tmp/events
is "events: a start for each I/O" "$starts" 1000
is "events: a done for each I/O" "$dones" 1000
is "events: every done has its start, with the same size" "$bad" 0
is "events: waits add up to the wait queue's sum" "$wait_ns" "$d_wlentime"
is "events: services add up to the run queue's sum" "$service_ns" "$d_rlentime"

# An error shows in done.
modprobe dm-mod
dmsetup create broken --table "0 2048 error" && dmsetup mknodes broken
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
dd if=/dev/mapper/broken of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null
echo 0 >$TRACING/events/io/enable
is "events: an error is told" "$(grep ' done: ' $TRACING/trace | grep -c 'B_ERROR.* resid=4096 error=5 ')" 1
dmsetup remove broken
remove_null_blk_disk nbe
