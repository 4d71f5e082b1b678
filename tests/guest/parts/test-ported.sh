# SPDX-License-Identifier: GPL-2.0
# Drivers' statistics written as on FreeBSD, illumos and NetBSD, in modules of tests/modules/ported_*.c.

. /payload/kstat.sh
complaints=$(lines)

# do_ported MODULE WORDS...: passes a request to a module.
do_ported()
{
	echo "${*:2}" >"/sys/module/$1/parameters/do"
}

# FreeBSD: a tape, its passthrough device, and removable media.
succeeds "FreeBSD: loads" insmod /payload/ported_sa.ko
sa=/sys/class/misc/iostat/devstat/ported_sa0
pass=/sys/class/misc/iostat/devstat/ported_pass0
is "FreeBSD: before a medium is loaded" "$(cat $sa/devstat/{block_size,flags} | paste -sd' ')" "0 0x4"
generation=$(cat /sys/class/misc/iostat/generation)
succeeds "FreeBSD: a medium" do_ported ported_sa load 10240
is "FreeBSD: its block size" "$(cat $sa/devstat/{block_size,flags} | paste -sd' ')" "10240 0x0"
is "FreeBSD: the generation changes" "$(cat /sys/class/misc/iostat/generation)" $((generation + 1))
do_ported ported_sa write 7 10240
do_ported ported_sa read 3 512
do_ported ported_sa flush
do_ported ported_sa erase 4096
do_ported ported_sa fail 512
is "FreeBSD: operations" "$(cat $sa/devstat/operations_{none,read,write,free} | paste -sd' ')" "1 4 7 1"
is "FreeBSD: bytes" "$(cat $sa/devstat/bytes_{none,read,write,free} | paste -sd' ')" "0 1536 71680 4096"
is "FreeBSD: tags" "$(cat $sa/devstat/tag_{simple,head,ordered} | paste -sd' ')" "12 0 1"
is "FreeBSD: starts and ends" "$(cat $sa/devstat/{start,end}_count | paste -sd' ')" "13 13"
holds "FreeBSD: durations" "$(cat $sa/devstat/duration_write_ns) >= 7 * 20000"
holds "FreeBSD: busy" "$(cat $sa/devstat/busy_time_ns) >= 13 * 20000"
do_ported ported_sa pass 4096
is "FreeBSD: a command without a bio" \
	"$(cat $pass/devstat/{operations_read,bytes_read,tag_simple,flags} | paste -sd' ')" "1 3072 0 0x3"
refuses "FreeBSD: a block size of an entry without blocks" do_ported ported_sa wrong
succeeds "FreeBSD: the medium is removed" do_ported ported_sa load 0
is "FreeBSD: without a medium no block size" "$(cat $sa/devstat/{block_size,flags} | paste -sd' ')" "0 0x4"
succeeds "FreeBSD: unloads" rmmod ported_sa
refuses "FreeBSD: its entries are removed" test -e $sa -o -e $pass

# illumos: I/O kstats of a unit and a partition, and errors.
succeeds "illumos: loads" insmod /payload/ported_sd.ko
is "illumos: name, class and type" "$(listed ported_sd:0:ported_sd0 2) $(listed ported_sd:0:ported_sd0 6)" "i/o disk"
do_ported ported_sd write 5 8192
do_ported ported_sd read 2 512
do_ported ported_sd retry 1024
do_ported ported_sd cancel
do_ported ported_sd error
for name in ported_sd0 ported_sd0,a; do
	is "illumos: $name: writes" "$(value "ported_sd:0:$name:writes") $(value "ported_sd:0:$name:nwritten")" "7 41984"
	is "illumos: $name: reads" "$(value "ported_sd:0:$name:reads") $(value "ported_sd:0:$name:nread")" "2 1024"
	is "illumos: $name: the queues are empty" "$(value "ported_sd:0:$name:[rw]cnt" | paste -sd' ')" "0 0"
	holds "illumos: $name: each of five waited for those before it" "$(value "ported_sd:0:$name:wlentime") >= 10 * 20000"
	holds "illumos: $name: ten delays in the run queue" "$(value "ported_sd:0:$name:rtime") >= 10 * 20000"
done
is "illumos: errors" "$(value 'ported_sderr:0:ported_sd0,err:*Errors' | paste -sd' ')" "1 1"
is "illumos: text" "$(value 'ported_sderr:0:ported_sd0,err:[VR]*' | paste -sd' ')" "1.0 PORTED"
is "illumos: value.ull" "$(value 'ported_sderr:0:ported_sd0,err:Size')" 1099511627776
succeeds "illumos: unloads" rmmod ported_sd
is "illumos: persistent kstats stay" "$(value ported_sd:0:ported_sd0:writes)" 7
succeeds "illumos: loads again" insmod /payload/ported_sd.ko
do_ported ported_sd write 1 512
is "illumos: persistent kstats go on counting" "$(value ported_sd:0:ported_sd0:writes) $(value 'ported_sderr:::Hard*')" "8 1"
succeeds "illumos: unloads again" rmmod ported_sd

# NetBSD: counters of queues and interrupts, and copies of the device's counters.
# counted NAME: prints total and type.
counted()
{
	message @evcnt_list all | awk -v n="$1" 'index($0, "ported_wm0 " n " ") == 1 { print $(NF - 2), $NF }'
}
succeeds "NetBSD: loads" insmod /payload/ported_wm.ko
do_ported ported_wm tx 1 40
do_ported ported_wm tx 0 2
do_ported ported_wm rx 0 10
do_ported ported_wm link
do_ported ported_wm stats 17
is "NetBSD: queues" "$(counted txq00packets),$(counted txq01packets),$(counted rxq00packets)" "2 misc,40 misc,10 misc"
is "NetBSD: interrupts" "$(counted txq01txdw),$(counted rxq00intr),$(counted linkintr)" "1 intr,1 intr,1 intr"
is "NetBSD: a sum" "$(counted 'Good Octets')" "600 misc"
is "NetBSD: a store" "$(counted 'CRC Error') $(cat /sys/module/ported_wm/parameters/crcerrs)" "17 misc 17"
do_ported ported_wm stats 19
do_ported ported_wm rx 1 1
is "NetBSD: the next store" "$(counted 'CRC Error'),$(counted 'Good Octets')" "19 misc,660 misc"
do_ported ported_wm clear
is "NetBSD: cleared" "$(counted 'CRC Error'),$(counted 'Good Octets')" "0 misc,0 misc"
do_ported ported_wm rx 0 1
is "NetBSD: counts after it was cleared" "$(counted 'Good Octets')" "60 misc"
succeeds "NetBSD: unloads" rmmod ported_wm
is "ported: no warning" "$(lines)" "$complaints"
