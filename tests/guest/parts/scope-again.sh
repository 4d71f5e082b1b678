# SPDX-License-Identifier: GPL-2.0
# A recording that goes on after the module was loaded again: what each load counted is not subtracted from the other's.

make_null_blk_disk again irqmode=0 submit_queues=1 max_sectors=8
dd if=/dev/zero of=/dev/again bs=8k count=10 oflag=direct status=none
ioscope record /tmp/again.recording 0.2 3
[ ! -d /sys/module/kstat_client ] || rmmod kstat_client
reload
dd if=/dev/zero of=/dev/again bs=8k count=15 oflag=direct status=none
ioscope record -a /tmp/again.recording 0.2 3
replayed="--replay /tmp/again.recording -o csv"
is "again: sizes" "$(ioscope sizes -H -c write $replayed again | cut -d , -f 2,4-)" "again,write,4096,30"
is "again: events" "$(ioscope events $replayed again | grep ',again splits,' | cut -d , -f 3,4)" "15,15"
is "again: writes" "$(ioscope -H $replayed again | cut -d , -f 17)" 30
remove_null_blk_disk again
