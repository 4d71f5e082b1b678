# SPDX-License-Identifier: GPL-2.0
# Programs that read the events of io: samples/bpftrace, perf and trace-cmd. All see the same known
# workload.

. /payload/workload.sh
wait_functions
workload_up

# trace PROGRAM [ARGUMENT...]: runs the workload under a program; its output is in /tmp/said.
trace()
{
	bpftrace -c "$(command -v bash) ${WORK:-/tmp/work}" "/payload/bpftrace/$1.bt" "${@:2}" >/tmp/said 2>&1 ||
		fail "clients: $1" "$(tail -n 2 /tmp/said)"
	# The bpftrace of sid prints stats() as a structure.
	sed -i -E 's/\{ \.count = ([0-9]+), \.average = ([0-9]+), \.total = ([0-9]+) \}/count \1, average \2, total \3/' /tmp/said
	# For the log.
	sed "s/^/# /" /tmp/said
}

# said EXPRESSION: prints the number of lines of the output that match.
said()
{
	grep -cE "$1" /tmp/said
}

# value EXPRESSION: prints the number after a match, 0 without one.
value()
{
	local number
	number=$(sed -nE "s#^$1:? *([0-9]+).*#\1#p" /tmp/said)
	echo "${number:-0}"
}

trace iosnoop
is "clients: iosnoop: reads of a file" \
	"$(said ' reader +nbe +R +[0-9]+ +4096 +[0-9]+ +([5-9]|[0-9]+[0-9])[0-9]{3} /mnt/data/file$')" 4
is "clients: iosnoop: writes of a file" "$(said ' writer +nbe +W +[0-9]+ +16384 .* /mnt/data/file$')" 8
is "clients: iosnoop: reads of a disk" "$(said ' reader +nbr +R +(20[4-9]|21[01])[0-9] +4096 .*/dev/nbr$')" 8

trace whowrite
is "clients: whowrite: bytes" "$(value '@bytes\[writer, /mnt/data/file\]')" $((8 * 16384))
is "clients: whowrite: reader not listed" "$(said reader)" 0
# Two files that are written back in one I/O.
cat >/tmp/two <<-'END'
	/tmp/writer if=/dev/zero of=/mnt/data/one bs=4k count=1 status=none
	/tmp/writer if=/dev/zero of=/mnt/data/two bs=4k count=1 status=none
	sync
END
WORK=/tmp/two trace whowrite
is "clients: whowrite: bytes of files written back in one I/O" \
	"$(sed -nE 's#^@bytes\[.*, /mnt/data/(one|two)\]: ([0-9]+)$#\1 \2#p' /tmp/said | sort | paste -sd' ')" "one 4096 two 4096"

trace iotime
read -r count total <<<"$(sed -nE 's#^@us\[nbr, /dev/nbr\]: count ([0-9]+), average [0-9]+, total ([0-9]+)$#\1 \2#p' \
	/tmp/said)"
is "clients: iotime: I/Os" "$count" 9
holds "clients: iotime: total time" "total >= 9 * 100000 && total < 9 * 500000"
is "clients: iotime: I/Os of a file" "$(said '^@us\[nbe, /mnt/data/file\]: count 12, ')" 1

trace seeksize
# The lines of one histogram.
seeks=$(sed -nE '/^@sectors\[reader, nbr\]/,/^$/s/^(\[[^]]*[])]) +([0-9]+) .*/\1 \2/p' /tmp/said |
	awk '$NF != 0' | paste -sd' ')
is "clients: seeksize: sequential reads and one seek back" "$seeks" "[0] 7 [2K, 4K) 1"
# Buffered sequential writes: each I/O is many pages.
ln -s "$(command -v dd)" /tmp/appender
echo '/tmp/appender if=/dev/zero of=/dev/nbr bs=64k count=64 conv=fsync status=none' >/tmp/append
WORK=/tmp/append trace seeksize
read -r near far <<<"$(sed -nE '/^@sectors\[appender, nbr\]/,/^$/s/^(\[[^]]*[])]) +([0-9]+) .*/\1 \2/p' /tmp/said |
	awk '$1 == "[0]" { near += $2; next } { far += $NF } END { print near + 0, far + 0 }')"
holds "clients: seeksize: buffered writes in sequence" "near >= 3 && far <= 1"

trace ioslow 80
is "clients: ioslow: I/Os of the slow disk" "$(said '^@us\[[0-9]+, reader, nbr, 4096, /dev/nbr\]: [0-9]{6,}$')" 8
# On a busy machine I/Os of other disks may be slow as well.
is "clients: ioslow: no I/O below the limit" "$(said '^@us.*: ([0-9]{1,4}|[1-7][0-9]{4})$')" 0

trace iofile
wait_us=$(value '@us\[[0-9]+, writer, /mnt/data/file\]')
holds "clients: iofile: the writer's waits" "wait_us >= 8 * 5000 && wait_us < 8 * 200000"
wait_us=$(value '@us\[[0-9]+, writer, /mnt/data/other\]')
# On a busy machine fsync waits for the rest of the 5 ms only.
holds "clients: iofile: wait of the writer's fsync" "wait_us > 0 && wait_us < 200000"
wait_us=$(sed -nE 's#^@us\[[0-9]+, reader, /dev/nbr\]: ##p' /tmp/said | awk '{ sum += $1 } END { print sum + 0 }')
holds "clients: iofile: the readers' waits" "wait_us >= 9 * 100000 && wait_us < 9 * 500000"

trace iopattern
is "clients: iopattern" "$(grep ^nbr /tmp/said | tr -s ' ')" \
	"nbr 22 78 9 4096 65536 $(((8 * 4096 + 65536) / 9)) 96 0"

is "clients: iopattern: only its table is printed" "$(said ^@)" 0

trace iotop
is "clients: iotop: writer" "$(said "^@bytes\[[0-9]+, 0, writer, nbe, W\]: $((8 * 16384))\$")" 1
is "clients: iotop: readers" "$(said '^@bytes\[[0-9]+, 0, reader, nbr, R\]: (32768|65536)$')" 2
# Threads of one process are in one line. Two of them start a second later: if threads add the first value of a key at the
# same time, bpftrace keeps one value, loses the others and warns "File exists".
cat >/tmp/threads <<-'END'
	fio --disk_util=0 --filename=/dev/nbr --direct=1 --rw=read --bs=4k --size=32k --thread --ioengine=psync --output=/tmp/out \
		--name=first --name=others --offset=1m --offset_increment=1m --numjobs=2 --startdelay=1s
END
bpftrace -c "$(command -v bash) /tmp/threads" /payload/bpftrace/iotop.bt >/tmp/said 2>&1
sed "s/^/# /" /tmp/said
is "clients: iotop: threads of a process" "$(grep -E '^@bytes\[.* nbr, R\]' /tmp/said | sed 's/\[[0-9]*,/[N,/')" \
	"@bytes[N, 0, fio, nbr, R]: $((3 * 32768))"

# Documentation/io-provider.rst says how many frames of a stack belong to the hook.
bpftrace -e 'tracepoint:io:wait_start /comm == "reader"/ { printf("start%s", kstack(7)); }
	tracepoint:io:wait_done /comm == "reader"/ { printf("done%s", kstack(6)); }' -c "bash /tmp/work" >/tmp/said 2>&1
is "clients: stack of wait_start: five frames belong to the hook" "$(awk '/start$/ { n = 0 } NF { n++ } n == 7 { print $1 }
	/done$/ { n = -99 }' /tmp/said | sed 's/+.*//' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')" $BIO_AWAIT
is "clients: stack of wait_done: four frames belong to the hook" "$(awk '/done$/ { n = 0 } NF { n++ } n == 5 { print $1 }
	/start$/ { n = -99 }' /tmp/said | sed 's/+.*//' | sort -u | paste -sd' ')" return_to_handler

# paired NAME: checks a client's output about the slow disk, in /tmp/said.
paired()
{
	is "clients: $1: I/Os" "$(said ' start: .* dev=nbr ') $(said ' done: .* dev=nbr ')" "9 9"
	is "clients: $1: each start has its done" \
		"$(sed -nE 's/.* (start|done): .*(id=[0-9]+) dev=nbr .*/\2/p' /tmp/said | sort | uniq -c |
			awk '$1 == 2' | wc -l)" 9
	is "clients: $1: path of the file" "$(said ' done: .* dev=nbr .* path=/dev/nbr')" 9
}

succeeds "clients: perf record" perf record -q -a -o /tmp/perf.data -e io:start,io:done bash /tmp/work
perf script -i /tmp/perf.data 2>/dev/null | sed 's/ io:/ /' >/tmp/said
paired "perf"
succeeds "clients: perf stat" perf stat -x, -o /tmp/said -a -e io:done --filter 'dev_statname == "nbr"' \
	-e io:wait_done --filter 'dev_statname == "nbr"' bash /tmp/work
is "clients: perf stat" "$(awk -F, '/io:/ { print $1 }' /tmp/said | paste -sd' ')" "9 9"

succeeds "clients: trace-cmd record" trace-cmd record -q -e io -o /tmp/trace.dat bash /tmp/work
trace-cmd report -q -i /tmp/trace.dat 2>/dev/null >/tmp/said
paired "trace-cmd"
is "clients: trace-cmd: waits" "$(said ' wait_start: .* dev=nbr ') $(said ' wait_done: .* dev=nbr ')" "9 9"

workload_down
