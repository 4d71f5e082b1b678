# SPDX-License-Identifier: GPL-2.0
# kstats by the binary calls of /dev/iostat, compared with the text.

. /payload/kstat.sh
k=/payload/kstats
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

# kid MODULE:INSTANCE:NAME: prints its kid.
kid()
{
	listed "$1" 1
}

# typed MODULE:INSTANCE:NAME STATISTIC: prints its value and type.
typed()
{
	$k print "$(kid "$1")" | awk -F '\t' -v name="$1:$2" '$1 == name { print $2, $3 }'
}

make_null_blk_disk nbk size=64 memory_backed=1
make_partitions /dev/nbk 2048:4096
dd if=/dev/nbk of=/dev/null bs=4k count=16 iflag=direct status=none
wait_idle nbk
succeeds "client: loads" insmod /payload/kstat_client.ko

# One kstat of every type, and named values of every type.
asked 'create 0 1 10 4 kstat_client 0 all misc' >/tmp/out
for type in 0 1 2 3 4 5 6 7 8; do
	asked "named 0 $type $type type$type" >/tmp/out
	asked "set 0 $type -2" >/tmp/out
done
asked 'chars 0 0 sixteen letters.' >/tmp/out
before=$(chain_id)
is "not installed: not in the list" "$($k list | grep -c kstat_client:0:all)" 0
is "not installed: EAGAIN" "$($k room "$(asked 'kid 0')" 9 99)" "EAGAIN 9 99"
is "not installed: EAGAIN on a write" "$($k write "$(asked 'kid 0')" type3 3 1)" EAGAIN
is "installed" "$(asked 'install 0')" 0
asked 'create 1 2 1 0 kstat_client 1 - intr' >/tmp/out
asked 'intr 1 3 4000000000' >/tmp/out
asked 'create 2 4 2 0 kstat_client 2 t misc' >/tmp/out
asked 'timer 2 0 nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn' >/tmp/out
asked 'timer 2 1 b' >/tmp/out
asked 'start 2 1' >/tmp/out
asked 'stop 2 1' >/tmp/out
asked 'create 3 0 48 4 kstat_client 3 bytes misc' >/tmp/out
asked 'chars 3 0 at the end of it' >/tmp/out
asked 'callbacks 3 5' >/tmp/out
asked 'create 4 3 1 0 kstat_client 4 io disk' >/tmp/out
asked 'callbacks 4 8' >/tmp/out
asked 'create 5 1 2 4 kstat_client 5 s misc' >/tmp/out
asked 'named 5 0 9 model' >/tmp/out
asked 'named 5 1 9 none' >/tmp/out
asked 'string 5 0 Winchester 30-30' >/tmp/out
asked 'callbacks 5 7' >/tmp/out
asked 'create 6 1 2 0x3 kstat_client 6 v misc' >/tmp/out
asked 'data 6 480' >/tmp/out
asked 'callbacks 6 5' >/tmp/out
asked 'named 6 0 4 a' >/tmp/out
asked 'named 6 1 4 b' >/tmp/out
asked 'named 6 2 4 c' >/tmp/out
for one in 1 2 3 4 5 6; do
	is "client $one: installed" "$(asked "install $one")" 0
done
asked 'queue 4 wwttRwW' >/tmp/out
asked 'queue 4 R' >/tmp/out

# Compared with the text.
message @kstat_list >/tmp/list
is "list: agrees with the text" "$($nobody $k list | sort)" "$(sort /tmp/list)"
is "list: read by a 32-bit program" "$($nobody ${k}32 list)" "$($k list)"
is "list: by number" "$($k list | awk 'NR > 2 { print $1 }')" "$(awk 'NR > 2 { print $1 }' /tmp/list | sort -n)"
is "unix:0:kstat_headers: the list" "$($k headers)" "$($k list)"
holds "installing changes the chain's id" "$(chain_id) != $before"
message @kstat | grep -v ':snaptime' >/tmp/text
$nobody $k print | cut -f 1,2 | grep -v ':snaptime' | sort >/tmp/binary
is "values: agree with the text, of all kstats" "$(sort /tmp/text | diff - /tmp/binary)" ""
$nobody ${k}32 print | cut -f 1,2 | grep -v ':snaptime' | sort >/tmp/binary32
is "values: read by a 32-bit program" "$(sort /tmp/text | diff - /tmp/binary32)" ""
holds "values: of disks, partitions, clients and iostat" \
	"$(grep -c ':reads' /tmp/binary) >= 3 && $(grep -c ':class' /tmp/binary) >= 11"
is "values: types of numbers" "$(for type in 1 2 3 4 5 6 7 8; do typed kstat_client:0:all type$type; done | paste -sd,)" \
	"-2 1,4294967294 2,-2 3,18446744073709551614 4,0xfffffffe 5,0xfffffffffffffffe 6,-2 3,18446744073709551614 4"
is "values: strings" "$(typed kstat_client:0:all type0),$(typed kstat_client:5:s model)" "sixteen letters. 0,Winchester 30-30 9"
is "values: a client's reads have 32 bits, a disk's 64" \
	"$(typed kstat_client:4:io reads | cut -d' ' -f 2) $($k print "$(kid '::nbk')" | awk -F '\t' '/:reads/ { print $3 }')" "2 4"
is "values: the longest name" "$(typed kstat_client:2:t nnnnnnnnnnnnnnnnnnnnnnnnnnnnnn.elapsed_time)" "0 4"
is "values: in the order of the data" "$($k print "$(kid kstat_client:1)" | cut -f 1 | cut -d: -f 4 | head -n 5 | paste -sd' ')" \
	"hard soft watchdog spurious multiple_service"
is "raw: its bytes" "$($k raw "$(kid kstat_client:3:bytes)" | tail -c 17)" "at the end of it"
# A read has its own snaptime; only a client's snapshot may have another.
first=$($k print 1 | awk '/snaptime/ { print $2 }')
second=$(message @kstat unix:0:kstat_types:snaptime | cut -f 2)
third=$($k print 1 | awk '/snaptime/ { print $2 }')
holds "snaptime: between" "first < second && second < third"
is "snaptime: from the client's snapshot" "$($k print "$(kid kstat_client:5:s)" | awk '/snaptime/ { print $2 }')" 4711

# Buffer sizes.
all=$(kid kstat_client:0:all)
is "room: exactly enough" "$($k room "$all" 9 17)" "0 9 17"
is "room: a value too few" "$($k room "$all" 8 17)" "ENOMEM 9 17"
is "room: a byte too few" "$($k room "$all" 9 16)" "ENOMEM 9 17"
is "room: none" "$($k room "$all" 0 0)" "ENOMEM 9 17"
is "room: of a raw kstat" "$($k room "$(kid kstat_client:3:bytes)" 0 48) $($k room "$(kid kstat_client:3:bytes)" 0 47)" \
	"0 0 48 ENOMEM 0 48"
asked 'inside 6 3' >/tmp/out
is "room: of a kstat that grows with each read" "$($k room "$(kid kstat_client:6:v)" 2 0)" "ENOMEM 3 0"

# Errors of the client.
calls=$(asked 'calls 5')
$k print "$(kid kstat_client:5:s)" >/tmp/out
holds "update: called by each read" "$(asked 'calls 5') > calls"
for error in EACCES:13 EIO:-5 EAGAIN:11; do
	asked "error 5 ${error#*:}" >/tmp/out
	is "update: ${error%:*}" "$($k room "$(kid kstat_client:5:s)" 9 99)" "${error%:*} 9 99"
done
asked 'error 5 -12' >/tmp/out
is "update: ENOMEM of the client becomes EAGAIN" "$($k room "$(kid kstat_client:5:s)" 9 99)" "EAGAIN 9 99"
is "update: ENOMEM of the client on a write" "$($k write "$(kid kstat_client:5:s)" model 9 other)" EAGAIN
asked 'error 5 0' >/tmp/out

# Writing.
for write in 1:-7 2:4294967295 3:-9223372036854775808 4:18446744073709551615 7:-1 8:77; do
	type=${write%%:*} written=${write#*:}
	# Types 7 and 8 (long) are reported and written as 64-bit types.
	is "write: type $type" "$($k write "$all" "type$type" "$((type > 6 ? type - 4 : type))" "$written") $(value kstat_client:0:all:type$type)" "0 $written"
done
is "write: FLOAT" "$($k write "$all" type5 5 0x3f800000) $(value kstat_client:0:all:type5)" "0 0x3f800000"
is "write: DOUBLE" "$($k write "$all" type6 6 0x3ff0000000000000) $(value kstat_client:0:all:type6)" "0 0x3ff0000000000000"
is "write: a char array" "$($k write "$all" type0 0 abc) $(value kstat_client:0:all:type0)" "0 abc"
is "write: a longer char array" "$($k write "$all" type0 0 12345678901234567)" EINVAL
is "write: too large" "$($k write "$all" type2 2 4294967296) $($k write "$all" type1 1 2147483648)" "EINVAL EINVAL"
is "write: a wrong type" "$($k write "$all" type1 3 1) $($k write "$all" type3 4 1) $($k write "$all" type0 9 a)" "EINVAL EINVAL EINVAL"
is "write: no such statistic" "$($k write "$all" type 3 1)" ENOENT
writes=$(asked 'writes 5')
is "write: a string, through the client" \
	"$($k write "$(kid kstat_client:5:s)" model 9 'an other') $(value kstat_client:5:s:model) $(($(asked 'writes 5') - writes))" "0 an other 1"
bytes=$(kid kstat_client:3:bytes)
is "write: all bytes" "$($k bytes "$bytes" 012345678901234567890123456789012345678901234567) $($k raw "$bytes")" \
	"0 012345678901234567890123456789012345678901234567"
asked 'inside 3 4' >/tmp/out
is "write: bytes that the client refuses" "$($k bytes "$bytes" 812345678901234567012345678901234567012345678901) $($k raw "$bytes")" \
	"EACCES 012345678901234567890123456789012345678901234567"
asked 'inside 3 0' >/tmp/out
is "write: too few bytes, too many bytes" "$($k bytes "$bytes" 01234567890123456789012345678901234567890123456) $($k bytes "$bytes" 0123456789012345678901234567890123456789012345678)" "EINVAL EINVAL"
is "write: bytes of a named kstat, a name of a raw kstat" "$($k bytes "$all" abc) $($k write "$bytes" n 3 1)" "EINVAL EINVAL"
is "write: not writable" "$($k write "$(kid kstat_client:1)" hard 2 1) $($k write "$(kid '::nbk')" reads 4 1) $($k write 1 raw 4 1) $($k bytes 0 x)" \
	"EACCES EACCES EACCES EACCES"
is "write: EPERM before other errors" "$($nobody $k write 2147483647 n 3 1)" EPERM
is "write: EPERM for an unprivileged opener" "$($nobody $k write "$all" type3 3 1) $(value kstat_client:0:all:type3)" \
	"EPERM -9223372036854775808"

# A kstat without types is written as a whole, as on illumos: interrupts, I/O, timers.
# numbers_of MODULE:INSTANCE:NAME: prints its values in the order of its data.
numbers_of()
{
	$k print "$(kid "$1")" | awk -F '\t' '!/:(class|crtime|snaptime)\t/ { print $2 }' | paste -sd' '
}

# numbers MODULE:INSTANCE:NAME NUMBER...: writes it, and prints the result and its values afterwards.
numbers()
{
	echo "$($k numbers "$(kid "$1")" "${@:2}") $(numbers_of "$1")"
}

asked 'create 10 2 1 4 kstat_client 10 intr misc' >/tmp/out
asked 'create 11 3 1 4 kstat_client 11 io disk' >/tmp/out
asked 'callbacks 11 8' >/tmp/out
asked 'create 12 4 2 4 kstat_client 12 timers misc' >/tmp/out
asked 'timer 12 0 a' >/tmp/out
asked 'timer 12 1 b' >/tmp/out
asked 'create 13 3 1 4 kstat_client 13 taken disk' >/tmp/out
asked 'callbacks 13 5' >/tmp/out
for one in 10 11 12 13; do
	is "bytes: client $one: installed" "$(asked "install $one")" 0
done
asked 'intr 10 3 7' >/tmp/out
is "bytes: interrupts" "$(numbers kstat_client:10:intr 1 2 3 4 4294967295)" "0 1 2 3 4 4294967295"
asked 'intr 10 3 5' >/tmp/out
is "bytes: interrupts counted afterwards" "$(numbers_of kstat_client:10:intr)" "1 2 3 9 4294967295"
is "bytes: interrupts zeroed" "$(numbers kstat_client:10:intr 0 0 0 0 0)" "0 0 0 0 0 0"
asked 'queue 11 wrR' >/tmp/out
is "bytes: I/O" "$(numbers kstat_client:11:io 8192 512 4294967295 3 1000 2000 3000 4000 5000 6000 0 0)" \
	"0 8192 512 4294967295 3 1000 2000 3000 4000 5000 6000 0 0"
# The client goes on from the written values: an exit from a queue that is now empty changes nothing.
asked 'queue 11 W' >/tmp/out
is "bytes: I/O: an exit from an empty queue" "$(numbers_of kstat_client:11:io | cut -d' ' -f 5-7)" "1000 2000 3000"
is "bytes: I/O zeroed" "$(numbers kstat_client:11:io 0 0 0 0 0 0 0 0 0 0 0 0)" "0 0 0 0 0 0 0 0 0 0 0 0 0"
asked 'start 12 1' >/tmp/out
asked 'stop 12 1' >/tmp/out
is "bytes: timers" "$(numbers kstat_client:12:timers a:2 30 10 20 5 6 c:1 18446744073709551615 3 4 5 6)" \
	"0 2 30 10 20 5 6 1 18446744073709551615 3 4 5 6"
is "bytes: timers: names" "$($k print "$(kid kstat_client:12:timers)" | sed -n 's/.*:\(.*\)\.num_events.*/\1/p' | paste -sd' ')" "a c"
writes=$(asked 'writes 13')
is "bytes: through the client's callbacks" "$(numbers kstat_client:13:taken 1 2 3 4 5 6 7 8 9 10 0 0) $(($(asked 'writes 13') - writes))" \
	"0 1 2 3 4 5 6 7 8 9 10 0 0 1"
asked 'inside 13 4' >/tmp/out
is "bytes: refused by the client" "$(numbers kstat_client:13:taken 0 0 0 0 0 0 0 0 0 0 0 0)" \
	"EACCES 1 2 3 4 5 6 7 8 9 10 0 0"
asked 'inside 13 0' >/tmp/out
asked 'error 13 11' >/tmp/out
is "bytes: EAGAIN from the client" "$($k numbers "$(kid kstat_client:13:taken)" 0 0 0 0 0 0 0 0 0 0 0 0)" EAGAIN
asked 'error 13 0' >/tmp/out
is "bytes: a wrong length: EINVAL" "$($k bytes "$(kid kstat_client:10:intr)" 0123456789012345678) $($k numbers "$(kid kstat_client:11:io)" 0 0 0 0 0) $($k numbers "$(kid kstat_client:12:timers)" x:0 0 0 0 0 0) $(numbers_of kstat_client:12:timers)" \
	"EINVAL EINVAL EINVAL 2 30 10 20 5 6 1 18446744073709551615 3 4 5 6"
is "bytes: a statistic of data without types: EINVAL" "$($k write "$(kid kstat_client:11:io)" reads 2 1) $($k write "$(kid kstat_client:12:timers)" a.num_events 4 1)" "EINVAL EINVAL"
is "bytes: not writable, of a disk: EACCES" "$($k numbers "$(kid kstat_client:4:io)" 0 0 0 0 0 0 0 0 0 0 0 0) $($k numbers "$(kid '::nbk')" 0 0 0 0 0 0 0 0 0 0 0 0)" "EACCES EACCES"
is "bytes: EPERM before other errors" "$($nobody $k numbers 2147483647 0 0 0 0 0)" EPERM

# A kstat is deleted.
before=$(chain_id)
gone=$(kid kstat_client:1)
asked 'delete 1' >/tmp/out
holds "gone: the chain's id changes" "$($k list | awk 'NR == 1 { print $2 }') != $before"
is "gone: ENXIO" "$($k room "$gone" 9 99) $($k write "$gone" hard 2 1)" "ENXIO 9 99 ENXIO"
is "gone: not in the list" "$($k list | awk -v kid="$gone" '$1 == kid')" ""
asked 'create 8 1 1 0xc kstat_client 8 p misc' >/tmp/out
asked 'named 8 0 4 kept' >/tmp/out
asked 'install 8' >/tmp/out
asked 'set 8 0 99' >/tmp/out
asked 'delete 8' >/tmp/out
is "dormant: readable" "$($k print "$(kid kstat_client:8:p)" | awk '/:kept/ { print $2 }')" 99
is "dormant: cannot be written" "$($k write "$(kid kstat_client:8:p)" kept 4 1)" EACCES

# Invalid and valid arguments.
asked 'create 9 1 2 4 kstat_client 9 w misc' >/tmp/out
asked 'named 9 0 3 n' >/tmp/out
asked 'named 9 1 0 text' >/tmp/out
asked 'chars 9 1 sixteen letters.' >/tmp/out
asked 'install 9' >/tmp/out
is "sizes, flags, reserved members, numbers, addresses, files" "$($k wrong "$(kid kstat_client:9:w)")" ""

rmmod kstat_client
remove_null_blk_disk nbk
nothing_lost "kstat-abi"
