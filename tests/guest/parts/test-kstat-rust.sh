# SPDX-License-Identifier: GPL-2.0
# Kstats of a client in Rust: tests/modules/kstat_rust_client.rs.

. /payload/kstat.sh

# statistics NAME: prints all statistics of a client's kstat in a line.
statistics()
{
	message @kstat "kstat_rust:0:$1" | grep -v ':class	\|:crtime	\|:snaptime	' | cut -d: -f 4 |
		tr '\t\n' '=,'
}

# of NAME:STATISTIC: prints its value.
of()
{
	value "kstat_rust:0:$1"
}

# write NAME:STATISTIC VALUE: prints 0 or the name of the errno.
write()
{
	outcome @kstat_write "kstat_rust:0:$1" "$2"
}

sleep 6
before=$(lines)
succeeds "rust: loads" insmod /payload/kstat_rust_client.ko
is "rust: invalid arguments are logged" $(($(lines) - before)) 4
is "rust: names and types" \
	"$(message @kstat_list kstat_rust | awk 'NR > 2 { print $NF, $2, $3 }' | cut -d: -f 3 | paste -sd,)" \
	"all name=value 0x47,counting raw 0x3,grows name=value 0x3,intr interrupt 0x0,kept name=value 0x8,none raw 0x3,other name=value 0x18,ten raw 0x3,timers event_timer 0x0,unsigned name=value 0x0"

# Atomics, without a lock.
is "rust: atomics, signed" "$(statistics kept)" "balance=-2,loads=1,"
is "rust: atomics, unsigned" "$(statistics unsigned)" "Down to it=4294967295,"
is "rust: interrupts" "$(statistics intr)" "hard=1,multiple_service=7,soft=0,spurious=0,watchdog=0,"

# With a spinlock.
is "rust: timers, events" "$(of timers:open.num_events) $(of timers:close.num_events)" "2 0"
is "rust: timers, elapsed" "$(of timers:open.elapsed_time)" \
	$(($(of timers:open.min_time) + $(of timers:open.max_time)))
holds "rust: timers, min is not 0" "$(of timers:open.min_time) > 0"

# With a mutex and an update on each read. One read may take more than one update.
is "rust: values of all types" "$(statistics all | sed 's/reads=[1-9]*,//')" \
	"char=sixteen letters.,failures=0,int32=-2,int64=-9223372036854775808,label=as it was set, which is longer,limit=0,long=-3,uint32=4294967295,uint64=18446744073709551615,ulong=3,writes=0,"
first=$(of all:reads)
holds "rust: an update with each read" "$(of all:reads) > first"
message @kstat kstat_rust:0:grows >/tmp/out
message @kstat kstat_rust:0:grows >/tmp/out
is "rust: more statistics with each read" "$(statistics grows)" "one=one,three=three,two=two,"
first=$(of counting:data_size)
holds "rust: more bytes with each read" "$(of counting:data_size) > first"
is "rust: swapped bytes" "$(of ten:data_size) $(of none:data_size)" "0 10"

# Writes.
is "rust: write a number" "$(write all:limit 70) $(of all:limit) $(of all:writes)" "0 70 1"
is "rust: a write that the client refuses" "$(write all:limit 101) $(of all:limit) $(of all:writes)" "EACCES 70 1"
is "rust: write a char array" "$(write all:char abc) $(of all:char)" "0 abc"
is "rust: write a string" "$(write all:label anything-of-any-length-at-all) $(of all:label)" \
	"0 anything-of-any-length-at-all"
is "rust: write a shorter string" "$(write all:label x) $(of all:label)" "0 x"
is "rust: write the other types" "$(write all:int32 3) $(write all:uint32 4) $(write all:int64 5) $(write all:uint64 6) $(write all:long -7) $(write all:ulong 8)" \
	"0 0 0 0 0 0"
is "rust: the written values" "$(of all:int32) $(of all:uint32) $(of all:int64) $(of all:uint64) $(of all:long) $(of all:ulong)" \
	"3 4 5 6 -7 8"
is "rust: write an invalid number" "$(write all:limit x) $(of all:limit)" "EINVAL 70"
is "rust: not writable" "$(write kept:loads 5) $(write grows:one x) $(write counting:data_size 1)" "EACCES EACCES EACCES"
is "rust: an update that fails" "$(write all:failures 1) $(outcome @kstat kstat_rust:0:all) $(outcome @kstat kstat_rust:0:all)" \
	"0 EIO 0"

# A persistent kstat.
kid=$(listed kstat_rust:0:kept 1)
before=$(lines)
succeeds "rust: unloads" rmmod kstat_rust_client
is "rust: only the persistent one stays" \
	"$(message @kstat_list kstat_rust | awk 'NR > 2 { print $3, $NF }' | paste -sd,)" \
	"0x18 kstat_rust:0:kept,0x18 kstat_rust:0:other"
is "rust: the persistent one is readable" "$(statistics kept)" "balance=-2,loads=1,"
is "rust: no warning" $(($(lines) - before)) 0

# Loaded and unloaded repeatedly, beside readers.
touch /tmp/reading
for reader in 1 2; do
	while [ -e /tmp/reading ]; do
		message @kstat kstat_rust || echo failed
	done >"/tmp/rust-$reader" &
done
for round in 1 2 3 4 5 6 7 8; do
	insmod /payload/kstat_rust_client.ko && rmmod kstat_rust_client || fail "rust: round $round"
done
rm /tmp/reading
wait
is "rust: no reader failed" "$(grep -c failed /tmp/rust-1 /tmp/rust-2 | cut -d: -f 2 | paste -sd' ')" "0 0"
holds "rust: readers saw it" "$(cat /tmp/rust-* | grep -c ':label') > 0"
is "rust: each string is complete" \
	"$(cat /tmp/rust-* | awk -F '\t' '/:label/ { print $2 }' | grep -vxc 'as it was made\|as it was set, which is longer')" 0
rm -f /tmp/rust-*
is "rust: the persistent one is taken over after a reload" "$(statistics kept) $(listed kstat_rust:0:kept 1)" "balance=-18,loads=9, $kid"

# The client drops a kstat while it is read: the kstat stays until the client is unloaded.
sleep 6
succeeds "rust: loads, with a kstat that drops itself" insmod /payload/kstat_rust_client.ko drops_itself=1
before=$(lines)
is "rust: dropped by its own update: one line in the log" "$(outcome @kstat kstat_rust:0:own) $(($(lines) - before))" "0 1"
is "rust: dropped by its own update: readable" "$(outcome @kstat kstat_rust:0:own) $(message @kstat kstat_rust:0:own | wc -l)" "0 3"
succeeds "rust: unloads after a self-drop" rmmod kstat_rust_client
is "rust: the dropped one is deleted with the module" "$(message @kstat kstat_rust:0:own)" ""
is "rust: and logged" "$(dmesg | grep -c 'module kstat_rust_client unloaded with 1 kstats left; deleted')" 1
sleep 6
nothing_lost "kstat in Rust"
