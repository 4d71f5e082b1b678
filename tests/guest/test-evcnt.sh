# SPDX-License-Identifier: GPL-2.0
# evcnt(9): other modules' counters, and what they do wrong.

# evcnt_list [WORD...]: the reply to the message.
evcnt_list()
{
	open_iostat 7
	echo "@evcnt_list $*" >&7 && cat <&7
	exec 7<&-
}

# listed GROUP NAME [WORD...]: total and type of one of them.
listed()
{
	local group=$1 name=$2
	shift 2
	evcnt_list all "$@" | awk -v g="$group" -v n="$name" '$1 == g && $2 == n { print $3, $5 }'
}

# asked LINE [MODULE]: what comes of it.
asked()
{
	local client=/sys/module/${2:-evcnt_client}/parameters
	echo "$1" >$client/do || return 1
	cat $client/result
}

# warns NAME WANT LINE: the result, and one line in the log besides.
warns()
{
	local before
	before=$(dmesg | grep -c 'iostat: evcnt: ')
	is "$1: result" "$(asked "$3")" "$2"
	is "$1: one line" $(($(dmesg | grep -c 'iostat: evcnt: ') - before)) 1
	warned=$((warned + 1))
	# Ten in five seconds are told.
	((warned % 8)) || sleep 6
}
warned=0

# What the two samples count.
succeeds "samples: in C" insmod /payload/fake_tape.ko
echo 10 >/sys/module/fake_tape/parameters/write
echo 3 >/sys/module/fake_tape/parameters/write
is "sample in C: blocks" "$(listed fake_tape blocks)" "13 misc"
is "sample in C: filemarks" "$(listed fake_tape filemarks)" "2 misc"
is "sample in C: interrupts" "$(listed fake_tape intr)" "2 intr"
is "sample in C: the parent itself counts nothing" "$(listed fake_tape motions)" "0 misc"
is "sample in C: the parent with its children" "$(listed fake_tape motions rollup)" "15 misc"
is "sample in C: the same, as the module sees it" \
	"$(cat /sys/module/fake_tape/parameters/motions)" 15
is "list: without what counted nothing" "$(evcnt_list | grep -c 'fake_tape motions')" 0
is "list: of one type" "$(evcnt_list intr | awk 'NR > 1 { print $1, $2 }')" "fake_tape intr"
is "list: its heading" "$(evcnt_list | head -n 1 | tr -s ' ')" "event total rate type"
refuses "list: of no type" send "@evcnt_list irq"
refuses "list: of two types" send "@evcnt_list intr trap"
succeeds "list: anybody may ask" setpriv --reuid=65534 --regid=65534 --clear-groups \
	sh -c '[ -c /dev/iostat ] && echo "@evcnt_list" >/dev/iostat'
refuses "clients: iostat cannot go under them" rmmod iostat
succeeds "samples: in Rust" insmod /payload/fake_rpc.ko calls=25
is "sample in Rust: calls" "$(listed fake_rpc calls)" "25 misc"
is "sample in Rust: retransmissions" "$(listed fake_rpc retransmissions)" "2 misc"
is "sample in Rust: with its children" "$(listed fake_rpc calls rollup)" "27 misc"
is "sample in Rust: timeouts" "$(listed fake_rpc timeouts)" "2 trap"
is "sample in Rust: says so" "$(dmesg | grep 'fake_rpc: 25 calls, 27 messages sent' | tail -n 1 | wc -l)" 1
succeeds "samples: both go" rmmod fake_tape fake_rpc
is "samples: nothing is left of them" "$(evcnt_list all | grep -c '^fake_')" 0
is "samples: nothing to complain of" "$(dmesg | grep -c 'iostat: evcnt: ')" 0

# All functions.
succeeds "client: loads" insmod /payload/evcnt_client.ko
is "attach: a parent" "$(asked 'attach 0 -1 0 g parent')" 0
is "attach: a child" "$(asked 'attach 1 0 1 g child')" 0
is "attach: a grandchild" "$(asked 'attach 2 1 2 g grandchild')" 0
cpus=$(nproc)
asked 'add 2 100000' >/tmp/out
asked 'add 0 50000' >/tmp/out
asked 'irq 1 7' >/tmp/out
is "count: from all CPUs at the same time, exact" "$(asked 'read 2')" $((cpus * 100000))
is "count: what was added with interrupts off" "$(asked 'read 1')" 7
is "count: total of a child" "$(asked 'total 1')" $((cpus * 100000 + 7))
is "count: total of the parent" "$(asked 'total 0')" $((cpus * 150000 + 7))
is "list: types" "$(evcnt_list all | awk '$1 == "g" { print $2, $5 }' | paste -sd,)" \
	"parent misc,child intr,grandchild trap"
is "list: total of the parent" "$(listed g parent rollup)" "$((cpus * 150000 + 7)) misc"
is "list: group and name may be another's too" "$(asked 'attach 3 -1 0 g parent')" 0
is "list: so there are two" "$(evcnt_list all | grep -c '^g parent ')" 2
is "detach: the second" "$(asked 'detach 3')" 0
is "attach: a name of 254" "$(asked 'long 4 254')" 0
is "detach: it" "$(asked 'detach 4')" 0
is "detach: its count stays" "$(asked 'detach 2') $(asked 'read 2')" "0 $((cpus * 100000))"
is "count: what is detached counts nothing" "$(asked 'add 2 5') $(asked 'read 2')" \
	"0 $((cpus * 100000))"
is "attach: nozero goes on" "$(asked 'nozero 2 on') $(asked 'irq 2 1') $(asked 'read 2')" \
	"0 0 $((cpus * 100000 + 1))"
is "attach: static as well" "$(asked 'detach 2') $(asked 'again 2') $(asked 'read 2')" \
	"0 0 $((cpus * 100000 + 1))"
is "attach: dynamic begins at 0" "$(asked 'detach 2') $(asked 'attach 2 -1 0 g d') $(asked 'read 2')" \
	"0 0 0"
is "attach: memory of any content" "$(asked garbage)" 0
is "set: while it is attached" "$(asked 'set 2 1000') $(asked 'irq 2 5') $(asked 'read 2')" "0 0 1005"
is "set: the list has it too" "$(listed g d)" "1005 misc"
is "zero: while it is attached" "$(asked 'zero 2') $(asked 'irq 2 3') $(asked 'read 2')" "0 0 3"
asked 'add 2 1000' >/tmp/out
is "zero: what all CPUs count from there" "$(asked 'read 2')" $((cpus * 1000 + 3))
is "set: of what is detached" "$(asked 'detach 2') $(asked 'set 2 77') $(asked 'read 2')" "0 0 77"
is "set: nozero starts there" "$(asked 'nozero 2 on') $(asked 'irq 2 1') $(asked 'read 2')" "0 0 78"
is "set: and what has the old name is attached again" "$(asked 'detach 2') $(asked 'attach 2 -1 0 g d')" "0 0"
is "all functions: nothing to complain of" "$(dmesg | grep -c 'iostat: evcnt: ')" 0

# What clients do wrong. EEXIST 17, ENOENT 2, EBUSY 16, EINVAL 22, ENAMETOOLONG 36.
warns "attached twice" -17 "attach 0 -1 0 g other"
is "attached twice: still the first" "$(listed g parent)" "$((cpus * 50000)) misc"
is "attached twice: and counts" "$(asked 'irq 0 1') $(asked 'read 0')" "0 $((cpus * 50000 + 1))"
warns "attached twice, static" -17 "again 0"
warns "detached with children" -16 "detach 0"
warns "detached and not attached" -2 "detach 5"
warns "a parent that is not attached" -2 "attach 5 6 0 g orphan"
warns "its own parent" -2 "attach 5 5 0 g own"
warns "no type" -22 "attach 5 -1 3 g t"
warns "no type, negative" -22 "attach 5 -1 -1 g t"
warns "no name" -22 "attach 5 -1 0 g"
warns "no group" -22 "attach 5 -1 0"
warns "a name of 255" -36 "long 5 255"
before=$(dmesg | grep -c 'iostat: evcnt: ')
is "a null pointer" "$(asked null)" -22
is "a null pointer: a line" $(($(dmesg | grep -c 'iostat: evcnt: ') - before)) 1
for round in $(seq 100); do
	asked "detach 5"
done >/tmp/out
is "often: each is told" "$(sort -u /tmp/out)" -2
holds "often: but not in the log" "$(($(dmesg | grep -c 'iostat: evcnt: ') - before)) <= 41"
sleep 6

# It goes with three attached, one a parent of another module's.
succeeds "forgotten: another client" insmod /payload/evcnt_other.ko
is "forgotten: a child of another module" \
	"$(asked "adopt 4 $(asked 'where 1')" evcnt_other) $(asked 'irq 4 3' evcnt_other)" "0 0"
is "forgotten: its parent has it" "$(listed g child rollup)" "10 intr"
before=$(dmesg | grep -c 'iostat: evcnt: ')
is "forgotten: three" "$(evcnt_list all | grep -c '^g ')" 3
succeeds "forgotten: the client goes" rmmod evcnt_client
is "forgotten: so do they" "$(evcnt_list all | grep -c '^g ')" 0
is "forgotten: none comes at its exit" "$(dmesg | grep -c 'evcnt_client: at its exit: -19')" 1
is "forgotten: and none is left" "$(evcnt_list all | grep -c late)" 0
is "forgotten: one line" "$(dmesg | grep -c 'evcnt: evcnt_client went without detaching 3 event counters')" 1
is "forgotten: the child of another is not" "$(listed evcnt_other adopted)" "3 misc"
is "forgotten: and counts" "$(asked 'irq 4 3' evcnt_other) $(asked 'read 4' evcnt_other)" "0 6"
is "forgotten: and may be detached" "$(asked 'detach 4' evcnt_other)" 0
succeeds "forgotten: nothing, by the other" rmmod evcnt_other
succeeds "forgotten: it may come again" insmod /payload/evcnt_client.ko
is "forgotten: and attach" "$(asked 'attach 0 -1 0 g again')" 0
is "forgotten: from 0" "$(asked 'read 0')" 0
is "forgotten: and detach" "$(asked 'detach 0')" 0

# Many of them, with readers.
touch /tmp/reading
for reader in 1 2; do
	while [ -e /tmp/reading ]; do
		evcnt_list all rollup || echo failed
	done >"/tmp/lists-$reader" &
done
is "many: 10000" "$(asked 'many 10000')" 0
is "many: again" "$(asked 'many 10000')" 0
rm /tmp/reading
wait
is "many: no reader failed" "$(cat /tmp/lists-* | grep -c failed)" 0
is "many: every line is one" "$(cat /tmp/lists-* | awk 'NF != 5 && !/^event/' | wc -l)" 0
holds "many: they were seen" "$(cat /tmp/lists-* | grep -c '^evcnt_client many') > 0"
is "many: none is left" "$(evcnt_list all | grep -c '^evcnt_client')" 0
# 131072 are the most, and iostat has some.
is "too many: ENOSPC" "$(asked 'many 131072')" -28
is "too many: none is left" "$(evcnt_list all | grep -c '^evcnt_client')" 0
is "too many: there is room again" "$(asked 'many 1000')" 0
rm -f /tmp/lists-*

# Disks do without, if clients leave no counters for them.
is "all taken: ENOSPC" "$(asked fill)" -28
make_null_blk_disk nullb8
files=/sys/block/nullb8/iostat
is "all taken: a disk has none" "$(ls -d $files/events 2>/dev/null)" ""
is "all taken: one line" "$(dmesg | grep -c 'iostat: nullb8: no event counters: ENOSPC')" 1
reads=$(cat $files/kstat/reads)
dd if=/dev/nullb8 of=/dev/null bs=4k count=10 iflag=direct status=none
is "all taken: it is recorded" "$(cat $files/kstat/reads)" $((reads + 10))
remove_null_blk_disk nullb8
is "all taken: given back" "$(asked empty)" 0
make_null_blk_disk nullb8
is "all taken: the next disk has them" "$(cat $files/events/requeues)" 0
remove_null_blk_disk nullb8
rmmod evcnt_client
nothing_lost "evcnt"
no_complaint "evcnt"
