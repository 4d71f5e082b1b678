# SPDX-License-Identifier: GPL-2.0
# evcnt(9): event counters of other modules, and what happens on misuse.

# evcnt_list [WORD...]: prints the reply to the message.
evcnt_list()
{
	open_iostat 7
	echo "@evcnt_list $*" >&7 && cat <&7
	exec 7<&-
}

# listed GROUP NAME [WORD...]: prints total and type of a counter.
listed()
{
	local group=$1 name=$2
	shift 2
	evcnt_list all "$@" | awk -v g="$group" -v n="$name" '$1 == g && $2 == n { print $3, $5 }'
}

# asked LINE [MODULE]: passes a request to a client and prints the result.
asked()
{
	local client=/sys/module/${2:-evcnt_client}/parameters
	echo "$1" >$client/do || return 1
	cat $client/result
}

# warns NAME WANT LINE: checks the result of a request, and that it logs one line.
warns()
{
	local before
	before=$(dmesg | grep -c 'iostat: evcnt: ')
	is "$1: result" "$(asked "$3")" "$2"
	is "$1: one line" $(($(dmesg | grep -c 'iostat: evcnt: ') - before)) 1
	warned=$((warned + 1))
	# Ten in five seconds are logged.
	((warned % 8)) || sleep 6
}
warned=0

# The counts of the two samples.
succeeds "samples: in C" insmod /payload/fake_tape.ko
echo 10 >/sys/module/fake_tape/parameters/write
echo 3 >/sys/module/fake_tape/parameters/write
is "sample in C: blocks" "$(listed fake_tape blocks)" "13 misc"
is "sample in C: filemarks" "$(listed fake_tape filemarks)" "2 misc"
is "sample in C: interrupts" "$(listed fake_tape intr)" "2 intr"
is "sample in C: the parent itself counts nothing" "$(listed fake_tape motions)" "0 misc"
is "sample in C: the parent with its children" "$(listed fake_tape motions rollup)" "15 misc"
is "sample in C: the module reads the same total" \
	"$(cat /sys/module/fake_tape/parameters/motions)" 15
is "list: without counters that are 0" "$(evcnt_list | grep -c 'fake_tape motions')" 0
is "list: of one type" "$(evcnt_list intr | awk 'NR > 1 { print $1, $2 }')" "fake_tape intr"
is "list: header" "$(evcnt_list | head -n 1 | tr -s ' ')" "event total rate type"
refuses "list: an invalid type" send "@evcnt_list irq"
refuses "list: two types" send "@evcnt_list intr trap"
succeeds "list: allowed for every user" setpriv --reuid=65534 --regid=65534 --clear-groups \
	sh -c '[ -c /dev/iostat ] && echo "@evcnt_list" >/dev/iostat'
refuses "clients: iostat cannot be unloaded" rmmod iostat
succeeds "samples: in Rust" insmod /payload/fake_rpc.ko calls=25
is "sample in Rust: calls" "$(listed fake_rpc calls)" "25 misc"
is "sample in Rust: retransmissions" "$(listed fake_rpc retransmissions)" "2 misc"
is "sample in Rust: with its children" "$(listed fake_rpc calls rollup)" "27 misc"
is "sample in Rust: timeouts" "$(listed fake_rpc timeouts)" "2 trap"
is "sample in Rust: its line in the log" "$(dmesg | grep 'fake_rpc: 25 calls, 27 messages sent' | tail -n 1 | wc -l)" 1
succeeds "samples: both are unloaded" rmmod fake_tape fake_rpc
is "samples: their counters are detached" "$(evcnt_list all | grep -c '^fake_')" 0
is "samples: no warning" "$(dmesg | grep -c 'iostat: evcnt: ')" 0

# All functions.
succeeds "client: loads" insmod /payload/evcnt_client.ko
is "attach: a parent" "$(asked 'attach 0 -1 0 g parent')" 0
is "attach: a child" "$(asked 'attach 1 0 1 g child')" 0
is "attach: a grandchild" "$(asked 'attach 2 1 2 g grandchild')" 0
cpus=$(nproc)
asked 'add 2 100000' >/tmp/out
asked 'add 0 50000' >/tmp/out
asked 'irq 1 7' >/tmp/out
is "count: exact from all CPUs at the same time" "$(asked 'read 2')" $((cpus * 100000))
is "count: added with interrupts off" "$(asked 'read 1')" 7
is "count: total of a child" "$(asked 'total 1')" $((cpus * 100000 + 7))
is "count: total of the parent" "$(asked 'total 0')" $((cpus * 150000 + 7))
is "list: types" "$(evcnt_list all | awk '$1 == "g" { print $2, $5 }' | paste -sd,)" \
	"parent misc,child intr,grandchild trap"
is "list: total of the parent" "$(listed g parent rollup)" "$((cpus * 150000 + 7)) misc"
is "list: two counters may have the same group and name" "$(asked 'attach 3 -1 0 g parent')" 0
is "list: both are listed" "$(evcnt_list all | grep -c '^g parent ')" 2
is "detach: the second" "$(asked 'detach 3')" 0
is "attach: a name of 254" "$(asked 'long 4 254')" 0
is "detach: the one with a name of 254" "$(asked 'detach 4')" 0
is "detach: its count stays" "$(asked 'detach 2') $(asked 'read 2')" "0 $((cpus * 100000))"
is "count: a detached counter is not changed" "$(asked 'add 2 5') $(asked 'read 2')" \
	"0 $((cpus * 100000))"
is "attach: nozero keeps the count" "$(asked 'nozero 2 on') $(asked 'irq 2 1') $(asked 'read 2')" \
	"0 0 $((cpus * 100000 + 1))"
is "attach: a static one keeps its count" "$(asked 'detach 2') $(asked 'again 2') $(asked 'read 2')" \
	"0 0 $((cpus * 100000 + 1))"
is "attach: a dynamic one starts at 0" "$(asked 'detach 2') $(asked 'attach 2 -1 0 g d') $(asked 'read 2')" \
	"0 0 0"
is "attach: uninitialised memory" "$(asked garbage)" 0
is "set: an attached counter" "$(asked 'set 2 1000') $(asked 'irq 2 5') $(asked 'read 2')" "0 0 1005"
is "set: in the list" "$(listed g d)" "1005 misc"
is "zero: an attached counter" "$(asked 'zero 2') $(asked 'irq 2 3') $(asked 'read 2')" "0 0 3"
asked 'add 2 1000' >/tmp/out
is "zero: counts of all CPUs afterwards" "$(asked 'read 2')" $((cpus * 1000 + 3))
is "set: a detached counter" "$(asked 'detach 2') $(asked 'set 2 77') $(asked 'read 2')" "0 0 77"
is "set: nozero starts from the set value" "$(asked 'nozero 2 on') $(asked 'irq 2 1') $(asked 'read 2')" "0 0 78"
is "set: the old name is attached again" "$(asked 'detach 2') $(asked 'attach 2 -1 0 g d')" "0 0"
is "all functions: no warning" "$(dmesg | grep -c 'iostat: evcnt: ')" 0

# Misuse. EEXIST 17, ENOENT 2, EBUSY 16, EINVAL 22, ENAMETOOLONG 36.
warns "attached twice" -17 "attach 0 -1 0 g other"
is "attached twice: the first stays" "$(listed g parent)" "$((cpus * 50000)) misc"
is "attached twice: the first goes on counting" "$(asked 'irq 0 1') $(asked 'read 0')" "0 $((cpus * 50000 + 1))"
warns "attached twice, static" -17 "again 0"
warns "detached with children" -16 "detach 0"
warns "detached and not attached" -2 "detach 5"
warns "a parent that is not attached" -2 "attach 5 6 0 g orphan"
warns "its own parent" -2 "attach 5 5 0 g own"
warns "invalid type" -22 "attach 5 -1 3 g t"
warns "invalid type, negative" -22 "attach 5 -1 -1 g t"
warns "no name" -22 "attach 5 -1 0 g"
warns "no group" -22 "attach 5 -1 0"
warns "a name of 255" -36 "long 5 255"
before=$(dmesg | grep -c 'iostat: evcnt: ')
is "a null pointer" "$(asked null)" -22
is "a null pointer: one line in the log" $(($(dmesg | grep -c 'iostat: evcnt: ') - before)) 1
for round in $(seq 100); do
	asked "detach 5"
done >/tmp/out
is "often: each call returns the error" "$(sort -u /tmp/out)" -2
holds "often: the log is rate limited" "$(($(dmesg | grep -c 'iostat: evcnt: ') - before)) <= 41"
sleep 6

# The client is unloaded with three counters attached, one of them the parent of another module's.
succeeds "forgotten: another client" insmod /payload/evcnt_other.ko
is "forgotten: a child of another module" \
	"$(asked "adopt 4 $(asked 'where 1')" evcnt_other) $(asked 'irq 4 3' evcnt_other)" "0 0"
is "forgotten: its parent's total includes it" "$(listed g child rollup)" "10 intr"
before=$(dmesg | grep -c 'iostat: evcnt: ')
is "forgotten: three" "$(evcnt_list all | grep -c '^g ')" 3
succeeds "forgotten: the client is unloaded" rmmod evcnt_client
is "forgotten: its counters are detached" "$(evcnt_list all | grep -c '^g ')" 0
is "forgotten: no new counter in its exit function" "$(dmesg | grep -c 'evcnt_client: at its exit: -19')" 1
is "forgotten: no counter of its exit function is listed" "$(evcnt_list all | grep -c late)" 0
is "forgotten: one line in the log" "$(dmesg | grep -c 'evcnt: module evcnt_client unloaded with 3 event counters left; detached')" 1
is "forgotten: the other module's child stays" "$(listed evcnt_other adopted)" "3 misc"
is "forgotten: the child goes on counting" "$(asked 'irq 4 3' evcnt_other) $(asked 'read 4' evcnt_other)" "0 6"
is "forgotten: the child can be detached" "$(asked 'detach 4' evcnt_other)" 0
succeeds "forgotten: the other module is unloaded" rmmod evcnt_other
succeeds "forgotten: the client is loaded again" insmod /payload/evcnt_client.ko
is "forgotten: attach after a reload" "$(asked 'attach 0 -1 0 g again')" 0
is "forgotten: from 0 after a reload" "$(asked 'read 0')" 0
is "forgotten: detach after a reload" "$(asked 'detach 0')" 0

# 10000 counters, attached and detached beside readers.
touch /tmp/reading
for reader in 1 2; do
	while [ -e /tmp/reading ]; do
		evcnt_list all rollup || echo failed
	done >"/tmp/lists-$reader" &
done
is "many: 10000 counters" "$(asked 'many 10000')" 0
is "many: 10000 counters again" "$(asked 'many 10000')" 0
rm /tmp/reading
wait
is "many: no reader failed" "$(cat /tmp/lists-* | grep -c failed)" 0
is "many: every line is complete" "$(cat /tmp/lists-* | awk 'NF != 5 && !/^event/' | wc -l)" 0
holds "many: readers saw them" "$(cat /tmp/lists-* | grep -c '^evcnt_client many') > 0"
is "many: all are detached" "$(evcnt_list all | grep -c '^evcnt_client')" 0
# At most 131072 counters exist, and iostat has some.
is "too many: ENOSPC" "$(asked 'many 131072')" -28
is "too many: all are detached" "$(evcnt_list all | grep -c '^evcnt_client')" 0
is "too many: 1000 can be attached afterwards" "$(asked 'many 1000')" 0
rm -f /tmp/lists-*

# A copy of a counter that was detached, whose cell another one has.
is "copy: attach, copy, detach" "$(asked 'attach 0 -1 0 g copied') $(asked 'copy 1 0') $(asked 'detach 0')" "0 0 0"

# A disk has its counters even if clients use all there are for them.
is "all in use: ENOSPC" "$(asked fill)" -28
is "copy: it is not attached" "$(asked 'add 1 5') $(asked 'read 1') $(asked 'set 1 7') $(asked 'read 1')" "0 0 0 7"
is "copy: no other has its counts" "$(evcnt_list | grep -c '^evcnt_client ')" 0
make_null_blk_disk nullb8
files=/sys/block/nullb8/iostat
is "all in use: a new disk has its counters" "$(evcnt_list all | grep -c '^nullb8 ')" "$(ls $files/events | wc -l)"
echo 64 >/sys/block/nullb8/queue/max_sectors_kb
before=$(cat $files/events/splits)
dd if=/dev/nullb8 of=/dev/null bs=1M count=1 iflag=direct status=none
is "all in use: its events are counted" "$(cat $files/events/splits)" $((before + 15))
is "all in use: the list has the same count" \
	"$(evcnt_list all | awk '$1 == "nullb8" && $2 == "splits" { print $3 }')" $((before + 15))
remove_null_blk_disk nullb8
is "all in use: it took its counters along" "$(evcnt_list all | grep -c '^nullb8 ')" 0
is "all in use: detached" "$(asked empty)" 0
rmmod evcnt_client
nothing_lost "evcnt"
