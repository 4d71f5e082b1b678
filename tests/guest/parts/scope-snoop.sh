# SPDX-License-Identifier: GPL-2.0
# ioscope snoop beside the events that biosnoop reads (block_rq_issue, block_rq_complete), of the same I/O; and what it leaves behind: nothing.

# ready: an ioscope snoop has its events on.
ready()
{
	local try
	for try in $(seq 200); do
		grep -qs 1 $TRACING/instances/ioscope-*/events/io/done/enable && return
		sleep 0.05
	done
	fail "the events are on"
}

instances()
{
	ls $TRACING/instances
}

ioscope snoop -Q -d nullb0,nullb1 >/tmp/snoop 2>/tmp/snoop.err &
snoop=$!
ioscope snoop -o csv >/tmp/snoop.csv 2>/tmp/snoop.csv.err &
csv=$!
ioscope snoop -o json -s --file -d nullb1 >/tmp/snoop.json 2>/tmp/snoop.json.err &
json=$!
ready
echo 1 >$TRACING/events/block/block_rq_issue/enable
echo 1 >$TRACING/events/block/block_rq_complete/enable
dd if=/dev/nullb0 of=/dev/null bs=4k count=60 iflag=direct status=none
dd if=/dev/zero of=/dev/nullb1 bs=64k count=20 seek=3 oflag=direct status=none
dd if=/dev/nullb1 of=/dev/null bs=8k count=30 skip=7 iflag=direct status=none
echo 0 >$TRACING/events/block/enable
cp $TRACING/trace /tmp/block
echo >$TRACING/trace
# A process whose name has what ends a field.
cp "$(command -v dd)" "/tmp/a [0] b: c"
"/tmp/a [0] b: c" if=/dev/nullb1 of=/dev/null bs=4k count=1 iflag=direct status=none
# One whose name is UTF-8, with what some terminals take for an escape, U+009B.
odd=$'\303\251\302\2332J'
cp "$(command -v dd)" "/tmp/$odd"
"/tmp/$odd" if=/dev/nullb1 of=/dev/null bs=4k count=1 iflag=direct status=none
ioscope snoop -H -c "a [0] b: c" 3 >/tmp/named 2>/dev/null &
named=$!
ioscope snoop -H -m 4 3 >/tmp/slow 2>/dev/null &
slow=$!
sleep 1
"/tmp/a [0] b: c" if=/dev/nullb1 of=/dev/null bs=4k count=2 iflag=direct status=none
dd if=/dev/nullb0 of=/dev/null bs=4k count=3 iflag=direct status=none &
dd=$!
ioscope snoop -H -p $dd 1 >/tmp/other 2>/dev/null
wait $dd $named $slow
is "snoop: each has its own instance" "$(instances | wc -l)" 3
kill -INT $snoop
kill -TERM $csv
kill -INT $json
for pid in $snoop $csv $json; do
	wait $pid
	is "snoop, ended by a signal: status" $? 0
done
is "snoop: its instances are gone" "$(instances)" ""

is "snoop: the headings of biosnoop" "$(head -n 1 /tmp/snoop)" \
	"TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   QUE(ms) LAT(ms)"
# Class, sector, bytes and ms from issue to completion, by the kernel's own events; and of snoop's first lines.
sed -nE 's/.* ([0-9]+\.[0-9]+): block_rq_(issue|complete): [0-9,]+ ([RW])[A-Z]* ([0-9]+ )?\([^)]*\) ([0-9]+) \+ ([0-9]+) .*/\2 \1 \3 \5 \6/p' \
	/tmp/block | awk '$1 == "issue" { at[$3, $4, $5] = $2; next }
		{ printf "%s %d %d %.3f\n", $3, $4, $5 * 512, ($2 - at[$3, $4, $5]) * 1000 }' >/tmp/theirs
awk 'NR > 1 && $2 == "dd" { print $5, $6, $7, $9 }' /tmp/snoop | head -n 110 >/tmp/ours
is "snoop: the block layer's events have all I/Os" "$(wc -l </tmp/theirs)" 110
is "snoop: the same I/Os, in the same order, to the sector and byte" \
	"$(cut -d ' ' -f 1-3 /tmp/theirs | diff - <(cut -d ' ' -f 1-3 /tmp/ours) | head -n 4)" ""
# Both take the time in hooks of the same two tracepoints, one after the other: they are apart by what a hook takes,
# some us, and by an interrupt that comes between the two.
paste -d ' ' /tmp/theirs /tmp/ours | awk '
	{ off = $8 - $4; if (off < 0) off = -off; if (off > most) most = off; if (off > 0.1) far++ }
	END { printf "# the most apart is %.3f ms, %d by more than 0.1 ms\n", most, far; exit !(NR == 110 && far <= 2) }' >/tmp/said &&
	pass "snoop: times at the device as theirs" || fail "snoop: times at the device as theirs" "$(cat /tmp/said)"
cat /tmp/said
is "snoop: nothing was lost" "$(sed 's/[0-9][0-9]*/N/' /tmp/snoop.err)" "ioscope: N events, none was lost"

is "snoop -c: a name with spaces" "$(awk '{ print $2, $4, $7 }' /tmp/named | sort | uniq -c | sed 's/^ *//')" \
	'2 a\040[0]\040b:\040c nullb1 4096'
is "snoop -m: the slow ones alone" "$(awk '{ print $4 }' /tmp/slow | sort | uniq -c | xargs)" "3 nullb0"
is "snoop -p: those of one process" "$(awk '{ print $3 }' /tmp/other | sort -u)" "$dd"
# Its first I/O may come before ioscope traces.
holds "snoop -p: its I/Os" "$(wc -l </tmp/other) >= 2"
is "snoop -o csv: fields" "$(awk -F , '{ print NF }' /tmp/snoop.csv | sort -u)" 21
is "snoop -o csv: all bytes" \
	"$(awk -F , '$3 == "nullb1" && $6 == "write" { n += $8 } END { print n }' /tmp/snoop.csv)" $((20 * 65536))
is "snoop -o csv: the count is that of sysfs" \
	"$(awk -F , '$3 == "nullb0" { n++ } END { print n }' /tmp/snoop.csv)" 63
is "snoop -s: as many starts as dones" \
	"$(grep -c '"event":"start"' /tmp/snoop.json)" "$(grep -c '"event":"done"' /tmp/snoop.json)"
is "snoop: the file" "$(grep -c '"file":"/dev/nullb1"' /tmp/snoop.json)" "$(grep -c '"event"' /tmp/snoop.json)"
is "snoop -o json: a name with a control character" "$(grep -cF $'"comm":"\303\251\\\\302\\\\2332J"' /tmp/snoop.json)" 2
is "snoop: no byte of a control character is written" "$(LC_ALL=C grep -c $'\302\233' /tmp/snoop /tmp/snoop.csv /tmp/snoop.json | xargs)" \
	"/tmp/snoop:0 /tmp/snoop.csv:0 /tmp/snoop.json:0"
is "snoop: a name with a control character" "$(awk -v name=$'\303\251\\\\302\\\\2332J' '$2 == name' /tmp/snoop | wc -l)" 1
give snoop.json </tmp/snoop.json

# biosnoop and biolatency of libbpf-tools, of the same I/O.
biosnoop-libbpf -Q >/tmp/their-snoop 2>/tmp/their-snoop.err &
their_snoop=$!
biolatency-libbpf -D >/tmp/their-lat 2>/tmp/their-lat.err &
their_lat=$!
ioscope snoop -Q >/tmp/our-snoop 2>/dev/null &
our_snoop=$!
ready
# Once they have attached their probes they wait.
for pid in $their_snoop $their_lat; do
	for try in $(seq 600); do
		! grep -qE 'nanosleep|ep_poll' "/proc/$pid/wchan" || break
		sleep 0.1
	done
done
ioscope lat -D -Y 8 1 nullb0 nullb1 >/tmp/our-lat &
our_lat=$!
sleep 1
dd if=/dev/nullb0 of=/dev/null bs=4k count=40 skip=9 iflag=direct status=none
dd if=/dev/zero of=/dev/nullb1 bs=32k count=25 oflag=direct status=none
wait $our_lat
sleep 2
kill -INT $their_snoop $their_lat $our_snoop
wait $their_snoop $their_lat $our_snoop
sed 's/^/# biosnoop: /' /tmp/their-snoop | head -n 3
is "biosnoop: it has all I/Os" "$(awk '$2 == "dd"' /tmp/their-snoop | wc -l)" 65
is "snoop beside biosnoop: process, disk, class, sector, bytes" \
	"$(awk '$2 == "dd" { print $3, $4, substr($5, 1, 1), $6, $7 }' /tmp/their-snoop | sort |
		diff - <(awk '$2 == "dd" { print $3, $4, $5, $6, $7 }' /tmp/our-snoop | sort) | head -n 4)" ""
# Theirs is from issue to completion too, in hooks of its own.
paste -d ' ' <(awk '$2 == "dd" { print $4, $6, $NF }' /tmp/their-snoop | sort) \
	<(awk '$2 == "dd" { print $4, $6, $NF }' /tmp/our-snoop | sort) | awk '
	{ off = $3 - $6; if (off < 0) off = -off; if (off > most) most = off; if (off > 0.2) far++ }
	END { printf "# the most apart is %.3f ms, %d by more than 0.2 ms\n", most, far; exit !(NR == 65 && far <= 2) }' >/tmp/said &&
	pass "snoop beside biosnoop: times at the device" || fail "snoop beside biosnoop: times at the device" "$(cat /tmp/said)"
cat /tmp/said
# counts FILE DISK: prints the sum of a disk's histogram, and the us between which the most are.
counts()
{
	awk -v disk="$2" '/^disk = / { is_it = $3 == disk } is_it && $2 == "->" { n += $5; if ($5 > most) { most = $5; a = $1; b = $3 } }
		END { print n + 0, a + 0, b + 0 }' "$1"
}
for disk in nullb0 nullb1; do
	read -r their_sum their_low their_high <<<"$(counts /tmp/their-lat $disk)"
	read -r our_sum our_low our_high <<<"$(counts /tmp/our-lat $disk)"
	is "lat -D beside biolatency -D: how many, $disk" "$our_sum" "$their_sum"
	# Each of ours is a quarter of an octave; theirs are octaves.
	holds "lat -D beside biolatency -D: where the most are, $disk" "$our_low <= $their_high && $our_high >= $their_low"
	echo "# $disk: $our_low to $our_high us, biolatency: $their_low to $their_high us"
done

# A buffer that is too small loses events, and says how many: all that happened are shown or lost.
ioscope snoop -o csv -H -b 64 -d nullb1 >/tmp/few 2>/tmp/few.err &
few=$!
ready
kill -STOP $few
dd if=/dev/nullb1 of=/dev/null bs=4k count=600 iflag=direct status=none
kill -CONT $few
sleep 1
kill -INT $few
wait $few
lost=$(sed -n 's/.* and \([0-9]*\) were lost:.*/\1/p' /tmp/few.err)
is "snoop: what was lost is counted" "$((${lost:-0} > 0))" 1
is "snoop: what is shown and what was lost is all" "$(($(wc -l </tmp/few) + ${lost:-0}))" 600

# However it ends.
ioscope snoop 60 2>/dev/null | head -n 1 >/tmp/out
is "snoop, its pipe closed while nothing happens: no instance is left" "$(instances)" ""
{ ioscope snoop 0.5 >/dev/null; echo $? >/tmp/status; } 2>&1 | true
is "snoop, its standard error closed: status" "$(cat /tmp/status)" 0
is "snoop, its standard error closed: no instance is left" "$(instances)" ""
ioscope snoop >/dev/null 2>&1 &
snoop=$!
ready
kill -KILL $snoop
wait $snoop 2>/dev/null
is "snoop, killed: its instance is left" "$(instances)" "ioscope-$snoop"
ioscope snoop 0.1 >/dev/null 2>&1
is "and the next removes it" "$(instances)" ""
says "snoop: not root" 1 "ioscope: no permission to create a tracefs instance: run as root" \
	setpriv --reuid=65534 --clear-groups ioscope snoop 1
says "snoop: an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" \
	ioscope snoop -d nothing
umount /sys/kernel/debug/tracing 2>/dev/null
umount $TRACING
says "snoop: no tracefs" 1 "ioscope: tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing" \
	ioscope snoop 1
mount -t tracefs tracefs $TRACING
