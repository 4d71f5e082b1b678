# SPDX-License-Identifier: GPL-2.0
# ioscope kstat and ioscope events against the module's own text, byte for byte.

# asked MESSAGE: its reply.
asked()
{
	open_iostat 3 || return 1
	printf '%s\n' "$1" >&3
	cat <&3
	exec 3>&-
}

# What stands still between two reads: not when they were made.
still()
{
	grep -vE ':snaptime	' "$1"
}

insmod /payload/fake_tape.ko
insmod /payload/fake_drum.ko
insmod /payload/kstat_client.ko 2>/dev/null
asked @kstat >/tmp/text
ioscope kstat -p >/tmp/scope
is "kstat -p is the module's text, but for the time" "$(still /tmp/scope | md5sum)" "$(still /tmp/text | md5sum)"
is "kstat -p: the same lines" "$(cut -f 1 /tmp/scope | md5sum)" "$(cut -f 1 /tmp/text | md5sum)"
succeeds "kstat -p: md5sum works" sh -c 'md5sum </tmp/scope | grep -q "^[0-9a-f]"'
is "kstat -p: there are many" "$(($(wc -l </tmp/scope) > 100))" 1
for selector in "null_blk::nullb0" ":::n[rw]*" "unix:0:kstat_types" "fake_drum:0:geometry:rpm" "::nullb?:class"; do
	asked "@kstat $selector" >/tmp/text
	ioscope kstat -p "$selector" >/tmp/scope
	is "kstat -p $selector" "$(still /tmp/scope)" "$(still /tmp/text)"
	holds "kstat -p $selector: there are some" "$(wc -l </tmp/scope) > 0"
done
is "kstat by options" "$(ioscope kstat -p -m null_blk -n 'nullb?' -s reads)" "$(asked '@kstat null_blk::nullb?:reads')"
is "kstat by class" "$(ioscope kstat -l -c disk -s class | cut -d : -f 3 | sort | xargs)" "fake_drum0 nullb0 nullb1 vda"
says "no such kstat" 1 "ioscope: there is no such kstat: ioscope kstat -l lists all" ioscope kstat nothing
is "kstat: the heading is illumos'" "$(ioscope kstat ::nullb0 | sed -n 1,2p)" \
	"module: null_blk                        instance: 0     
name:   nullb0                          class:    disk"
ioscope kstat -j | give kstat.json

# What a recording has of them. Those of devices are not recorded again: they are made of the devices' counters.
asked @kstat >/tmp/text
ioscope record /tmp/kstats 0.1 2
ioscope kstat -p --replay /tmp/kstats >/tmp/scope
is "kstats of a recording: the same" "$(still /tmp/scope | md5sum)" "$(still /tmp/text | md5sum)"
is "kstats of a recording: the same lines" "$(cut -f 1 /tmp/scope | md5sum)" "$(cut -f 1 /tmp/text | md5sum)"
is "kstats of a recording: at each interval" "$(ioscope kstat -p --replay /tmp/kstats 0.1 ::nullb0:reads | grep -c :reads)" 2

# A cache flush is an event.
dd if=/dev/zero of=/dev/vda bs=4k count=1 conv=fsync status=none
asked @evcnt_list >/tmp/text
ioscope events >/tmp/scope
is "events are the module's text" "$(awk '{ $(NF - 1) = ""; print }' /tmp/scope)" "$(awk '{ $(NF - 1) = ""; print }' /tmp/text)"
holds "events: there are some" "$(wc -l </tmp/scope) > 1"
is "events: of one device" "$(ioscope events -H vda | awk '{ print $1 }' | sort -u)" vda
is "events: the columns" "$(head -n 1 /tmp/scope)" "$(head -n 1 /tmp/text)"
ioscope events -o json | give events.json
ioscope lat -o json -q 50,99.9 | give lat.json
rmmod fake_drum fake_tape
