# SPDX-License-Identifier: GPL-2.0
# ioscope inflight, of a disk whose I/Os take two seconds.

make_null_blk_disk fly irqmode=2 completion_nsec=2000000000 submit_queues=1 hw_queue_depth=4
is "inflight: an idle disk" "$(ioscope inflight -H fly)" ""
is "inflight: an idle disk, as JSON" "$(ioscope inflight -o json fly)" "[]"
readers=
for sector in 8 1024; do
	dd if=/dev/fly of=/dev/null bs=4k count=1 skip=$((sector * 512)) iflag=direct,skip_bytes status=none &
	readers+=" $!"
	sleep 0.3
done
ioscope inflight -o json | give inflight.json
ioscope inflight -s -o json | give inflights.json
ioscope inflight fly >/tmp/inflight
is "inflight: the columns" "$(head -n 1 /tmp/inflight | xargs)" "device phase age_ms service_ms op sector bytes thread comm"
is "inflight: the oldest first" "$(awk 'NR > 1 { print $1, $2, $5, $6, $7 }' /tmp/inflight | paste -sd,)" \
	"fly running read 8 4096,fly running read 1024 4096"
is "inflight: their submitters" "$(awk 'NR > 1 { print $8, $9 }' /tmp/inflight | sort)" "$(printf '%s dd\n' $readers | sort)"
is "inflight: ages" "$(awk 'NR > 1 && ($3 < 200 || $3 > 2000 || $4 > $3)' /tmp/inflight)" ""
is "inflight: a sum" "$(ioscope inflight -Hs fly | awk '{ print $1, $2, $3, ($4 > 500 && $4 < 2000) }')" "fly 0 2 1"
is "inflight: those that are older" "$(ioscope inflight -H -m 100000 fly)" ""
is "inflight: CSV" "$(ioscope inflight -o csv fly | cut -d , -f 2,4,7-9,11 | paste -sd' ')" \
	"device,phase,op,sector,bytes,comm fly,running,read,8,4096,dd fly,running,read,1024,4096,dd"
ioscope record /tmp/fly.recording 0.1 2
is "inflight: of a recording" "$(ioscope inflight -o csv --replay /tmp/fly.recording fly | cut -d , -f 2,4,7-9,11 | paste -sd' ')" \
	"device,phase,op,sector,bytes,comm fly,running,read,8,4096,dd fly,running,read,1024,4096,dd"
is "inflight: a sum of a recording" "$(ioscope inflight -Hs --replay /tmp/fly.recording | awk '{ print $1, $2, $3, ($4 > 500 && $4 < 2000) }')" "fly 0 2 1"
is "inflight: each interval of a recording" "$(ioscope inflight -o csv -H --replay /tmp/fly.recording 0.1 fly | cut -d , -f 1 | uniq -c | awk '{ print $1 }' | xargs)" "2 2"
is "inflight: other users" "$(setpriv --reuid=65534 --clear-groups ioscope inflight -H fly | awk '{ print $2, $5, $6, $7, $8, $9 }' | sort -u)" \
	"running - - - - -"
says "inflight: an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" ioscope inflight nothing
# shellcheck disable=SC2086 # several
wait $readers
is "inflight: none after their end" "$(ioscope inflight -H fly)" ""
remove_null_blk_disk fly
