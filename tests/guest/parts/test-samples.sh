# SPDX-License-Identifier: GPL-2.0
# The kstats of the samples. Their event counters and entries are tested in test-evcnt.sh and
# test-devstat.sh.

. /payload/kstat.sh
complaints=$(lines)

# Samples with kstats only.
succeeds "samples: in C" insmod /payload/fake_drum.ko
echo 3 >/sys/module/fake_drum/parameters/read
is "sample in C: reads" "$(value fake_drum:0:fake_drum0:reads) $(value fake_drum:0:fake_drum0:nread)" "3 12288"
is "sample in C: the queues are empty" "$(value fake_drum:::[rw]cnt | paste -sd' ')" "0 0"
# A sleep begins at the last tick, which a busy host delays: it may be shorter than 20 ms by a tick of 4 ms.
holds "sample in C: 20 ms each, one after another" "$(value fake_drum:::rtime) >= 3 * 16000000"
is "sample in C: the run queue had one at most" "$(value fake_drum:::rlentime)" "$(value fake_drum:::rtime)"
holds "sample in C: the others waited" "$(value fake_drum:::wlentime) >= 3 * 12000000"
is "sample in C: a string" "$(value fake_drum:0:geometry:model)" "ERA 1101"
is "sample in C: values set by an update" "$(value fake_drum:0:geometry:r* | paste -sd' ')" "3 3000"
refuses "clients: iostat cannot be unloaded" rmmod iostat
succeeds "samples: in Rust" insmod /payload/fake_cache.ko lookups=43
is "sample in Rust: counts" "$(value fake_cache::counts:*s | paste -sd' ')" "misc 33 10"
is "sample in Rust: a negative one" "$(value fake_cache::balance:balance)" -10
is "sample in Rust: values computed by an update" "$(value fake_cache::summary:[hp]* | paste -sd,)" "76,nothing is ever kept"
is "sample in Rust: a timer" "$(value fake_cache::times:miss.num_events)" 10
is "sample in Rust: I/O" "$(value fake_cache::fake_cache0:reads) $(value fake_cache::fake_cache0:nread)" "10 640"
holds "sample in Rust: its time" "$(value fake_cache::fake_cache0:rtime) > 0"
succeeds "samples: both are unloaded" rmmod fake_drum fake_cache

# The two samples that use all three interfaces: their kstats agree with their entries.
devstat=/sys/class/misc/iostat/devstat
before=$(chain_id)
succeeds "samples: in C, all three" insmod /payload/fake_tape.ko
is "sample of all in C: its own kstat and its entry's" "$(chain_id)" $((before + 3))
echo 10 >/sys/module/fake_tape/parameters/write
is "sample of all in C: writes" "$(value fake_tape:0:queue:writes) $(value fake_tape:0:queue:nwritten)" \
	"$(cat $devstat/fake_tape0/devstat/{operations_write,bytes_write} | paste -sd' ')"
is "sample of all in C: number of writes" "$(value fake_tape:0:queue:writes)" 10
is "sample of all in C: no reads" "$(value fake_tape:0:queue:reads) $(value fake_tape:0:queue:nread)" "0 0"
is "sample of all in C: the queues are empty" "$(value 'fake_tape:0:queue:[rw]cnt' | paste -sd' ')" "0 0"
is "sample of all in C: one at a time" "$(value fake_tape:0:queue:rlentime)" "$(value fake_tape:0:queue:rtime)"
holds "sample of all in C: run time at least its busy time" \
	"$(value fake_tape:0:queue:rtime) >= $(cat $devstat/fake_tape0/devstat/busy_time_ns)"
holds "sample of all in C: the rest waited" "$(value fake_tape:0:queue:wlentime) > $(value fake_tape:0:queue:rtime)"
is "entry: its kstat agrees with its files" \
	"$(value fake_tape:0:fake_tape0:class) $(value fake_tape:0:fake_tape0:writes) $(value fake_tape:0:fake_tape0:rtime)" \
	"$(cat $devstat/fake_tape0/kstat/{class,writes,rtime} | paste -sd' ')"
is "entry: virtual, of I/O" "$(listed fake_tape:0:fake_tape0 2) $(listed fake_tape:0:fake_tape0 3)" "i/o 0x1"
refuses "entry: cannot be written" send "@kstat_write fake_tape:0:fake_tape0:reads 0"
succeeds "samples: in Rust, all three" insmod /payload/fake_rpc.ko calls=25
is "sample of all in Rust: reads" "$(value fake_rpc:0:queue:reads) $(value fake_rpc:0:queue:nread)" \
	"$(cat $devstat/fake_rpc0/devstat/{operations_read,bytes_read} | paste -sd' ')"
is "sample of all in Rust: number of reads" "$(value fake_rpc:0:queue:reads)" 25
is "sample of all in Rust: the queues are empty" "$(value 'fake_rpc:0:queue:[rw]cnt' | paste -sd' ')" "0 0"
holds "sample of all in Rust: run time at least its busy time" \
	"$(value fake_rpc:0:queue:rtime) >= $(cat $devstat/fake_rpc0/devstat/busy_time_ns)"
holds "sample of all in Rust: integral at least the durations" \
	"$(value fake_rpc:0:queue:rlentime) >= $(cat $devstat/fake_rpc0/devstat/duration_read_ns)"
is "entry: in Rust as well" "$(value fake_rpc:0:fake_rpc0:reads) $(value fake_rpc:0:fake_rpc0:class)" "25 misc"
succeeds "samples: those are unloaded as well" rmmod fake_tape fake_rpc
is "samples: their kstats are deleted" "$(message @kstat fake_*)" ""
is "samples: no warning" "$(lines)" "$complaints"
nothing_lost "samples"
