# SPDX-License-Identifier: GPL-2.0
# Other programs report the same block I/O with the module as without it. Each runs beside the same
# load on a disk that nothing else uses, first without the module, then with it. Needs the large image.

. /payload/tap.sh

READS=96 WRITES=24
make_null_blk_disk nbo size=64 irqmode=2 completion_nsec=100000
device=$((0x$(stat -c %t /dev/nbo))),$((0x$(stat -c %T /dev/nbo)))
# The dev field of a block event is major << 20 | minor; perf's filters compare it.
dev=$((${device%,*} << 20 | ${device#*,}))
cat >/tmp/load <<-END
	echo >>/tmp/loads
	dd if=/dev/nbo of=/dev/null bs=4k count=$READS iflag=direct status=none
	dd if=/dev/zero of=/dev/nbo bs=64k count=$WRITES oflag=direct status=none
END

# listens PID: waits until a program of libbpf-tools has attached its probes and waits for events.
listens()
{
	local try
	for try in $(seq 600); do
		case $(cat "/proc/$1/wchan" 2>/dev/null) in
		*nanosleep* | *ep_poll* | *epoll*) return 0 ;;
		esac
		[ -d "/proc/$1" ] || return 1
		sleep 0.1
	done
	return 1
}

# libbpf PROGRAM [ARGUMENT...]: prints the program's output beside the load, until it is interrupted,
# and a line if a signal ended it.
libbpf()
{
	local pid status=0
	"$@" >/tmp/tool.out 2>/tmp/tool.err &
	pid=$!
	if listens $pid; then
		bash /tmp/load
		# Some programs print or poll once a second.
		sleep 3
	else
		echo "does not attach: $(tail -n 1 /tmp/tool.err)"
	fi
	kill -INT $pid 2>/dev/null
	wait $pid || status=$?
	cat /tmp/tool.out
	((status <= 128 || status == 130)) || echo "ended by signal $((status - 128))"
}

# bpftrace_says PROGRAM: prints the output of a bpftrace script beside the load.
bpftrace_says()
{
	bpftrace -c "$(command -v bash) /tmp/load" "/usr/sbin/$1.bt" 2>&1
}

# Filters that make a line of counts (how many I/Os, of what kind) from a program's output.
ended()
{
	grep -E 'ended by signal|does not attach' /tmp/said | tr '\n' ' '
}

# Adds up a histogram's counts. Of libbpf-tools: "4 -> 7 : 20 |***", of bpftrace: "[4, 8) 20 |@@@".
histogram()
{
	awk -F '[:|]' '/->.*:.*\|/ { sum += $2 } END { printf "%d ", sum }' /tmp/said
}

bpftrace_histogram()
{
	awk '/^[[(].*\|/ { sub(/^[^])]*[])]/, ""); sum += $1 } END { printf "%d ", sum }' /tmp/said
}

# says NAME COMMAND...: prints the line of counts of one program.
says()
{
	local name=$1
	shift
	"$@" >/tmp/said
	sed "s/^/# $name: /" /tmp/said >>/tmp/all-said
	ended
	case $name in
	biosnoop-libbpf)
		awk '$4 == "nbo" && $2 == "dd" { n[$5 " " $7]++ } END { printf "R %d W %d", n["RS 4096"], n["WS 65536"] }' /tmp/said
		;;
	biotop-libbpf)
		awk '$2 == "dd" && $6 == "nbo" { n[$3] += $7; kb[$3] += $8 }
			END { printf "R %d of %d kB, W %d of %d kB", n["R"], kb["R"], n["W"], kb["W"] }' /tmp/said
		;;
	biopattern-libbpf)
		# The first I/O of each interval is not included.
		awk '$1 == "nbo" { n += $4 + 1 } END { printf "%d", n }' /tmp/said
		;;
	*-libbpf | *-libbpf-Q) histogram ;;
	biosnoop.bt)
		awk -v major="${device%,*}" -v minor="${device#*,}" '$2 == major && $3 == minor && $4 == "dd"' /tmp/said | wc -l
		;;
	# The other disks have no I/O.
	*.bt) bpftrace_histogram ;;
	*) cat /tmp/said ;;
	esac
}

# Prints how many block events of the disk perf counts.
perf_stat()
{
	perf stat -x, -o /tmp/perf.stat -a -e block:block_io_start --filter "dev == $dev" \
		-e block:block_rq_issue --filter "dev == $dev" -e block:block_io_done --filter "dev == $dev" \
		bash /tmp/load 2>&1
	awk -F, '/block:/ { printf "%s %s ", $3, $1 }' /tmp/perf.stat
}

perf_record()
{
	perf record -q -a -g -e block:block_rq_issue --filter "dev == $dev" -o /tmp/perf.data bash /tmp/load 2>&1
	perf script -i /tmp/perf.data 2>&1 | awk '/ block:block_rq_issue: / { n++ } /submit_bio/ { stacks = 1 }
		END { printf "%d events, %s", n, stacks ? "with stacks" : "without stacks" }'
}

# Samples of the whole system. Their number depends on the machine.
perf_samples()
{
	perf record -q -a -g -F 199 -o /tmp/perf.data bash /tmp/load >/tmp/perf.err 2>&1 ||
		echo "record fails: $(tail -n 1 /tmp/perf.err)"
	perf report -i /tmp/perf.data --stdio --no-children -g none 2>/tmp/perf.err >/tmp/perf.report ||
		echo "report fails: $(tail -n 1 /tmp/perf.err)"
	awk '/\[k\]/ { n++ } END { printf "%s", n ? "symbols of the kernel" : "no symbol of the kernel" }' /tmp/perf.report
}

trace_cmd()
{
	trace-cmd record -q -e block -o /tmp/trace.dat bash /tmp/load >/dev/null 2>&1
	trace-cmd report -q -i /tmp/trace.dat 2>/dev/null |
		awk -v device=" $device " 'index($0, device) && match($0, /block_[a-z_]+/) { n[substr($0, RSTART, RLENGTH)]++ }
			END { for (event in n) print event, n[event] }' | sort | paste -sd' '
}

# blktrace misses events before it has started: a sector is read until its completion is traced.
traced()
{
	blkparse -q -D /tmp -i blktrace -f '%a %d %n\n' 2>/dev/null
}

blktrace_says()
{
	local pid try
	rm -f /tmp/blktrace.*
	blktrace -d /dev/nbo -D /tmp -o blktrace >/dev/null 2>&1 &
	pid=$!
	for try in $(seq 100); do
		dd if=/dev/nbo of=/dev/null bs=512 count=1 iflag=direct status=none
		sleep 0.3
		! traced | grep -qx 'C RS 1' || break
	done
	bash /tmp/load
	kill -INT $pid
	wait $pid
	traced | grep -E '^[QDC] (RS 8|WS 128)$' | sort | uniq -c | tr -s ' \n' ' '
}

# Prints the numbers of traceable events and functions of the block layer.
lists()
{
	bpftrace -l 'tracepoint:block:*' | wc -l
	perf list --raw-dump tracepoint 2>/dev/null | tr ' ' '\n' | grep -c '^block:'
	grep -c '^blk_mq_' $TRACING/available_filter_functions
	awk '$3 ~ /^blk_mq_/' /proc/kallsyms | wc -l
}

PROGRAMS="
	biolatency-libbpf	libbpf biolatency-libbpf -d nbo
	biolatency-libbpf-Q	libbpf biolatency-libbpf -Q -D -F -d nbo
	biosnoop-libbpf		libbpf biosnoop-libbpf -d nbo
	biotop-libbpf		libbpf biotop-libbpf -C 1
	bitesize-libbpf		libbpf bitesize-libbpf -d nbo
	biopattern-libbpf	libbpf biopattern-libbpf -d nbo 1
	biostacks-libbpf	libbpf biostacks-libbpf -d nbo
	biolatency.bt		bpftrace_says biolatency
	biosnoop.bt		bpftrace_says biosnoop
	bitesize.bt		bpftrace_says bitesize
	biostacks.bt		bpftrace_says biostacks
	perf-stat		perf_stat
	perf-record		perf_record
	perf-samples		perf_samples
	trace-cmd		trace_cmd
	blktrace		blktrace_says
	lists			lists
"

# ask PREFIX: sets an entry of said_PREFIX for each program.
declare -A said_without said_with
ask()
{
	local -n said=said_$1
	local name command
	while read -r name command <&3; do
		[ -n "$name" ] || continue
		said[$name]=$(says "$name" $command | tr -s ' \n' ' ')
		echo "# $1 the module, $name: ${said[$name]}"
	done 3<<<"$PROGRAMS"
}

ask without
# Without these checks a program that reports nothing both times would pass.
is "compat: biosnoop-libbpf reports all I/Os" "${said_without[biosnoop-libbpf]}" "R $READS W $WRITES"
is "compat: biotop-libbpf reports all I/Os" "${said_without[biotop-libbpf]}" \
	"R $READS of $((READS * 4)) kB, W $WRITES of $((WRITES * 64)) kB"
for name in biolatency-libbpf biolatency-libbpf-Q bitesize-libbpf biostacks-libbpf \
	biolatency.bt biosnoop.bt bitesize.bt biostacks.bt; do
	is "compat: $name reports all I/Os" "$((said_without[$name]))" $((READS + WRITES))
done

succeeds "compat: the module loads" load_module
: >/tmp/loads
ask with
while read -r name _; do
	[ -z "$name" ] || is "compat: $name reports the same with the module" "${said_with[$name]}" "${said_without[$name]}"
done <<<"$PROGRAMS"

# All of these programs read kallsyms. Only the module's own symbols are checked.
is "compat: no long symbol" "$(awk '$4 == "[iostat]" && length($3) > 190' /proc/kallsyms | head -n 1)" ""
holds "compat: the module's symbols are listed" "$(grep -c '\[iostat\]$' /proc/kallsyms) > 1000"
stat_of nbo n_
is "compat: the module recorded the load" "$n_operations_write" $((WRITES * $(wc -l </tmp/loads)))

succeeds "compat: the module is unloaded" rmmod iostat
remove_null_blk_disk nbo
finish
