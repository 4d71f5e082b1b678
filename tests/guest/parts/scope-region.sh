# SPDX-License-Identifier: GPL-2.0
# ioscope region against the module's own text and against device-mapper's statistics of the same disk.

modprobe -q dm_mod
dm_linear parts /dev/nullb1 524288
dm=$(dm_disk parts)
dmsetup message parts 0 @stats_create - /4 1 precise_timestamps >/dev/null

is "region create" "$(ioscope region create --areas 4 /dev/mapper/parts)" "$dm: region 0"
is "region list" "$(ioscope region list -H "$dm" | awk '{ print $1, $2, $3, $4, $5, $6, $7 }')" \
	"$dm 0 0 524288 131072 4 ioscope"
dd if=/dev/mapper/parts of=/dev/null bs=4k count=30 iflag=direct status=none
dd if=/dev/zero of=/dev/mapper/parts bs=8k seek=20000 count=20 oflag=direct status=none

# Reads, writes, sectors read, sectors written of each area.
ioscope region print -H "$dm" | awk 'NF { print $6, $7, $8, $9 }' >/tmp/ours
dmsetup message parts 0 @stats_print 0 | awk '{ print $2, $6, $4, $8 }' >/tmp/theirs
is "region print: the counts are device-mapper's" "$(cat /tmp/ours)" "$(cat /tmp/theirs)"
is "region print: and those of what was done" "$(sed -n 1p /tmp/ours) $(sed -n 3p /tmp/ours)" "30 0 240 0 0 20 0 320"
is "region print: JSON" "$(ioscope region print -o json -1 -i 0 "$dm" | sed -n '1s/.*"reads":\([0-9]*\),.*/\1/p')" 30
is "region print: CSV" "$(ioscope region print -o csv "$dm" | sed -n 2p | cut -d , -f 8)" 30

(sleep 1; exec dd if=/dev/mapper/parts of=/dev/null bs=4k count=40 iflag=direct status=none) &
ioscope region report -H 3 1 "$dm" >/tmp/report
wait
near "region report: reads per second" "$(awk 'NR == 1 { print $8 }' /tmp/report)" 13.33 5 0.5
is "region report: of an area without I/O, no mean time" "$(awk 'NR == 2 { print $NF }' /tmp/report)" -

(sleep 1; exec dd if=/dev/mapper/parts of=/dev/null bs=4k count=40 iflag=direct status=none) &
is "heat: the row" "$(ioscope heat -H -a 8 "$dm" 3 1 | sed 's/^[0-9:]* //')" "|=.......|"
wait
is "heat: its region is gone" "$(ioscope region list -H "$dm" | grep -c .)" 1
ioscope heat -a 8 "$dm" 0.2 >/tmp/out &
sleep 1
kill -INT $!
wait $!
is "heat, interrupted: its region is gone" "$(ioscope region list -H "$dm" | grep -c .)" 1
ioscope heat -a 8 "$dm" 0.2 >/tmp/out &
sleep 1
is "heat: its region is there" "$(ioscope region list -H "$dm" | grep -c .)" 2
kill -HUP $!
wait $!
is "heat, its terminal closed: its region is gone" "$(ioscope region list -H "$dm" | grep -c .)" 1

# A disk that comes back while heat runs, and a region of the same number that another program makes there.
make_null_blk_disk back size=64
ioscope heat -a 8 back 60 >/tmp/out 2>&1 &
heat=$!
sleep 1
is "heat: its region has the number of its process" "$(reply "back @stats_list" | awk '{ print $1, $4, $5 }')" "0: ioscope $heat"
remove_null_blk_disk back
make_null_blk_disk back size=64
is "heat: a disk comes back, with a region" "$(ioscope region create --areas 8 back)" "back: region 0"
kill -INT $heat
wait $heat
is "heat: a region of a disk that came back is left alone" "$(ioscope region list -H back | awk '{ print $1, $2, $6 }')" "back 0 8"
ioscope heat -a 8 back 60 >/tmp/out 2>&1 &
heat=$!
sleep 1
ioscope region delete back 1
ioscope region create --areas 8 back >/tmp/out
kill -INT $heat
wait $heat
is "heat: a region of another program is left alone" "$(ioscope region list -H back | awk '{ print $2 }' | xargs)" "0 1"
ioscope heat -a 8 back 0.2 >/tmp/out 2>/tmp/err &
heat=$!
sleep 1
kill -STOP $heat
ioscope region delete back 2
is "heat: another program takes the number of its region" "$(ioscope region create --areas 8 back)" "back: region 2"
kill -CONT $heat
wait $heat
is "heat: its region has gone" "$? $(cat /tmp/err)" "1 ioscope: back: the region has gone"
is "heat: the region of the same number is left alone" \
	"$(reply "back @stats_list" | awk '{ print $1, $4, $5 }' | xargs)" "0: ioscope - 1: ioscope - 2: ioscope -"
ioscope heat -a 8 back 0.2 >/tmp/out 2>/tmp/err &
heat=$!
sleep 1
remove_null_blk_disk back
make_null_blk_disk back size=64
wait $heat
is "heat: its disk has left" "$? $(cat /tmp/err)" "1 ioscope: back: the device has left"
remove_null_blk_disk back

# What a recording has of it. The other disks have regions of their own while it is made.
rm -f /tmp/regions
ioscope record --areas 16 /tmp/regions 1 5 &
sleep 1.5
is "record --areas: a region on each disk" "$(for disk in nullb0 "$dm"; do
	ioscope region list -H "$disk" | awk '{ print $1, $6, $7 }'
done | xargs)" "nullb0 16 ioscope $dm 4 ioscope $dm 16 ioscope"
dd if=/dev/nullb0 of=/dev/null bs=4k skip=32768 count=40 iflag=direct status=none
wait
is "record --areas: they are gone" "$(ioscope region list -H nullb0 "$dm" | awk '{ print $1, $6 }')" "$dm 4"
is "region list of a recording" "$(ioscope region list -H --replay /tmp/regions "$dm" | awk '{ print $6, $7 }' | sort -u | xargs)" \
	"16 ioscope 4 ioscope"
is "region print of a recording" "$(ioscope region print -H -i 0 --replay /tmp/regions "$dm")" "$(ioscope region print -H -i 0 "$dm")"
# 128 MiB of 512 are the fifth of 16 areas.
is "region report of a recording: reads" "$(ioscope region report -o csv --replay /tmp/regions nullb0 |
	awk -F , 'NR > 1 { n += $8; if ($8) where = $5 } END { print n, where }')" "40 4"
is "heat of a recording: where it was read" "$(ioscope heat -H --replay /tmp/regions nullb0 | grep -F + | sed 's/^[0-9:]* //')" \
	"|....+...........|"
is "heat of a recording: as many characters as are asked for" \
	"$(ioscope heat -H -a 4 --replay /tmp/regions nullb0 | awk -F '|' '{ print length($2) }' | sort -u)" 4
ioscope record /tmp/no-regions 0.1 3
says "heat of a recording without regions" 1 \
	"ioscope: no region of vda was recorded: ioscope record --areas 64 keeps one" \
	ioscope heat --replay /tmp/no-regions vda
ioscope region print -o json --replay /tmp/regions | give areas.json

is "region report: fields by dmstats' names" \
	"$(ioscope region print -H -i 0 --fields name,region_id,area_id,area_len,read_count,write_sector_count "$dm" | tr -s ' ' | head -n 1)" \
	"$(ioscope region print -H -i 0 "$dm" | awk 'NR == 1 { print $1, $2, $3, $5, $6, $9 }')"
is "region report: their headings" "$(ioscope region report -i 0 --fields name,reads_per_sec,util,read_await 0.2 1 "$dm" | head -n 1 | tr -s ' ')" \
	"Name R/s Util% RdAWait"
is "an invalid field" "$(ioscope region print --fields no_such "$dm" 2>&1 | cut -d : -f 1-3)" "ioscope: no_such: invalid field"

succeeds "region resize" ioscope region resize "$dm" 0 0+128M
is "region resize: what both have is kept" "$(ioscope region print -H "$dm" | awk 'NR == 1 { print ($6 > 30) }')" 1
is "region resize: areas" "$(ioscope region list -H "$dm" | awk '{ print $6 }')" 2
succeeds "region clear" ioscope region clear "$dm" 0
is "region clear: nothing is left" "$(ioscope region print -H "$dm" | awk '{ n += $6 + $7 } END { print n }')" 0
succeeds "region delete" ioscope region delete "$dm" 0
says "region delete: there is none" 1 "ioscope: $dm: stats_delete 0: 0: there is no such region" \
	ioscope region delete "$dm" 0
says "an invalid size" 2 "ioscope: 100b: invalid size: it must be whole sectors, as 64k or 1M" \
	ioscope region create --size 100b "$dm"
setpriv --reuid=65534 --clear-groups ioscope region create "$dm" >/tmp/out 2>&1
is "a region without privilege: status" $? 1
dmsetup remove parts
