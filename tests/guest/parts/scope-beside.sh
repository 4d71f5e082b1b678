# SPDX-License-Identifier: GPL-2.0
# ioscope beside sysstat and fio, of the same interval of the same loads.

modprobe -q virtio_blk
wait
# Of an interval that all of fio's run is in.
seconds=36
ioscope -s -Y $seconds 1 nullb0 nullb1 vda >/tmp/scope-s &
ioscope lat -Y -q 50,99,99.9 $seconds 1 nullb0 nullb1 >/tmp/scope-lat &
ioscope lat -D -Q -Y $seconds 1 nullb0 >/tmp/scope-lat-D &
shown=$(jobs -p)
ioscope record /tmp/recording 2 &
recorder=$!
sleep 1
fio --disk_util=0 --output=/tmp/fio.json --output-format=json --randrepeat=1 --direct=1 --time_based --runtime=24 --size=64m \
	--percentile_list=50:99:99.9 --lat_percentiles=1 \
	--name=reader --filename=/dev/nullb0 --rw=randread --bs=4k --rate_iops=100 \
	--name=writer --filename=/dev/nullb1 --rw=randwrite --bs=16k --rate_iops=50 \
	--name=both --filename=/dev/vda --rw=randrw --bs=8k --rate_iops=40,20 >/tmp/fio.log 2>&1 &
fio=$!
sleep 6
iostat -dxy 12 1 nullb0 nullb1 vda >/tmp/sysstat &
shown="$shown $!"
ioscope -x -Y 12 1 nullb0 nullb1 vda >/tmp/scope-x &
shown="$shown $!"
ioscope -o json -1 -Y 1 10 >/tmp/lines.json &
shown="$shown $!"
wait $fio || fail "fio ran" "$(tail -n 1 /tmp/fio.log)"
wait $shown
kill -INT $recorder
succeeds "recording, interrupted: status" wait $recorder
give recording </tmp/recording

# The two read at different instants, some tens of ms apart on a busy machine.
for disk in nullb0 nullb1 vda; do
	for column in r/s rkB/s w/s wkB/s d/s dkB/s f/s; do
		near "$disk: $column as sysstat" "$(field /tmp/scope-x $disk $column)" \
			"$(field /tmp/sysstat $disk $column)" 5 2
	done
	for column in rareq-sz wareq-sz dareq-sz; do
		near "$disk: $column as sysstat" "$(field /tmp/scope-x $disk $column)" \
			"$(field /tmp/sysstat $disk $column)" 1 0.02
	done
	# It adds up times of milliseconds rounded down or up, and sees whether the queue is busy at ticks of 4 ms.
	for column in r_await w_await d_await; do
		near "$disk: $column as sysstat" "$(field /tmp/scope-x $disk $column)" \
			"$(field /tmp/sysstat $disk $column)" 10 0.5
	done
	near "$disk: aqu-sz as sysstat" "$(field /tmp/scope-x $disk aqu-sz)" "$(field /tmp/sysstat $disk aqu-sz)" 10 0.05
done
# 100 reads of 5 ms in a second; sysstat's %util is that of ticks, and wrong by as much as 10 here.
near "nullb0: %util is exact" "$(field /tmp/scope-x nullb0 %util)" 50 0.5 0.5
echo "# nullb0: %util of sysstat: $(field /tmp/sysstat nullb0 %util)"
is "what the module does not know is no 0" "$(field /tmp/scope-x nullb0 %drqm) $(field /tmp/scope-x nullb0 drqm/s)" "- -"
for column in rrqm/s %rrqm wrqm/s %wrqm; do
	near "vda: $column as sysstat" "$(field /tmp/scope-x vda $column)" "$(field /tmp/sysstat vda $column)" 5 0.5
done

# job NAME read|write KEY: a number of one job of fio's report.
job()
{
	awk -v job="\"$1\"," -v class="\"$2\"" -v key="\"$3\"" '
		$1 == "\"jobname\"" { here = $3 == job }
		here && $1 == class && $3 == "{" { inside = 1 }
		inside && $1 == key { gsub(/,/, "", $3); print $3; exit }' /tmp/fio.json
}

# illumos FIELD DISK: of -s, where the name is last; of the whole interval.
illumos()
{
	awk -v field="$1" -v disk="$2" -v seconds=$seconds '$NF == disk { print $field * seconds }' /tmp/scope-s
}
near "-s: reads as fio" "$(illumos 1 nullb0)" "$(job reader read total_ios)" 0.5 4
near "-s: kB read as fio" "$(illumos 3 nullb0)" "$(job reader read io_kbytes)" 0.5 16
near "-s: writes as fio" "$(illumos 2 nullb1)" "$(job writer write total_ios)" 0.5 4
near "-s: kB written as fio" "$(illumos 4 nullb1)" "$(job writer write io_kbytes)" 0.5 64
near "-s: both, reads" "$(illumos 1 vda)" "$(job both read total_ios)" 0.5 4
near "-s: both, writes" "$(illumos 2 vda)" "$(job both write total_ios)" 0.5 4

# ns TIME: 2.3ms as ns.
ns()
{
	sed -E 's/us$/e3/; s/ms$/e6/; s/([0-9])s$/\1e9/; s/ns$//' <<<"$1" | awk '{ printf "%.0f\n", $1 }'
}

# percentile JOB CLASS P: of fio's whole times, ns.
percentile()
{
	awk -v job="\"$1\"," -v class="\"$2\"" -v want="\"$3\"" '
		$1 == "\"jobname\"" { here = $3 == job }
		here && $1 == class && $3 == "{" { inside = 1 }
		inside && $1 == "\"lat_ns\"" { times = 1 }
		times && $1 == want { gsub(/,/, "", $3); print $3; exit }' /tmp/fio.json
}

# The bucket of fio's percentile, whose times begin before the block layer's and end after them, is that of ioscope's
# or the one above it. A bucket is a quarter of an octave, of which ioscope prints the upper bound with two or three digits.
for line in "nullb0 reader read" "nullb1 writer write"; do
	read -r disk job class <<<"$line"
	column=5
	for p in 50.000000 99.000000 99.900000; do
		column=$((column + 1))
		ours=$(ns "$(awk -v disk=$disk -v class="$class" -v column=$column \
			'$1 == disk && $2 == class { print $column }' /tmp/scope-lat)")
		theirs=$(percentile "$job" "$class" $p)
		awk -v ours="$ours" -v theirs="$theirs" 'BEGIN {
			exit !(ours > 0 && theirs > ours / 1.19 / 1.02 && theirs <= ours * 1.19)
		}' && pass "$disk: p$p is in fio's bucket ($ours, $theirs ns)" ||
			fail "$disk: p$p is in fio's bucket" "$ours, fio says $theirs ns"
	done
done
is "lat: the count is fio's" "$(awk '$1 == "nullb1" && $2 == "write" { print $4 }' /tmp/scope-lat)" \
	"$(job writer write total_ios)"
is "lat -D: looks like biolatency's" "$(sed -n 2p /tmp/scope-lat-D)" \
	"     usecs               : count    distribution"
is "lat -D: the counts are all" \
	"$(awk '$2 == "->" { n += $5 } END { print n }' /tmp/scope-lat-D)" "$(job reader read total_ios)"

# What was recorded says the same as what was shown.
ioscope -o csv --replay /tmp/recording nullb1 >/tmp/replayed.csv
is "replay: all writes of the recording" "$(awk -F , 'NR == 2 { print $17 }' /tmp/replayed.csv)" \
	"$(job writer write total_ios)"
is "replay: interval by interval, the same" \
	"$(ioscope replay -o csv /tmp/recording nullb1 | awk -F , 'NR > 1 { n += $17 } END { print n }')" \
	"$(job writer write total_ios)"
is "replay: percentiles of all of it" \
	"$(ioscope lat --replay /tmp/recording nullb1 | awk '$2 == "write" { print $4, $6, $7, $8 }')" \
	"$(awk '$1 == "nullb1" && $2 == "write" { print $4, $6, $7, $8 }' /tmp/scope-lat)"
is "replay --at: the last interval" \
	"$(ioscope replay -H -o csv --at "$(tail -n 1 /tmp/replayed.csv | cut -d , -f 1)" /tmp/recording nullb1)" \
	"$(ioscope replay -H -o csv /tmp/recording nullb1 | tail -n 1)"
middle=$(ioscope replay -o csv /tmp/recording nullb1 | sed -n 6p | cut -d , -f 1)
is "replay --at: the interval that begins then" \
	"$(ioscope replay -H -o csv --at "$middle" /tmp/recording nullb1 | wc -l)" 1
is "replay --from" "$(ioscope replay -H -o csv --from "$middle" /tmp/recording nullb1 | wc -l)" \
	"$(ioscope replay -o csv /tmp/recording nullb1 | tail -n +7 | wc -l)"
says "a recording that is not there" 1 "ioscope: cannot read /tmp/none: No such file or directory (os error 2)" \
	ioscope --replay /tmp/none
says "a time without a recording" 2 "ioscope: --at, --from and --to need a recording: add --replay FILE" ioscope --at 12:00
says "another file" 1 "ioscope: cannot read /payload/iostat.ko: it is not a recording of ioscope, or has another version" \
	ioscope --replay /payload/iostat.ko
says "a recording that is there already" 1 "ioscope: cannot create /tmp/recording: File exists (os error 17)" \
	ioscope record /tmp/recording
size=$(stat -c %s /tmp/recording)
echo "# $size bytes of $(ioscope replay -H -o csv /tmp/recording nullb0 | wc -l) intervals of $(ioscope -pH | wc -l) devices"
head -c $((size / 2)) /tmp/recording >/tmp/cut
before=$(ioscope replay -H -o csv /tmp/recording nullb1 | head -n 3)
is "a recording that is cut off: what is before the cut" "$(ioscope replay -H -o csv /tmp/cut nullb1 | head -n 3)" "$before"
ioscope record -a /tmp/cut 0.1 3
is "and goes on" "$(($(ioscope replay -H -o csv /tmp/cut nullb1 | wc -l) > 3))" 1
printf X | dd of=/tmp/recording bs=1 seek=$((size / 2)) conv=notrunc status=none
ioscope replay -H -o csv /tmp/recording nullb1 >/tmp/out 2>/tmp/said
is "a recording that was altered: what is before" "$(head -n 3 /tmp/out)" "$before"
is "a recording that was altered: what it says" \
	"$(grep -c '^ioscope: /tmp/recording: .*, behind byte [0-9]*: read up to there$' /tmp/said)" 1
ioscope record -a /tmp/recording 0.1 1 >/tmp/out 2>/tmp/said
is "record -a: what is behind an altered frame is not cut off" \
	"$? $(grep -c ': give another file$' /tmp/said) $(stat -c %s /tmp/recording)" "1 1 $size"
give lines.json </tmp/lines.json

# A disk that leaves and comes back by the same name is another one: nothing is subtracted.
ioscope -o csv 0.3 14 nullb1 >/tmp/back.csv &
sleep 1
remove_null_blk_disk nullb1
sleep 1
make_null_blk_disk nullb1 irqmode=2 completion_nsec=2000000 submit_queues=1
dd if=/dev/nullb1 of=/dev/null bs=4k count=10 iflag=direct status=none
wait %%
is "a disk that comes back has another number" \
	"$(awk -F , 'NR > 1 { print $4 }' /tmp/back.csv | uniq | wc -l)" 2
is "and begins at nothing: reads are few" \
	"$(awk -F , 'NR > 2 && $16 > 100 { n++ } END { print n + 0 }' /tmp/back.csv)" 0
is "and what it did until its first report is there" \
	"$(awk -F , 'NR > 1 { number = $4; sum[number] += $16 } END { print (sum[number] >= 10) }' /tmp/back.csv)" 1
