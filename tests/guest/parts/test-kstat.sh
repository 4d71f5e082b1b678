# SPDX-License-Identifier: GPL-2.0
# kstat(9F): the chain, kstats of other modules, and what happens on misuse.

. /payload/kstat.sh

# warns NAME WANT LINE: checks the result of a request, and that it logs one line.
warns()
{
	local before
	before=$(lines)
	is "$1: result" "$(asked "$3")" "$2"
	is "$1: one line" $(($(lines) - before)) 1
	warned=$((warned + 1))
	# Ten in five seconds are logged.
	((warned % 8)) || sleep 6
}
warned=0

# Every disk is a kstat, and so is the chain itself.
make_null_blk_disk nullb7
disk=nullb7 DISK=/dev/nullb7
directory=/sys/block/$disk/iostat/kstat
driver=$(cat $directory/module)
id="$driver:$(cat $directory/instance):$disk"
is "chain: its first two" "$(message @kstat_list unix | awk 'NR > 2 { print $1, $NF }' | paste -sd,)" \
	"0 unix:0:kstat_headers,1 unix:0:kstat_types"
is "chain: types" "$(message @kstat unix:0:kstat_types | grep -v ':crtime\|:snaptime' | cut -d: -f 4 | tr '\t' ' ' | paste -sd,)" \
	"class kstat,event_timer 4,i/o 3,interrupt 2,name=value 1,raw 0"
is "disk: its class" "$(value "$id:class")" disk
is "disk: its type" "$(listed "$id" 2)" i/o
is "disk: virtual" "$(listed "$id" 3)" 0x1
is "disk: crtime" "$(value "$id:crtime")" "$(cat $directory/crtime)"
dd if="$DISK" of=/dev/null bs=4k count=64 iflag=direct 2>/dev/null
is "disk: reads" "$(value "$id:reads")" "$(cat $directory/reads)"
is "disk: nread" "$(value "$id:nread")" "$(cat $directory/nread)"
holds "disk: has read" "$(value "$id:nread") >= 64 * 4096"
is "disk: all statistics, by name" "$(message @kstat "$id" | cut -f 1 | cut -d: -f 4 | paste -sd' ')" \
	"class crtime nread nwritten rcnt reads rlastupdate rlentime rtime snaptime wcnt wlastupdate wlentime writes wtime"
is "disk: each has a kstat" "$(message @kstat :::class | awk '$2 == "disk"' | wc -l)" \
	"$(ls -d /sys/block/*/iostat | wc -l)"
is "disk: each partition has a kstat" "$(message @kstat :::class | awk '$2 == "partition"' | wc -l)" \
	"$(ls -d /sys/block/*/*/iostat | wc -l)"
is "disk: cannot be written" "$(outcome "@kstat_write $id:reads 0")" EACCES
before=$(message @kstat_list | awk 'NR > 2 { print $1 }' | sort -n | tail -n 1) chain=$(chain_id)
make_null_blk_disk nullb8
is "disk: a new one changes the chain" "$(chain_id)" $((chain + 1))
is "disk: a new one has a kstat at once" "$(value '::nullb8:class')" disk
holds "disk: a new one has a new kid" "$(listed '::nullb8' 1) > $before"
before=$(chain_id)
remove_null_blk_disk nullb8
is "disk: a removed one has no kstat" "$(value '::nullb8')" ""
is "disk: a removed one changes the chain" "$(chain_id)" $((before + 1))
succeeds "chain: every user may read" setpriv --reuid=65534 --regid=65534 --clear-groups \
	sh -c '[ -c /dev/iostat ] && echo "@kstat" >/dev/iostat'

# Selectors.
is "selector: missing parts match all" "$(message @kstat unix | wc -l)" \
	"$(message @kstat 'unix:*:*:*' | wc -l)"
is "selector: several" "$(message @kstat :::raw ':::name=value' | wc -l)" 2
is "selector: globs" "$(message @kstat 'u?i[w-y]:0:kstat_t*s:i*' | cut -d: -f 4 | tr '\t\n' ' ,')" "i/o 3,interrupt 2,"
is "selector: no match is not an error" "$(message @kstat nothing)" ""
refuses "selector: more than sixteen" send "@kstat 1 2 3 4 5 6 7 8 9 a b c d e f g h"

# All functions, all types.
succeeds "client: loads" insmod /payload/kstat_client.ko

# A client has a kstat with the name of a disk that is added later: the disk is recorded without a kstat.
is "name in use: create" "$(asked "create 0 1 0 0 $driver 8 nullb8 misc") $(asked 'install 0')" "0 0"
before=$(chain_id)
make_null_blk_disk nullb8
is "name in use: no kstat for the disk" "$(value "$driver:8:nullb8:class") $(chain_id)" "misc $before"
is "name in use: one line in the log" "$(dmesg | grep -c 'iostat: nullb8: not among the kstats: EEXIST')" 1
dd if=/dev/nullb8 of=/dev/null bs=4k count=10 iflag=direct status=none
holds "name in use: the disk is recorded" "$(cat /sys/block/nullb8/iostat/kstat/reads) >= 10"
remove_null_blk_disk nullb8
is "name in use: removing the disk changes nothing" "$(value "$driver:8:nullb8:class") $(chain_id)" "misc $before"
is "name in use: the client deletes its kstat" "$(asked 'delete 0')" 0
make_null_blk_disk nullb8
is "name in use: the next disk has a kstat" "$(value "$driver:8:nullb8:class")" disk
warns "a name that a disk has" -1 "create 0 1 0 0 $driver 8 nullb8 misc"
remove_null_blk_disk nullb8
complaints=$(lines)
before=$(chain_id)
is "create: named" "$(asked 'create 0 1 10 4 kstat_client 0 all misc')" 0
holds "create: changes the chain" "$(chain_id) > $before"
is "create: kid is the chain's id before" "$(asked 'kid 0')" "$before"
before=$(chain_id)
is "create: not visible" "$(message @kstat kstat_client)" ""
is "create: invalid" "$(asked 'flags 0')" $((0x24))
n=0
for type in 0 1 2 3 4 5 6 7 8; do
	asked "named 0 $n $type type$type" >/tmp/out
	asked "set 0 $n -2" >/tmp/out
	n=$((n + 1))
done
asked 'named 0 9 1 Soft Errors' >/tmp/out
asked 'chars 0 0 sixteen letters.' >/tmp/out
is "install" "$(asked 'install 0')" 0
is "install: changes the chain" "$(chain_id)" $((before + 1))
is "install: listed" "$(listed kstat_client:0:all 1)" $((before - 1))
is "install: valid" "$(asked 'flags 0')" 4
is "named: all types, by name" \
	"$(message @kstat kstat_client:0:all:[tS]* | cut -d: -f 4 | tr '\t\n' '=,')" \
	"Soft Errors=0,type0=sixteen letters.,type1=-2,type2=4294967294,type3=-2,type4=18446744073709551614,type5=0xfffffffe,type6=0xfffffffffffffffe,type7=-2,type8=18446744073709551614,"
is "lookup: by name" "$(asked 'lookup kstat_client 0 all')" 0
is "lookup: any" "$(asked 'lookup - -1 -')" 0
is "lookup: none" "$(asked 'lookup kstat_client 1 all')" -1
is "lookup: not a kstat of another module" "$(asked 'lookup unix 0 -')" -1

is "intr: create" "$(asked 'create 1 2 1 0 kstat_client 1 - intr') $(asked 'install 1')" "0 0"
asked 'intr 1 0 5' >/tmp/out
asked 'intr 1 4 7' >/tmp/out
is "intr: a name of module and instance" "$(value 'kstat_client:1:kstat_client1:hard')" 5
is "intr: multiple_service" "$(value 'kstat_client:1::multiple_service')" 7
is "intr: spurious" "$(value 'kstat_client:1::spurious')" 0

is "timer: create" "$(asked 'create 2 4 2 0 kstat_client 2 t misc')" 0
asked 'timer 2 0 open' >/tmp/out
asked 'timer 2 1 close' >/tmp/out
is "timer: install" "$(asked 'install 2')" 0
for round in 1 2; do
	asked 'start 2 0' >/tmp/out
	asked 'stop 2 0' >/tmp/out
done
is "timer: events" "$(value 'kstat_client:2:t:open.num_events') $(value 'kstat_client:2:t:close.num_events')" "2 0"
is "timer: elapsed is min plus max of two" "$(value 'kstat_client:2:t:open.elapsed_time')" \
	$(($(value 'kstat_client:2:t:open.min_time') + $(value 'kstat_client:2:t:open.max_time')))
holds "timer: min is not 0" "$(value 'kstat_client:2:t:open.min_time') > 0"

is "raw: create" "$(asked 'create 3 0 1000 0 kstat_client 3 bytes misc') $(asked 'install 3')" "0 0"
is "raw: its size" "$(value 'kstat_client:3:bytes:data_size')" 1000

# Queue arithmetic, compared with a model in the client.
is "io: create" "$(asked 'create 4 3 1 0 kstat_client 4 io disk') $(asked 'callbacks 4 8') $(asked 'install 4')" "0 0 0"
asked 'queue 4 wwwttbRWwtrRRr' >/tmp/out
is "io: agrees with the model" "$(asked 'model 4')" 0
is "io: in the queues" "$(value kstat_client:4:io:wcnt) $(value kstat_client:4:io:rcnt)" "1 1"
is "io: counts set by the client" "$(value kstat_client:4:io:reads) $(value kstat_client:4:io:nread)" "3 1536"
first=$(value kstat_client:4:io:rtime)
sleep 0.1
second=$(value kstat_client:4:io:rtime)
holds "io: time of a non-empty queue goes on" "$second - $first >= 100000000"
asked 'queue 4 RW' >/tmp/out
is "io: agrees with the model in the end" "$(asked 'model 4')" 0
first=$(value kstat_client:4:io:rlentime)
sleep 0.1
is "io: time of an empty queue stands still" "$(value kstat_client:4:io:rlentime)" "$first"

# Strings, callbacks, sizes.
is "string: create" "$(asked 'create 5 1 2 0 kstat_client 5 s misc')" 0
asked 'named 5 0 9 model' >/tmp/out
asked 'named 5 1 9 none' >/tmp/out
asked 'callbacks 5 5' >/tmp/out
is "string: set" "$(asked 'string 5 0 Winchester 30-30')" 0
is "string: install" "$(asked 'install 5')" 0
is "string: LONGSTRINGS" "$(asked 'flags 5')" $((0x40))
is "string: its value" "$(value kstat_client:5:s:model)" "Winchester 30-30"
is "string: none" "$(message @kstat kstat_client:5:s:none)" "kstat_client:5:s:none	"
is "string: changed" "$(asked 'string 5 0 another') $(value kstat_client:5:s:model)" "0 another"
before=$(asked 'calls 5')
value kstat_client:5 >/tmp/out
holds "update: called by each read" "$(asked 'calls 5') > $before"
asked 'error 5 13' >/tmp/out
is "update: EACCES, as illumos returns it" "$(outcome @kstat kstat_client:5:s)" EACCES
asked 'error 5 -5' >/tmp/out
is "update: EIO" "$(outcome @kstat kstat_client:5:s)" EIO
is "update: a failing one is left out of several" "$(outcome @kstat kstat_client) $(message @kstat kstat_client | grep -c ':5:')" "0 0"
others=$(message @kstat_list kstat_client | grep -c '^[0-9].* kstat_client:')
asked 'error 5 -12' >/tmp/out
is "update: its client has no memory" "$(outcome @kstat kstat_client:5:s)" EAGAIN
is "update: then it is left out, too" "$(outcome @kstat kstat_client) $(message @kstat kstat_client | grep -c ':5:')" "0 0"
is "update: and all others are there" "$(message @kstat | grep '^kstat_client:' | cut -d: -f2,3 | sort -u | wc -l)" \
	$((others - 1))
asked 'error 5 0' >/tmp/out

is "virtual: create, data, install" \
	"$(asked 'create 6 1 2 0x3 kstat_client 6 v misc') $(asked 'data 6 480') $(asked 'callbacks 6 5') $(asked 'install 6')" \
	"0 0 0 0"
asked 'named 6 0 4 a' >/tmp/out
asked 'named 6 1 4 b' >/tmp/out
asked 'named 6 2 4 c' >/tmp/out
asked 'named 6 3 4 d' >/tmp/out
is "virtual: two statistics" "$(message @kstat 'kstat_client:6:v:?' | wc -l)" 2
asked 'inside 6 3' >/tmp/out
message @kstat kstat_client:6 >/tmp/out
message @kstat kstat_client:6 >/tmp/out
is "virtual: variable size" "$(message @kstat 'kstat_client:6:v:?' | wc -l)" 4

is "snapshot: create" "$(asked 'create 7 1 1 4 kstat_client 7 own misc')" 0
asked 'named 7 0 3 n' >/tmp/out
asked 'set 7 0 5' >/tmp/out
is "snapshot: install" "$(asked 'callbacks 7 7') $(asked 'install 7')" "0 0"
is "snapshot: by the client's function" "$(value kstat_client:7:own:n) $(value kstat_client:7:own:snaptime)" "1005 4711"

# Writing.
is "write: a number" "$(outcome @kstat_write kstat_client:0:all:type3 -7) $(value kstat_client:0:all:type3) $(asked 'value 0 3')" \
	"0 -7 -7"
is "write: a char array" "$(outcome @kstat_write kstat_client:0:all:type0 abc) $(value kstat_client:0:all:type0)" "0 abc"
is "write: the largest" "$(outcome @kstat_write kstat_client:0:all:type2 4294967295) $(value kstat_client:0:all:type2)" "0 4294967295"
is "write: through the client's snapshot" "$(outcome @kstat_write kstat_client:7:own:n 3000) $(value kstat_client:7:own:n) $(asked 'writes 7')" \
	"0 3000 1"
is "write: too large" "$(outcome @kstat_write kstat_client:0:all:type2 4294967296)" EINVAL
is "write: too small" "$(outcome @kstat_write kstat_client:0:all:type2 -1)" EINVAL
is "write: not a number" "$(outcome @kstat_write kstat_client:0:all:type4 x)" EINVAL
is "write: too many characters" "$(outcome @kstat_write kstat_client:0:all:type0 12345678901234567)" EINVAL
is "write: a fraction" "$(outcome @kstat_write kstat_client:0:all:type5 1)" EINVAL
is "write: no such statistic" "$(outcome @kstat_write kstat_client:0:all:type 1)" ENOENT
is "write: no such kstat" "$(outcome @kstat_write kstat_client:0:al:type3 1)" ENOENT
is "write: not writable" "$(outcome @kstat_write kstat_client:5:s:model x)" EACCES
is "write: a disk" "$(outcome @kstat_write "$id:reads" 1)" EACCES
is "write: iostat's own" "$(outcome @kstat_write unix:0:kstat_types:raw 1)" EACCES
is "write: EACCES from the client" "$(asked 'error 7 13') $(outcome @kstat_write kstat_client:7:own:n 1)" "0 EACCES"
asked 'error 7 0' >/tmp/out
# A write that the client refuses changes nothing, with no lock, ks_lock and ks_spinlock.
for locks in 1 5 9 13; do
	is "refused: create" "$(asked 'create 10 1 2 4 kstat_client 10 r misc')" 0
	asked 'named 10 0 3 n' >/tmp/out
	asked 'named 10 1 0 c' >/tmp/out
	asked 'set 10 0 77' >/tmp/out
	asked 'chars 10 1 before' >/tmp/out
	is "refused: install" "$(asked "callbacks 10 $locks") $(asked 'install 10')" "0 0"
	is "refused: accepted before" "$(outcome @kstat_write kstat_client:10:r:n 78) $(value kstat_client:10:r:n) $(asked 'value 10 0')" \
		"0 78 78"
	asked 'inside 10 4' >/tmp/out
	is "refused: a number" "$(outcome @kstat_write kstat_client:10:r:n 5) $(value kstat_client:10:r:n) $(asked 'value 10 0')" \
		"EACCES 78 78"
	is "refused: a char array" "$(outcome @kstat_write kstat_client:10:r:c after) $(value kstat_client:10:r:c)" "EACCES before"
	asked 'inside 10 5' >/tmp/out
	is "refused: the client's own change stays" \
		"$(outcome @kstat_write kstat_client:10:r:n 5) $(value kstat_client:10:r:n)" "EACCES 42"
	is "refused: delete" "$(asked 'delete 10')" 0
done
is "write: EPERM before other errors" "$(echo '@kstat_write nothing:0:at:all 1' |
	setpriv --reuid=65534 --regid=65534 --clear-groups /payload/message raw - | cut -d ' ' -f 1)" EPERM
is "all functions: no warning" "$(lines)" "$complaints"

# Persistent kstats.
is "persistent: create" "$(asked 'create 8 1 1 0xc kstat_client 8 p misc')" 0
asked 'named 8 0 4 kept' >/tmp/out
is "persistent: install" "$(asked 'callbacks 8 5') $(asked 'install 8')" "0 0"
asked 'set 8 0 99' >/tmp/out
kid=$(listed kstat_client:8:p 1)
crtime=$(value kstat_client:8:p:crtime)
before=$(chain_id)
calls=$(asked 'calls 8')
is "persistent: delete" "$(asked 'delete 8')" 0
is "persistent: a last update" "$(asked 'calls 8')" $((calls + 1))
is "persistent: dormant" "$(listed kstat_client:8:p 3)" 0x1c
is "persistent: readable while dormant" "$(value kstat_client:8:p:kept)" 99
is "persistent: no update while dormant" "$(asked 'calls 8')" $((calls + 1))
is "persistent: cannot be written" "$(outcome @kstat_write kstat_client:8:p:kept 1)" EACCES
is "persistent: not found by the client" "$(asked 'lookup - 8 -')" -1
warns "persistent: deleted twice" -2 'delete 8'
warns "persistent: of another class" -1 'create 9 1 1 8 kstat_client 8 p other'
warns "persistent: of another type" -1 'create 9 0 1 8 kstat_client 8 p misc'
warns "persistent: of another size" -1 'create 9 1 2 8 kstat_client 8 p misc'
warns "persistent: virtual" -1 'create 9 1 1 1 kstat_client 8 p misc'
is "persistent: created again" "$(asked 'create 8 1 1 0xc kstat_client 8 p misc')" 0
is "persistent: data is kept" "$(asked 'value 8 0')" 99
is "persistent: readable before it is installed" "$(value kstat_client:8:p:kept)" 99
is "persistent: installed, with a last write" "$(asked 'callbacks 8 5') $(asked 'install 8') $(asked 'writes 8')" "0 0 1"
is "persistent: not dormant any more" "$(listed kstat_client:8:p 3)" 0xc
is "persistent: same kid" "$(listed kstat_client:8:p 1)" "$kid"
is "persistent: same crtime" "$(value kstat_client:8:p:crtime)" "$crtime"
is "persistent: the chain has not changed" "$(chain_id)" "$before"

# Deletion.
before=$(chain_id)
is "delete" "$(asked 'delete 3')" 0
is "delete: not readable" "$(message @kstat kstat_client:3)" ""
is "delete: changes the chain by one" "$(chain_id)" $((before + 1))
is "delete: by name" "$(asked 'byname kstat_client 2 t') $(message @kstat kstat_client:2)" "0 "
asked 'inside 5 2' >/tmp/out
before=$(asked 'calls 5')
message @kstat kstat_client:5 >/tmp/out &
while [ "$(asked 'calls 5')" = "$before" ]; do
	:
done
start=${EPOCHREALTIME/./}
is "delete: with a reader" "$(asked 'delete 5')" 0
took_us=$((${EPOCHREALTIME/./} - start))
holds "delete: waits for the reader" "took_us > 500000"
wait

# Misuse. EEXIST 17, ENOENT 2, EINVAL 22, EDEADLK 35.
warns "installed twice" -17 'install 0'
is "installed twice: the kstat stays" "$(value kstat_client:0:all:type3)" -7
warns "created twice" -1 'create 9 1 10 4 kstat_client 0 all misc'
asked 'create 9 1 1 0 kstat_client 9 nine misc' >/tmp/out
warns "created twice, not installed" -1 'create 10 1 1 0 kstat_client 9 nine misc'
is "deleted, not installed" "$(asked 'delete 9')" 0
warns "deleted twice" -2 'delete 9'
warns "installed after it was deleted" -2 'install 9'
warns "deleted by an unknown name" -2 'byname kstat_client 7 n'
warns "invalid type" -1 'create 9 5 1 0 kstat_client 9 n misc'
warns "interrupts: two" -1 'create 9 2 2 0 kstat_client 9 n misc'
warns "i/o: ndata 0" -1 'create 9 3 0 0 kstat_client 9 n misc'
warns "too many" -1 'create 9 1 2147483648 0 kstat_client 9 n misc'
is "more than 1 GiB, without a warning" "$(asked 'create 9 0 1073741825 0 kstat_client 9 n misc')" -1
is "more than 1 GiB of client memory" \
	"$(asked 'create 9 0 1073741825 1 kstat_client 9 n misc') $(asked 'data 9 16') $(asked 'install 9') $(outcome @kstat kstat_client:9:n) $(asked 'delete 9')" \
	"0 0 0 EIO 0"
warns "persistent and virtual" -1 'create 9 1 1 9 kstat_client 9 n misc'
warns "of variable size, not virtual" -1 'create 9 1 1 2 kstat_client 9 n misc'
warns "an internal flag" -1 'create 9 1 1 0x10 kstat_client 9 n misc'
warns "no module" -1 'create 9 1 1 0 - 9 n misc'
warns "no class" -1 'create 9 1 1 0 kstat_client 9 n -'
warns "a colon" -1 'create 9 1 1 0 kstat_client 9 n:m misc'
warns "a name of 31" -1 'long 9 31'
is "a name of 30" "$(asked 'long 9 30') $(asked 'delete 9')" "0 0"
is "named: without statistics" "$(asked 'create 9 1 0 0 kstat_client 9 n misc') $(asked 'install 9') $(message @kstat kstat_client:9 | wc -l) $(asked 'delete 9')" "0 0 3 0"
asked 'create 9 1 1 3 kstat_client 9 n misc' >/tmp/out
warns "of variable size, no lock" -22 'install 9'
is "of variable size, no lock: not visible" "$(message @kstat kstat_client:9)" ""
asked 'delete 9' >/tmp/out
asked 'create 9 1 1 4 kstat_client 9 n misc' >/tmp/out
warns "a statistic's name of 31" -36 'named 9 0 1 nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'
asked 'named 9 0 9 text' >/tmp/out
warns "writable, strings, no snapshot" -22 'install 9'
is "not a string" "$(asked 'named 9 0 4 n') $(asked 'string 9 0 x')" "0 -22"
asked 'callbacks 9 1' >/tmp/out
asked 'inside 9 1' >/tmp/out
asked 'install 9' >/tmp/out
before=$(lines)
message @kstat kstat_client:9 >/tmp/out
is "deleted by its own update: one line in the log" $(($(lines) - before)) 1
is "deleted by its own update: the kstat stays" "$(message @kstat kstat_client:9 | wc -l)" 4
asked 'inside 9 0' >/tmp/out
asked 'create 10 3 1 0 kstat_client 10 io disk' >/tmp/out
asked 'install 10' >/tmp/out
sleep 6
for call in W R t b; do
	before=$(lines)
	asked "queue 10 $call" >/tmp/out
	is "an exit from an empty queue, $call: one line" $(($(lines) - before)) 1
done
is "an exit from an empty queue: counts nothing" \
	"$(message @kstat 'kstat_client:10:io:[rw][clt]*' | cut -f 2 | sort -u)" 0
is "a null pointer" "$(asked null)" 0
sleep 6

# The client is unloaded with kstats installed, one of them persistent.
before=$(lines)
succeeds "forgotten: the client is unloaded" rmmod kstat_client
is "forgotten: only the persistent one stays" "$(message @kstat_list kstat_client | awk 'NR > 2 { print $3, $NF }')" \
	"0x1c kstat_client:8:p"
is "forgotten: no new kstat in its exit function" "$(dmesg | grep -c 'kstat: kstat_client: cannot create .*:late: module is being unloaded')" 1
is "forgotten: the persistent one is readable" "$(value kstat_client:8:p:kept)" 99
is "forgotten: one line in the log" "$(dmesg | grep -c 'kstat: module kstat_client unloaded with 8 kstats left; deleted')" 1
succeeds "forgotten: the client is loaded again" insmod /payload/kstat_client.ko
is "forgotten: the client finds the persistent one" "$(asked 'create 8 1 1 8 kstat_client 8 p misc') $(asked 'value 8 0') $(asked 'kid 8')" "0 99 $kid"

# 1000 kstats, created and deleted beside readers.
touch /tmp/reading
for reader in 1 2; do
	while [ -e /tmp/reading ]; do
		message @kstat kstat_storm || echo failed
	done >"/tmp/storm-$reader" &
done
for round in 1 2 3; do
	is "many: 1000 kstats, round $round" "$(asked 'storm 1000')" 0
done
rm /tmp/reading
wait
is "many: no reader failed" "$(cat /tmp/storm-* | grep -c failed)" 0
holds "many: readers saw them" "$(cat /tmp/storm-* | grep -c ':square') > 0"
is "many: every value is right" "$(awk -F '[:\t]' '$4 == "square" && $5 != $2 * $2 || $4 == "number" && $5 != $2' /tmp/storm-* | wc -l)" 0
is "many: all are deleted" "$(message @kstat kstat_storm)" ""
rm -f /tmp/storm-*

# Slow selectors: a disk is added while their reader still reads, and the reader can be killed.
is "slow selectors: many kstats" "$(asked 'hold 12000')" 0
slow="@kstat_list$(printf " ::*[$(printf 'x%.0s' {1..240})%.0s" {1..4})"
start=${EPOCHREALTIME/./}
is "slow selectors: they select nothing" "$(message "$slow" | wc -l)" 2
whole_us=$((${EPOCHREALTIME/./} - start))
send "$slow" &
sleep 0.1
make_null_blk_disk nullb8
succeeds "slow selectors: a disk is added" test -d /sys/block/nullb8/iostat
is "slow selectors: adding a disk does not wait for the reader" "$(jobs -r | wc -l)" 1
start=${EPOCHREALTIME/./}
kill -KILL $! && wait $! 2>/dev/null
holds "slow selectors: a killed reader exits" "${EPOCHREALTIME/./} - $start < $whole_us / 4"
remove_null_blk_disk nullb8
rmmod kstat_client
nothing_lost "kstat"
