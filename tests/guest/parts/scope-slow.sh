# SPDX-License-Identifier: GPL-2.0
# ioscope slow, of a disk whose I/Os take 600 ms, and of one whose do not.

make_null_blk_disk fly irqmode=2 completion_nsec=10000000
make_null_blk_disk slug irqmode=2 completion_nsec=600000000 submit_queues=1 hw_queue_depth=4 badblocks=+1024-1031
echo none >/sys/block/slug/queue/scheduler
wait_idle slug
for disk in fly slug; do
	dd if=/dev/$disk of=/dev/null bs=4k count=1 skip=1 iflag=direct status=none
done
started=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
dd if=/dev/zero of=/dev/slug bs=8k count=1 seek=2 oflag=direct status=none &
writer=$!
wait $writer
dd if=/dev/slug of=/dev/null bs=4k count=1 skip=128 iflag=direct status=none 2>/dev/null
ended=$(date -u +%Y-%m-%dT%H:%M:%S.999Z)
ioscope slow -o json | give slow.json
ioscope slow slug >/tmp/slow
is "slow: the columns" "$(head -n 1 /tmp/slow | xargs)" \
	"time device wait_ms service_ms error wcnt rcnt op sector bytes thread comm"
is "slow: the newest last" "$(tail -n 2 /tmp/slow | awk '{ print $2, $5, $6, $7, $8, $9, $10, $12 }' | paste -sd,)" \
	"slug 0 0 0 write 32 8192 dd,slug 5 0 0 read 1024 4096 dd"
is "slow: its submitter" "$(tail -n 2 /tmp/slow | awk 'NR == 1 { print $11 }')" "$writer"
is "slow: times" "$(awk 'NR > 1 && ($4 < 600 || $4 > 5000 || $3 > 1000)' /tmp/slow)" ""
at=$(tail -n 2 /tmp/slow | awk 'NR == 1 { print $1 }')
is "slow: the time of day" "$([[ $started < $at && $at < $ended ]] && echo between || echo "$started $at $ended")" between
is "slow: what was fast" "$(ioscope slow -H fly)" ""
is "slow: those that took longer" "$(ioscope slow -H -m 100000 slug)" ""
is "slow: CSV" "$(ioscope slow -o csv slug | cut -d , -f 2,6,9-11,13 | sed -n '1p;$p' | paste -sd' ')" \
	"device,error,op,sector,bytes,comm slug,5,read,1024,4096,dd"
terminal 160 30 "ioscope top 0.2 slug"
shows "slow: top" '^slug '
keys 6
shows "slow: a page of top" '^[0-9TZ:.-]+ slug +[0-9.]+ +6[0-9]{2}\.[0-9]+ +5 +0 +0 read +1024 +4096 +[0-9]+ dd$'
is "slow: the newest first" "$(sed -n '3,4p' /tmp/screen | awk '{ print $8 }' | xargs)" "read write"
keys q
ended "slow: top ends" 0
# The same from a recording, during which there is one more.
ioscope record /tmp/slug.recording 0.5 4 &
recorder=$!
dd if=/dev/slug of=/dev/null bs=4k count=1 skip=3 iflag=direct status=none
wait $recorder
is "slow: of a recording" "$(ioscope slow -H --replay /tmp/slug.recording slug | cut -c 25-)" "$(ioscope slow -H slug | cut -c 25-)"
later=$(ioscope slow -o csv --replay /tmp/slug.recording slug | tail -n 1 | cut -d , -f 1)
is "slow: of a part of a recording" "$(ioscope slow -H --replay /tmp/slug.recording --from "$later" | awk '{ print $2, $8, $9 }')" "slug read 24"
is "slow: a recording is its owner's" "$(stat -c %a /tmp/slug.recording)" 600
is "slow: other users" "$(setpriv --reuid=65534 --clear-groups ioscope slow -H slug | awk '{ print $2, $8, $9, $10, $11, $12 }' | sort -u)" \
	"slug - - - - -"
says "slow: an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" ioscope slow nothing
remove_null_blk_disk fly
remove_null_blk_disk slug
