# SPDX-License-Identifier: GPL-2.0
# Runs the commands of Documentation/recipes.rst with a known load in place of "sleep 10".

. /payload/workload.sh
wait_functions
workload_up
modprobe dm-mod
dmsetup create broken --table "0 2048 error" && dmsetup mknodes broken
broken=$(dm_disk broken)
# Each recipe runs beside this load, which includes a failed I/O.
cat >/tmp/load <<-'END'
	bash /tmp/work
	/tmp/reader if=/dev/mapper/broken of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || true
END

# headings: prints the headings of sections with commands.
headings()
{
	awk '/^[-=]+$/ { heading = line } /^  # / && heading != last { print heading; last = heading } { line = $0 }' \
		/payload/recipes.rst
}

# commands HEADING: prints a section's commands, for this load and its slow disk.
commands()
{
	awk -v want="$1" '/^[-=]+$/ { heading = line } heading == want && sub(/^  # /, "") { print } { line = $0 }' \
		/payload/recipes.rst | sed 's|sleep 10|bash /tmp/load|; s|"sda"|"nbr"|g'
}

# rows: prints the table of a hist file, a row per line with single blanks.
rows()
{
	sed -n 's/^{ \(.*\) } hitcount: */\1 = /p' /tmp/said | tr -s ' ' | sed 's/ ,/,/g'
}

# row EXPRESSION: prints the values of the matching rows.
row()
{
	rows | sed -nE "s#^$1 = ##p" | paste -sd';'
}

# said EXPRESSION: prints the number of matching lines.
said()
{
	grep -cE "$1" /tmp/said
}

# value EXPRESSION: prints the value of a key of a bpftrace map.
value()
{
	sed -nE "s#^$1: ([0-9]+)\$#\1#p" /tmp/said
}

# histogram NAME: prints the non-empty rows of a bpftrace histogram.
histogram()
{
	sed -nE "/^@\[$1\]:/,/^\$/s/^(\[[^|]*[])]) +([0-9]+) .*/\1 \2/p" /tmp/said | awk '$NF != 0' | paste -sd';'
}

# answers HEADING: checks that /tmp/said has what the load does.
answers()
{
	case $1 in
	"Who writes which file")
		is "$2: direct" "$(row 'comm: writer, dev_statname: nbe, fi_pathname: /mnt/data/file')" "8 b_bcount: 131072"
		is "$2: buffered" "$(row 'comm: writer, dev_statname: nbe, fi_pathname: /mnt/data/other')" "1 b_bcount: 4096"
		is "$2: no reader" "$(row 'comm: reader, .*')" ""
		;;
	"Who reads which file")
		is "$2: of a file" "$(row 'comm: reader, dev_statname: nbe, fi_pathname: /mnt/data/file')" "4 b_bcount: 16384"
		is "$2: of a disk" "$(row 'comm: reader, dev_statname: nbr, fi_pathname: /dev/nbr')" "9 b_bcount: 98304"
		is "$2: highest count first" "$(row 'comm: reader, dev_statname: nb[re], .*')" "9 b_bcount: 98304;4 b_bcount: 16384"
		;;
	"Sizes of the I/Os of each disk")
		is "$2" "$(row 'dev_statname: nbr, b_bcount: ~ 2\^(12|16)')" "8;1"
		;;
	"How long the I/Os of a disk take")
		is "$2: all" "$(rows | awk '{ sum += $NF } END { print sum }')" 9
		is "$2: no other disk" "$(rows | grep -vc '^dev_statname: nbr, service_ns: ~ [0-9]*0000000-[0-9]*9999999 = ')" 0
		is "$2: at least the device's time" "$(rows | grep -cE 'service_ns: ~ [0-9]{1,8}-')" 0
		;;
	"Which files threads wait for, and how long")
		ns=$(row "comm: reader, wait_in: $BIO_AWAIT, fi_pathname: /dev/nbr" | sed 's/.*wait_ns: //')
		is "$2: waits" "$(row "comm: reader, wait_in: $BIO_AWAIT, fi_pathname: /dev/nbr" | cut -d' ' -f1)" 9
		holds "$2: time" "ns > 900000000 && ns < 9000000000"
		;;
	"Which cgroup causes how much I/O")
		is "$2" "$(rows | sed -nE 's/^cgroup: [0-9]+, dev_statname: nbr = //p')" "9 b_bcount: 98304"
		;;
	"Errors, by disk and file")
		is "$2" "$(rows)" "dev_statname: $broken, b_error: 5, fi_pathname: /dev/mapper/broken = 1"
		;;
	"The slow I/Os, one by one")
		is "$2" "$(said ' done: .* dev=nbr .* path=/dev/nbr')" 9
		is "$2: its process" "$(said ' done: .* dev=nbr .* comm=reader ')" 9
		;;
	"Where in the code threads wait for long")
		holds "$2: a stack for each" "$(said '<stack trace>') >= 9"
		holds "$2: through the wait" "$(said '=> .*blkdev_(direct|read|__blkdev)|=> __?blkdev_direct') >= 9"
		;;
	"What was before an error")
		is "$2: tracing is off" "$(head -n 1 /tmp/said)" 0
		is "$2: the failed one is the last" "$(tail -n 1 /tmp/said | grep -c " done: .* dev=$broken .* error=5 ")" 1
		is "$2: the I/Os before" "$(said ' done: .* dev=nbr ')" 9
		;;
	"perf: how many I/Os of a disk")
		is "$2" "$(sed -nE 's/^ +([0-9]+) +io:(start|done) .*/\2 \1/p' /tmp/said | sort | paste -sd' ')" "done 9 start 9"
		;;
	"perf: the slow I/Os, one by one")
		is "$2" "$(said ' io:done: .* dev=nbr .* path=/dev/nbr')" 9
		;;
	"perf: where in the code threads wait")
		holds "$2" "$(said ' reader .*') >= 1 && $(said 'blkdev_direct_IO') >= 1"
		;;
	"trace-cmd: the I/Os of a program")
		is "$2" "$(said ' start: .* dev=nbr ') $(said ' done: .* dev=nbr ')" "9 9"
		;;
	"trace-cmd: errors alone")
		is "$2" "$(said ' done: ') $(said " done: .* dev=$broken .* error=5 ")" "1 1"
		;;
	"I/Os by disk")
		is "$2" "$(value '@\[nbr\]')" 9
		;;
	"I/Os by process")
		is "$2" "$(value '@\[reader\]')" 14
		;;
	"Bytes by process")
		is "$2" "$(value '@\[[0-9]+, reader\]' | sort -n | paste -sd' ')" "4096 16384 32768 65536"
		;;
	"Bytes by file")
		is "$2" "$(value '@\[/dev/nbr\]') $(value '@\[/mnt/data/file\]') $(value '@\[/mnt/data/other\]')" "98304 147456 4096"
		;;
	"Bytes by mount point and file system")
		is "$2" "$(row 'fi_mount: /mnt/data, fi_fs: ext4' | sed 's/.* b_bcount: //')" $((147456 + 4096))
		;;
	"Sizes of I/Os by process")
		is "$2" "$(histogram reader)" "[4K, 8K) 13;[64K, 128K) 1"
		;;
	"How long I/Os take, by disk")
		is "$2" "$(histogram nbr | sed 's/.* //')$(histogram nbr | grep -c ';')" 90
		;;
	"Errors by disk")
		is "$2" "$(value "@\[$broken, 5\]")" 1
		;;
	"Which code starts I/O")
		holds "$2" "$(said blkdev_direct_IO) >= 1"
		;;
	"Who waits, and how long")
		us=$(value '@\[reader\]')
		holds "$2" "us > 900000 && us < 9000000"
		;;
	"What is called at the end")
		holds "$2" "$(value "@\[$BIO_END_IO\]") >= 9"
		;;
	*)
		fail "$2: no expected output for this section"
		;;
	esac
}

headings >/tmp/headings
holds "recipes: number of recipes" "$(wc -l </tmp/headings) >= 26"
while read -r heading <&6; do
	commands "$heading" >/tmp/recipe
	: >$TRACING/trace
	bash /tmp/recipe >/tmp/said 2>/tmp/complained || fail "recipes: $heading: its last command"
	# perf stat prints its result to stderr, and perf and bpftrace their progress.
	grep -vE '^(Attached|Attaching|\[ perf record|$)' /tmp/complained |
		sed '/Performance counter stats/,$d' >/tmp/errors
	[ "${heading%%:*}" != perf ] || cat /tmp/complained >>/tmp/said
	is "recipes: $heading: no error" "$(head -n 3 /tmp/errors | paste -sd';')" ""
	answers "$heading" "recipes: $heading"
	head -n 60 /tmp/said | sed "s/^/# /"
	is "recipes: $heading: tracing is off afterwards" "$(cat $TRACING/events/io/*/enable $TRACING/tracing_on | sort -u | paste -sd' ')$(grep -hv '^#' \
		$TRACING/events/io/*/trigger)$(grep -v '^none$' $TRACING/events/io/*/filter)" "0 1"
done 6</tmp/headings

dmsetup remove broken
workload_down
