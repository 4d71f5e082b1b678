# SPDX-License-Identifier: GPL-2.0
# Those who listen to the events of io: the programs of samples/bpftrace, perf, trace-cmd. All see
# the same workload, which is known.

. /payload/workload.sh
workload_up

# trace PROGRAM [ARGUMENT...]: what it says of the workload, in /tmp/said.
trace()
{
	bpftrace -c "$(command -v bash) ${WORK:-/tmp/work}" "/payload/bpftrace/$1.bt" "${@:2}" >/tmp/said 2>&1 ||
		fail "clients: $1" "$(tail -n 2 /tmp/said)"
	# For who wants to see it.
	sed "s/^/# /" /tmp/said
}

# said EXPRESSION: how many lines of it.
said()
{
	grep -cE "$1" /tmp/said
}

# value EXPRESSION: the number behind it, 0 if there is none.
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
is "clients: whowrite: no reader" "$(said reader)" 0
# Two files that become one I/O.
cat >/tmp/two <<-'END'
	/tmp/writer if=/dev/zero of=/mnt/data/one bs=4k count=1 status=none
	/tmp/writer if=/dev/zero of=/mnt/data/two bs=4k count=1 status=none
	sync
END
WORK=/tmp/two trace whowrite
is "clients: whowrite: of files that are written back together" \
	"$(sed -nE 's#^@bytes\[.*, /mnt/data/(one|two)\]: ([0-9]+)$#\1 \2#p' /tmp/said | sort | paste -sd' ')" "one 4096 two 4096"

trace iotime
read -r count total <<<"$(sed -nE 's#^@us\[nbr, /dev/nbr\]: count ([0-9]+), average [0-9]+, total ([0-9]+)$#\1 \2#p' \
	/tmp/said)"
is "clients: iotime: I/Os" "$count" 9
holds "clients: iotime: their time" "total >= 9 * 100000 && total < 9 * 500000"
is "clients: iotime: of a file" "$(said '^@us\[nbe, /mnt/data/file\]: count 12, ')" 1

trace seeksize
# One histogram after the other.
seeks=$(sed -nE '/^@sectors\[reader, nbr\]/,/^$/s/^(\[[^]]*[])]) +([0-9]+) .*/\1 \2/p' /tmp/said |
	awk '$NF != 0' | paste -sd' ')
is "clients: seeksize: sequential, and one back" "$seeks" "[0] 7 [2K, 4K) 1"
# Buffered, in sequence: each I/O is many pages.
ln -s "$(command -v dd)" /tmp/appender
echo '/tmp/appender if=/dev/zero of=/dev/nbr bs=64k count=64 conv=fsync status=none' >/tmp/append
WORK=/tmp/append trace seeksize
read -r near far <<<"$(sed -nE '/^@sectors\[appender, nbr\]/,/^$/s/^(\[[^]]*[])]) +([0-9]+) .*/\1 \2/p' /tmp/said |
	awk '$1 == "[0]" { near += $2; next } { far += $NF } END { print near + 0, far + 0 }')"
holds "clients: seeksize: buffered writes in sequence" "near >= 3 && far <= 1"

trace ioslow 80
is "clients: ioslow: the slow disk's" "$(said '^@us\[[0-9]+, reader, nbr, 4096, /dev/nbr\]: [0-9]{6,}$')" 8
# On a busy machine others may be slow.
is "clients: ioslow: none that is not" "$(said '^@us.*: ([0-9]{1,4}|[1-7][0-9]{4})$')" 0

trace iofile
wait_us=$(value '@us\[[0-9]+, writer, /mnt/data/file\]')
holds "clients: iofile: the writer's waits" "wait_us >= 8 * 5000 && wait_us < 8 * 200000"
wait_us=$(value '@us\[[0-9]+, writer, /mnt/data/other\]')
# On a busy machine it waits for what is left of 5 ms.
holds "clients: iofile: its fsync" "wait_us > 0 && wait_us < 200000"
wait_us=$(sed -nE 's#^@us\[[0-9]+, reader, /dev/nbr\]: ##p' /tmp/said | awk '{ sum += $1 } END { print sum + 0 }')
holds "clients: iofile: the readers' waits" "wait_us >= 9 * 100000 && wait_us < 9 * 500000"

trace iopattern
is "clients: iopattern" "$(grep ^nbr /tmp/said | tr -s ' ')" \
	"nbr 22 78 9 4096 65536 $(((8 * 4096 + 65536) / 9)) 96 0"

is "clients: iopattern: its table alone" "$(said ^@)" 0

trace iotop
is "clients: iotop: writer" "$(said "^@bytes\[[0-9]+, 0, writer, nbe, W\]: $((8 * 16384))\$")" 1
is "clients: iotop: readers" "$(said '^@bytes\[[0-9]+, 0, reader, nbr, R\]: (32768|65536)$')" 2
# Threads of one process are one line.
cat >/tmp/threads <<-'END'
	fio --name=threads --filename=/dev/nbr --direct=1 --rw=read --bs=4k --size=32k --offset_increment=1m \
		--numjobs=3 --thread --ioengine=psync --output=/tmp/out
END
bpftrace -c "$(command -v bash) /tmp/threads" /payload/bpftrace/iotop.bt >/tmp/said 2>&1
sed "s/^/# /" /tmp/said
is "clients: iotop: threads of a process" "$(grep -E '^@bytes\[.* nbr, R\]' /tmp/said | sed 's/\[[0-9]*,/[N,/')" \
	"@bytes[N, 0, fio, nbr, R]: $((3 * 32768))"

# How many frames of a stack are the hook's own, Documentation/io-provider.rst says.
bpftrace -e 'tracepoint:io:wait_start /comm == "reader"/ { printf("start%s", kstack(7)); }
	tracepoint:io:wait_done /comm == "reader"/ { printf("done%s", kstack(6)); }' -c "bash /tmp/work" >/tmp/said 2>&1
is "clients: stack of a wait's start: five frames are the hook's" "$(awk '/start$/ { n = 0 } NF { n++ } n == 7 { print $1 }
	/done$/ { n = -99 }' /tmp/said | sed 's/+.*//' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')" bio_await
is "clients: stack of a wait's done: four frames are the hook's" "$(awk '/done$/ { n = 0 } NF { n++ } n == 5 { print $1 }
	/start$/ { n = -99 }' /tmp/said | sed 's/+.*//' | sort -u | paste -sd' ')" return_to_handler

# paired NAME: what a client says of the slow disk, in /tmp/said.
paired()
{
	is "clients: $1: I/Os" "$(said ' start: .* dev=nbr ') $(said ' done: .* dev=nbr ')" "9 9"
	is "clients: $1: each start has its done" \
		"$(sed -nE 's/.* (start|done): .*(id=[0-9]+) dev=nbr .*/\2/p' /tmp/said | sort | uniq -c |
			awk '$1 == 2' | wc -l)" 9
	is "clients: $1: of which file" "$(said ' done: .* dev=nbr .* path=/dev/nbr')" 9
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
no_complaint clients
