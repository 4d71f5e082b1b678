# SPDX-License-Identifier: GPL-2.0
# ioscope files and waits under known loads: bytes by file, also of bios that are merged, and the time that a thread waits.

make_null_blk_disk nullb2 memory_backed=1 size=256 irqmode=2 completion_nsec=2000000 submit_queues=1 hw_queue_depth=1
mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=0 /dev/nullb2 && mkdir -p /mnt/sums && mount /dev/nullb2 /mnt/sums ||
	fail "sums: ext4"

ioscope files -d nullb2 >/tmp/files 2>/tmp/files.err &
files=$!
ioscope files -o csv --by file,comm -d nullb2 1 >/tmp/files.csv 2>/dev/null &
csv=$!
ioscope waits -o json --by thread,in,device -c "a b" >/tmp/waits.json 2>/dev/null &
json=$!
ioscope waits --by comm,in,file -d nullb0 >/tmp/waits 2>/tmp/waits.err &
waits=$!
for pid in $files $csv; do
	until grep -qs 1 $TRACING/instances/ioscope-$pid/events/io/done/enable; do sleep 0.05; done
done
for pid in $json $waits; do
	until grep -qs 1 $TRACING/instances/ioscope-$pid/events/io/wait_done/enable; do sleep 0.05; done
done
# Small files that are written back together are adjacent on the disk: most of their bios are merged.
for file in 1 2 3 4 5 6 7 8; do
	dd if=/dev/zero of="/mnt/sums/m$file" bs=4k count="$file" status=none
done
sync
echo 3 >/proc/sys/vm/drop_caches
cp "$(command -v dd)" "/tmp/a b"
"/tmp/a b" if=/mnt/sums/m8 of=/dev/null bs=4k iflag=direct status=none
dd if=/dev/nullb0 of=/dev/null bs=4k count=30 iflag=direct status=none
before=$(cat /sys/block/nullb0/iostat/devstat/duration_read_ns)
dd if=/dev/nullb0 of=/dev/null bs=4k count=20 iflag=direct status=none
took=$(($(cat /sys/block/nullb0/iostat/devstat/duration_read_ns) - before))
sleep 1
kill -INT $files
kill -TERM $csv
kill -INT $json $waits
for pid in $files $csv $json $waits; do
	wait $pid
	is "sums, ended by a signal: status" $? 0
done
sed 's/^/# /' /tmp/files /tmp/waits
is "files: headings" "$(head -n 1 /tmp/files | xargs)" "READS WRITES R_KB W_KB AVGms ERRS DISK FILE"
is "files: what was written, by file" "$(awk '$8 ~ /sums\/m/ { print $8, $4 }' /tmp/files | sort)" \
	"$(for file in 1 2 3 4 5 6 7 8; do echo "/mnt/sums/m$file $((file * 4))"; done)"
is "files: what was read" "$(awk '$1 && $8 ~ /sums\/m/ { print $8, $1, $3 }' /tmp/files)" "/mnt/sums/m8 8 32"
is "files: the most bytes first" "$(awk 'NR > 1 { print $3 + $4 }' /tmp/files | sort -rnc 2>&1)" ""
is "files: nothing was lost" "$(sed 's/[0-9][0-9]*/N/' /tmp/files.err)" "ioscope: N events, none was lost"
holds "files: the mean time of reads is that of the disk" \
	"$(awk '$8 == "/mnt/sums/m8" { print ($5 >= 2) }' /tmp/files) == 1"
is "files --by file,comm, each second: the same sum" \
	"$(awk -F , '$3 == "/mnt/sums/m8" && $4 == "a\\040b" { reads += $5; bytes += $8 } END { print reads, bytes }' /tmp/files.csv)" \
	"8 32768"
is "files -o csv: fields" "$(awk -F , '{ print NF }' /tmp/files.csv | sort -u)" 13
is "files -o csv: names" "$(head -n 1 /tmp/files.csv)" \
	"time,interval_ns,file,comm,reads,writes,others,read_bytes,written_bytes,ended,errors,time_ns,longest_ns"
is "waits: headings" "$(head -n 1 /tmp/waits | xargs)" "WAITS TOTALms AVGms MAXms COMM IN FILE"
is "waits: a line for dd" "$(awk '$5 == "dd" { print $1, $5, $7 }' /tmp/waits)" "50 dd /dev/nullb0"
# Its thread waits from before the I/O starts until after it has ended.
holds "waits: each takes the time of its I/O" \
	"$(awk -v took=$took '$5 == "dd" { mean = took / 20 / 1e6; print ($3 >= mean && $3 < mean + 1 && $4 >= $3) }' /tmp/waits) == 1"
holds "waits: in all 50 times the mean" \
	"$(awk '$5 == "dd" { off = $2 - 50 * $3; print (off < 0.1 && off > -0.1) }' /tmp/waits) == 1"
# Its executable and directories are read too, by other functions.
is "waits: JSON has the waits of one command alone" \
	"$(grep -o '"device":"[^"]*","waits":[0-9]*,"reads":[0-9]*' /tmp/waits.json | grep '"waits":8')" \
	'"device":"nullb2","waits":8,"reads":8'
is "waits: JSON of other commands" "$(grep -c '"device":"nullb0"' /tmp/waits.json)" 0
give waits.json </tmp/waits.json

ioscope files -H -n 1 -d nullb0 0.5 3 >/tmp/files 2>/dev/null &
files=$!
until grep -qs 1 $TRACING/instances/ioscope-$files/events/io/done/enable; do sleep 0.05; done
dd if=/dev/nullb0 of=/dev/null bs=4k count=10 iflag=direct status=none
wait $files
ioscope files -o json --by device,file,fs,mount,pid,thread,comm,uid -d nullb0 1.5 1 >/tmp/files.json 2>/dev/null &
files=$!
until grep -qs 1 $TRACING/instances/ioscope-$files/events/io/done/enable; do sleep 0.05; done
dd if=/dev/nullb0 of=/dev/null bs=4k count=10 iflag=direct status=none
wait $files
give files.json </tmp/files.json
is "files: JSON" "$(grep -o '"comm":"dd".*"reads":10,' /tmp/files.json | wc -l)" 1
is "files: three reports" "$(grep -c '^$' /tmp/files)" 3
is "files: of the interval in which it was" "$(awk 'NF { print $1, $3, $7, $8 }' /tmp/files | sort -u)" "10 40 nullb0 /dev/nullb0"
says "files --by in" 2 'ioscope: I/Os have no function that waits: `in` is of ioscope waits' ioscope files --by in
says "files --by file,file" 2 "ioscope: each key of --by is given once" ioscope files --by file,file
says "waits: an interval of nothing" 1 "ioscope: an interval is from 0.01 to 1000000 seconds" ioscope waits 0

# A file of several extents, with another file between them.
dd if=/dev/zero of=/mnt/sums/map bs=64k count=8 oflag=direct status=none
dd if=/dev/zero of=/mnt/sums/other bs=64k count=1 oflag=direct status=none
dd if=/dev/zero of=/mnt/sums/map bs=64k count=8 seek=8 oflag=direct status=none
holds "heat --file: a file in pieces" "$(filefrag /mnt/sums/map | sed 's/.*: \([0-9]*\) extent.*/\1/') >= 2"
(sleep 1; dd if=/mnt/sums/other of=/dev/null bs=4k iflag=direct status=none
	exec dd if=/mnt/sums/map of=/dev/null bs=4k skip=224 count=32 iflag=direct status=none) &
ioscope heat --file -a 16 /mnt/sums/map 3 1 >/tmp/heat
wait $!
sed 's/^/# /' /tmp/heat
is "heat --file: heading" "$(head -n 1 /tmp/heat | cut -d ' ' -f 1-3)" "/mnt/sums/map  64K/area"
is "heat --file: what is read, and not what another file has" "$(sed -n '2s/^[0-9:]* //p' /tmp/heat)" "|..............--|"
is "heat --file: its regions are gone" "$(ioscope region list -H nullb2 | grep -c .)" 0
says "heat --file: no file" 1 "ioscope: /dev/nullb2 is not a regular file" ioscope heat --file /dev/nullb2
says "heat --file: on no disk" 1 "ioscope: /tmp/heat: its file system is not on one disk or partition" ioscope heat --file /tmp/heat
umount /mnt/sums
remove_null_blk_disk nullb2
