# SPDX-License-Identifier: GPL-2.0
# Accounts by cgroup: bios and bytes are those of the kernel's io.stat, for each way of an I/O.

cgroups=/sys/fs/cgroup
mkdir -p $cgroups
grep -q " $cgroups " /proc/mounts || mount -t cgroup2 none $cgroups
echo "+io +memory" >$cgroups/cgroup.subtree_control || fail "cgroups: no controllers"

# list [DISK]: prints the accounts without the heading.
list()
{
	reply "@cgroups_list $*" | sed 1d
}

# within CGROUP COMMAND...: runs a command there.
within()
{
	local group=$1
	shift
	sh -c "echo \$\$ >$cgroups/$group/cgroup.procs; exec \"\$@\"" sh "$@"
}

id_of()
{
	stat -c %i $cgroups/"$1"
}

# io_stat CGROUP DISK: prints ios and bytes of reads, writes and discards.
io_stat()
{
	local dev
	dev=$(cat /sys/block/"$2"/dev)
	awk -v dev="$dev" '$1 == dev { for (i = 2; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
		END { print value["rios"] + 0, value["rbytes"] + 0, value["wios"] + 0, value["wbytes"] + 0,
			value["dios"] + 0, value["dbytes"] + 0 }' $cgroups/"$1"/io.stat
}

# account ID DISK: the same of our accounts.
account()
{
	list "$2" | awk -v id="$1" '$3 == id { ios[$4] = $5; bytes[$4] = $6 }
		END { print ios["read"] + 0, bytes["read"] + 0, ios["write"] + 0, bytes["write"] + 0, ios["free"] + 0, bytes["free"] + 0 }'
}

# equal NAME CGROUP DISK [LEAST]: the account is io.stat, which has at least so many reads and writes.
equal()
{
	local try stat
	for ((try = 0; try < 100; try++)); do
		stat=$(io_stat "$2" "$3")
		[ "$(account "$(id_of "$2")" "$3")" != "$stat" ] || break
		sleep 0.1
	done
	is "cgroups: $1" "$(account "$(id_of "$2")" "$3")" "$(io_stat "$2" "$3")"
	stat=$(io_stat "$2" "$3")
	# shellcheck disable=SC2086 # words
	set -- "$1" ${4:-1} $stat
	holds "cgroups: $1: there were I/Os" "$3 + $5 + $7 >= $2"
}

# operations DISK: prints the reads and the writes of all accounts.
operations()
{
	list "$1" | awk '$4 == "read" || $4 == "write" { sum[$4] += $7 } END { print sum["read"] + 0, sum["write"] + 0 }'
}

make_null_blk_disk nbc size=512 irqmode=2 completion_nsec=20000 submit_queues=2 memory_backed=1 discard=1
make_null_blk_disk nbd size=256 irqmode=2 completion_nsec=20000 submit_queues=1 hw_queue_depth=2 max_sectors=64
is "cgroups: off at first" "$(list)" ""
for group in one two; do
	mkdir $cgroups/$group
done
succeeds "cgroups: on" send "@cgroups on"
fio="fio --disk_util=0 --output=/dev/null --name=job --size=64m --rw=randrw --bsrange=4k-64k --number_ios=300 --direct=1"
for engine in psync libaio io_uring; do
	within one $fio --filename=/dev/nbc --ioengine=$engine --iodepth=16 || fail "cgroups: $engine"
	equal "$engine" one nbc 300
	within two $fio --filename=/dev/nbd --ioengine=$engine --iodepth=16 || fail "cgroups: $engine"
	equal "$engine, split and refused" two nbd 300
done
# Requests of several bios: what is submitted at once is merged.
echo none >/sys/block/nbc/queue/scheduler
merges=$(awk '{ print $6 }' /sys/block/nbc/stat)
within one fio --disk_util=0 --output=/dev/null --name=job --filename=/dev/nbc --direct=1 --rw=write --bs=4k --size=4m --ioengine=libaio \
	--iodepth=32 --iodepth_batch_submit=32 --iodepth_batch_complete_min=32 || fail "cgroups: merged"
holds "cgroups: merged: there were merges" "$(awk '{ print $6 }' /sys/block/nbc/stat) > merges"
equal "merged" one nbc 1000
within one blkdiscard -o 1M -l 8M /dev/nbc
equal "discards" one nbc
is "cgroups: nothing of another disk" "$(io_stat one nbd) $(account "$(id_of one)" nbd)" "0 0 0 0 0 0 0 0 0 0 0 0"
for fs in ext4 xfs btrfs; do
	case $fs in ext4) force=-F ;; *) force=-f ;; esac
	mkdir -p /mnt/cgroups
	mkfs.$fs -q $force /dev/nbc && mount /dev/nbc /mnt/cgroups || fail "cgroups: $fs"
	within one dd if=/dev/zero of=/mnt/cgroups/one bs=64k count=64 status=none
	within two dd if=/dev/zero of=/mnt/cgroups/two bs=64k count=32 status=none
	sync
	equal "write-back on $fs, one" one nbc 1
	equal "write-back on $fs, two" two nbc 1
	echo 3 >/proc/sys/vm/drop_caches
	within two cat /mnt/cgroups/one >/dev/null
	equal "read-ahead on $fs" two nbc 1
	umount /mnt/cgroups
done
dm_linear cgl /dev/nbc 131072
dm=$(dm_disk cgl)
within one $fio --filename=/dev/mapper/cgl --ioengine=libaio --iodepth=16 --size=32m || fail "cgroups: dm"
equal "dm-linear" one "$dm" 300
equal "below dm-linear" one nbc 300
is "cgroups: dm-linear: all transactions are in them" "$(operations "$dm")" \
	"$(cat "/sys/block/$dm/iostat/devstat/operations_read") $(cat "/sys/block/$dm/iostat/devstat/operations_write")"
dmsetup remove cgl
# Bios that cross the edge of a stripe: dm submits what is left of them again.
dmsetup create cgs --table "0 131072 striped 2 32 /dev/nbd 0 /dev/nbd 131072" && dmsetup mknodes cgs || fail "cgroups: striped"
dm=$(dm_disk cgs)
within one $fio --filename=/dev/mapper/cgs --ioengine=libaio --iodepth=16 --size=32m || fail "cgroups: striped: fio"
holds "cgroups: striped: there were splits" "$(cat "/sys/block/$dm/iostat/events/splits") > 0"
equal "striped" one "$dm" 300
dmsetup remove cgs

# Swap: pages of a cgroup that has too little memory.
make_null_blk_disk nbs size=256 irqmode=2 completion_nsec=20000 memory_backed=1
mkswap /dev/nbs >/dev/null
succeeds "cgroups: swapon" swapon /dev/nbs
mkdir $cgroups/swap
echo 24M >$cgroups/swap/memory.max
within swap dd if=/dev/zero of=/dev/null bs=64M count=2 status=none
swapoff /dev/nbs
equal "swap" swap nbs 1
rmdir $cgroups/swap
remove_null_blk_disk nbs

# Binary.
number=$(cat /sys/block/nbc/iostat/devstat/device_number)
is "cgroups: binary" "$(/payload/cgroups list "$number" | sed '$d')" "$(list nbc | cut -d' ' -f2-)"
is "cgroups: rows" "$(/payload/cgroups list "$number" | tail -n 1)" \
	"$(cat /sys/class/misc/iostat/cgroup_rows) $(cat /sys/class/misc/iostat/cgroup_rows_used)"
is "cgroups: invalid calls" "$(/payload/cgroups refused "$number")" ""
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
is "cgroups: other users may read" "$($nobody /payload/cgroups list "$number")" "$(/payload/cgroups list "$number")"
for message in "@cgroups" "@cgroups 1" "@cgroups on off" "@cgroups ON" "@cgroups_list nosuch" "@cgroups_list nbc nbd"; do
	want=EINVAL
	[ "$message" != "@cgroups_list nosuch" ] || want=ENXIO
	is "cgroups: $message: refused" "$(/payload/message raw - <<<"$message" | cut -d' ' -f1)" $want
done
is "cgroups: the reason" "$(reply "@cgroups 1")" "1: accounts by cgroup are on or off"

# The times of each are its own.
make_null_blk_disk nbt size=64 irqmode=2 completion_nsec=4000000 submit_queues=1 hw_queue_depth=8
echo none >/sys/block/nbt/queue/scheduler

# p99 FILE: prints the bucket of the 99th percentile of a report of fio.
p99()
{
	awk -v bounds="$(cat /sys/class/misc/iostat/latency_bounds_ns)" '$1 == "\"99.000000\"" && !found++ {
		gsub(/,/, "", $3)
		count = split(bounds, bound, " ")
		for (i = 1; i <= count && $3 + 0 > bound[i] + 0; i++);
		print i - 1
	}' "$1"
}

# account_p99 ID CLASS: the same of an account.
account_p99()
{
	list nbt | awk -v id="$1" -v class="$2" '$3 == id && $4 == class {
		count = split($10, pair, ",")
		for (i = 1; i <= count && (done += substr(pair[i], index(pair[i], ":") + 1)) < $7 * 0.99; i++);
		print pair[i] + 0
	}'
}

# buckets CLASS: prints the sum of each bucket over the accounts of a disk that has 110 buckets.
buckets()
{
	list nbt | awk -v class="$1" '$4 == class { n = split($10, pair, ",")
			for (i = 1; i <= n; i++) { at = index(pair[i], ":"); sum[substr(pair[i], 1, at - 1) + 0] += substr(pair[i], at + 1) } }
		END { for (i = 0; i < 110; i++) printf "%s%d", i ? " " : "", sum[i]; print "" }'
}

fio="fio --disk_util=0 --filename=/dev/nbt --direct=1 --bs=4k --size=64m --time_based --runtime=15 --output-format=json --eta=never"
# Threads that wait for their own I/O: what fio says of libaio has the time in which it does not look.
within two $fio --name=flood --ioengine=psync --thread --numjobs=16 --group_reporting --rw=randwrite --output=/tmp/flood.json &
flood=$!
within one $fio --name=quiet --ioengine=psync --rw=randread --output=/tmp/quiet.json
wait $flood
wait_idle nbt
for class in read write; do
	is "cgroups: their times are the disk's: $class" "$(buckets $class)" "$(cut -d' ' -f4- /sys/block/nbt/iostat/latency/${class}_total)"
done
# What fio sees of an I/O has more than that. One bucket is 19 % wide: a time that is next to a bound may be in another.
for report in "one read quiet" "two write flood"; do
	read -r group class name <<<"$report"
	ours=$(account_p99 "$(id_of $group)" $class) fios=$(p99 /tmp/$name.json)
	holds "cgroups: p99 of $name: bucket $ours, fio $fios" "ours > 0 && ours - fios <= 1"
done
equal "the quiet one" one nbt 100
equal "the one that floods" two nbt 400
is "cgroups: all transactions are in them" "$(operations nbt)" \
	"$(cat /sys/block/nbt/iostat/devstat/operations_read) $(cat /sys/block/nbt/iostat/devstat/operations_write)"
remove_null_blk_disk nbt
is "cgroups: a disk that has gone" "$(/payload/message raw - <<<"@cgroups_list nbt")" "ENXIO nbt: there is no such disk%0a"
is "cgroups: its accounts have gone with it" "$(list | grep -c '^-')" 0

# A cgroup that goes leaves its sums to its parent, and that to its own.
mkdir -p $cgroups/over/mid
echo "+io +memory" >$cgroups/over/cgroup.subtree_control
mkdir -p $cgroups/over/mid/low
echo "+io +memory" >$cgroups/over/mid/cgroup.subtree_control
mkdir $cgroups/over/mid/last
within over/mid/last dd if=/dev/nbc of=/dev/null bs=4k count=20 iflag=direct status=none
within over/mid/low dd if=/dev/nbc of=/dev/null bs=4k count=30 iflag=direct status=none
id=$(id_of over/mid)
rmdir $cgroups/over/mid/last
is "cgroups: a cgroup that was removed: its parent" "$(account "$id" nbc)" "20 81920 0 0 0 0"
rmdir $cgroups/over/mid/low
is "cgroups: and another" "$(account "$id" nbc)" "50 204800 0 0 0 0"
rmdir $cgroups/over/mid
equal "after the removal of its parent" over nbc 50
rmdir $cgroups/over

# Many come and go under load, more than there are rows.
succeeds "cgroups: off" send "@cgroups off"
is "cgroups: off again" "$(list)" ""
is "cgroups: no rows" "$(/payload/cgroups list "$number")" "0 0"
for rows in 15 1048577 x; do
	unload_module
	refuses "cgroups: cgroup_rows=$rows: refused" load_module cgroup_rows=$rows
	load_module
done
reload cgroup_rows=64
send "@cgroups on"
# Each of three jobs creates so many cgroups; together they are more than there are rows.
created=$(repetitions 24 60)
used=/sys/class/misc/iostat/cgroup_rows_used
# One more of the parent, to which the I/Os of a cgroup pass when it is removed.
used_after=$(($(cat $used) + 1))
mkdir $cgroups/churn
echo "+io +memory" >$cgroups/churn/cgroup.subtree_control
churn()
{
	local group=$cgroups/churn/$1 n
	for ((n = 0; n < created; n++)); do
		mkdir $group.$n
		(echo $BASHPID >$group.$n/cgroup.procs && exec dd if=/dev/nbc of=/dev/null bs=4k count=20 iflag=direct status=none)
		rmdir $group.$n
	done
}
churners=
for job in 1 2 3; do
	churn $job &
	churners+=" $!"
done
number=$(cat /sys/block/nbc/iostat/devstat/device_number)
while kill -0 ${churners##* } 2>/dev/null; do
	reply @cgroups_list >/dev/null
	/payload/cgroups list "$number" >/dev/null
done
wait $churners
for ((try = 0; try < 100; try++)); do
	[ "$(cat $used)" -gt $used_after ] || break
	sleep 0.2
done
stat=$(io_stat churn nbc)
ios=$((3 * created * 20))
is "cgroups: many that came and went: all were counted" "$stat" "$ios $((ios * 4096)) 0 0 0 0"
list | awk '$3 == "other" || $3 == '"$(id_of churn)"' { ios += $5; bytes += $6; operations += $7 } END { print ios, bytes, operations }' >/tmp/sums
is "cgroups: many that came and went: their sums" "$(cat /tmp/sums)" "$ios $((ios * 4096)) $ios"
holds "cgroups: many that came and went: rows are free again" "$(cat $used) <= used_after"
rmdir $cgroups/churn

# More cgroups at a time than there are rows.
reload cgroup_rows=16
send "@cgroups on"
mkdir $cgroups/crowd
echo "+io" >$cgroups/crowd/cgroup.subtree_control
for ((n = 0; n < 20; n++)); do
	mkdir $cgroups/crowd/$n
	within crowd/$n dd if=/dev/nbc of=/dev/null bs=4k count=20 iflag=direct status=none
done
is "cgroups: no room: io.stat" "$(io_stat crowd nbc)" "400 1638400 0 0 0 0"
is "cgroups: no room: nothing is lost" \
	"$(list | awk '$4 == "read" && ($1 == "nbc" || $3 == "other") { ios += $5; bytes += $6; ended += $7 } END { print ios, bytes, ended }')" \
	"400 1638400 400"
holds "cgroups: no room: other" "$(list | awk '$3 == "other" && $4 == "read" { print $5 }') >= 80"
for ((n = 0; n < 20; n++)); do
	rmdir $cgroups/crowd/$n
done
rmdir $cgroups/crowd
for group in one two; do
	rmdir $cgroups/$group
done
remove_null_blk_disk nbc
remove_null_blk_disk nbd
reload
