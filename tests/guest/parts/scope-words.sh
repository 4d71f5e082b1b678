# SPDX-License-Identifier: GPL-2.0
# What ioscope says: headings, devices by their names, JSON and CSV, and errors.

says "an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" ioscope nothing
says "a full disk" 1 "ioscope: cannot write: No space left on device (os error 28)" \
	sh -c 'ioscope >/dev/full'
says "no interval" 1 \
	"ioscope: -Y omits the first report, and without an INTERVAL there is no other: leave out -Y, or give an INTERVAL" ioscope -Y
says "an interval of nothing" 1 "ioscope: an interval is from 0.01 to 1000000 seconds" ioscope 0
says "a closed pipe" 0 "" sh -c 'set -o pipefail; ioscope 0.05 | head -n 1'
ioscope --nothing >/tmp/out 2>&1
is "a wrong option: status" $? 2
setpriv --reuid=65534 --clear-groups ioscope nullb0 >/tmp/out 2>&1
is "an unprivileged user: status" $? 0

is "its own headings" "$(ioscope nullb0 | head -n 1)" \
	"device        r/s    w/s   rMB/s   wMB/s   wait   actv  w_ms  s_ms   r50us   r99us   w50us   w99us   %w   %b  tagw  errs"
is "what is not known is no 0" "$(ioscope nullb0 | awk 'NR == 2 { print $3, $12, $13, $17 }')" "0.0 - - 0"
is "sysstat's headings" "$(ioscope -x nullb0 | head -n 1)" "$(iostat -dx nullb0 | grep '^Device')"
is "no headings" "$(ioscope -Hs nullb0 | wc -l)" 1
is "gstat's line of the interval" "$(ioscope -g nullb0 | grep -c '^dT: [0-9]*\.[0-9][0-9][0-9]s$')" 1
is "a path" "$(ioscope -H /dev/nullb0 | cut -d ' ' -f 1)" nullb0
ln -s /dev/nullb0 /tmp/link
is "a link" "$(ioscope -H /tmp/link | cut -d ' ' -f 1)" nullb0
mkdir -p /dev/disk/by-label /dev/disk/by-uuid
ln -s ../../nullb0 /dev/disk/by-label/root
ln -s ../../nullb1 /dev/disk/by-uuid/1234-ABCD
is "a label" "$(ioscope -H LABEL=root | cut -d ' ' -f 1)" nullb0
is "a label alone" "$(ioscope -H root | cut -d ' ' -f 1)" nullb0
is "a UUID" "$(ioscope -H 1234-ABCD | cut -d ' ' -f 1)" nullb1
is "two devices, in the order of the list" "$(ioscope -H nullb1 nullb0 | awk 'NF { print $1 }' | xargs)" "nullb0 nullb1"

# No escape but on a terminal.
is "no colour in a file" "$(ioscope | grep -c $'\033')" 0

is "CSV: columns of the header and of a line" \
	"$(ioscope -o csv nullb0 | awk -F , '{ print NF }' | xargs)" "42 42"
is "CSV: the columns are those of /dev/iostat" \
	"$(ioscope -o csv nullb0 | head -n 1 | cut -d , -f 6- | tr , ' ')" \
	"$(cut -d ' ' -f 2- /sys/block/nullb0/iostat/stat_columns)"
dd if=/dev/nullb0 of=/dev/null bs=4k count=20 iflag=direct status=none
is "CSV: the counts are those of sysfs" \
	"$(ioscope -o csv nullb0 | tail -n 1 | cut -d , -f 6-13)" \
	"$(cut -d ' ' -f 2-9 /sys/block/nullb0/iostat/stat | tr ' ' ,)"

# Interrupted by a signal, it is still one document, and the table has its summary.
ioscope -o json 0.2 nullb0 >/tmp/interrupted.json &
ioscope 0.2 nullb0 >/tmp/interrupted &
sleep 2
kill -INT %1 %2
wait %1
is "JSON, interrupted: status" $? 0
wait %2
is "a table, interrupted: status" $? 0
is "a table, interrupted: a summary" "$(grep -c '^summary of [0-9.]* s:$' /tmp/interrupted)" 1
give interrupted.json </tmp/interrupted.json
# A name with bytes that a terminal, a shell, JSON or CSV would take for something else: one word, and as it is written it is taken.
odd=$'a b\n\033[31m%"\\,' name='a\040b\012\033[31m%"\134,'
make_null_blk_disk "$odd" size=64
is "an odd name: one line and one word" "$(ioscope -H "$name" | cut -d ' ' -f 1)" "$name"
is "an odd name: in CSV" "$(ioscope -H -o csv "$name" | grep -cF ',"a\040b\012\033[31m%""\134,",')" 1
is "an odd name: as a path" "$(ioscope -H "/dev/$odd" | cut -d ' ' -f 1)" "$name"
is "an odd name: its times" "$(ioscope lat -H "$name" | cut -d ' ' -f 1)" "$name"
is "an odd name: no byte of it is written as it is" "$(ioscope -x | grep -c "$(printf '\033')")" 0
ioscope -o json -1 "$name" | give odd.json
ioscope -o json | give all.json
remove_null_blk_disk "$odd"
ioscope -o json -1 nullb0 | give line.json
is "JSON: the count of reads" "$(ioscope -o json -1 nullb0 | sed 's/.*"read":{"ops":\([0-9]*\),.*/\1/')" \
	"$(cat /sys/block/nullb0/iostat/kstat/reads)"
