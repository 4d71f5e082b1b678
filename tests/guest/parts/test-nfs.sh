# SPDX-License-Identifier: GPL-2.0
# NFS over loopback: the entry and the events agree with the client's own statistics in
# /proc/self/mountstats, which count each call when it returns.

. /payload/nfs-server.sh

entries=/sys/class/misc/iostat/devstat

# nfs_stat ENTRY PREFIX: sets a variable per column, as stat_of does for disks.
nfs_stat()
{
	local names values index
	read -ra names <"$entries/$1/stat_columns"
	read -ra values <"$entries/$1/stat"
	for index in "${!names[@]}"; do
		printf -v "$2${names[index]}" %s "${values[index]}"
	done
}

# The client's counts for a mount: calls of READ, WRITE, COMMIT; bytes the server read and wrote.
calls()
{
	awk -v mount="$1" '$1 == "device" { here = $5 == mount }
		here && $1 == "bytes:" { bytes = $6 " " $7 }
		here && ($1 == "READ:" || $1 == "READ_PLUS:") { read += $2 }
		here && $1 == "WRITE:" { write = $2 }
		here && $1 == "COMMIT:" { commit = $2 }
		END { print read, write, commit, bytes }' /proc/self/mountstats
}

# The same values from an entry.
recorded()
{
	nfs_stat "$1" r_
	echo "$r_operations_read $r_operations_write $r_operations_none $r_bytes_read $r_bytes_write"
}

# settled ENTRY: waits until the entry has no I/O in flight.
settled()
{
	local try
	for try in $(seq 200); do
		nfs_stat "$1" r_
		[ "$r_rcnt" != 0 ] || return 0
		sleep 0.1
	done
	return 1
}

# agree NAME: compares the entry with the client's own counts.
agree()
{
	settled nfs0 || fail "nfs: $1: I/O stays in flight"
	is "nfs: $1: calls of READ, WRITE, COMMIT, and bytes" "$(recorded nfs0)" "$(calls /mnt/nfs)"
}

write_files()
{
	dd if=/dev/zero of=/mnt/nfs/buffered bs=1M count=4 conv=fsync status=none
	dd if=/dev/zero of=/mnt/nfs/direct bs=64k count=32 oflag=direct status=none
}

read_files()
{
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/mnt/nfs/buffered of=/dev/null bs=1M status=none
	dd if=/mnt/nfs/direct of=/dev/null bs=100k iflag=direct status=none
}

# The size is not a multiple of the write size: the last write is shorter.
fill()
{
	dd if=/dev/zero of=/mnt/nfs/full bs=1000001 count=40 oflag=direct status=none
	rm /mnt/nfs/full
	sync
}

mkdir -p /export /mnt/nfs /mnt/nfs-again
mount -t tmpfs -o size=16m tmpfs /export
generation=$(cat /sys/class/misc/iostat/generation)
is "nfs: without a mount there is no entry" "$(ls $entries)" ""
succeeds "nfs: the server" nfs_server_start /export
succeeds "nfs: a mount" nfs_mount /mnt/nfs
is "nfs: a mount has an entry" "$(ls $entries)" nfs0
holds "nfs: the generation changes" "$(cat /sys/class/misc/iostat/generation) > generation"
is "nfs: its files" "$(cd $entries/nfs0 && echo *)" \
	"devstat kstat latency oldest_in_flight_ns size stat stat_columns"
is "nfs: its name, unit, driver" "$(cd $entries/nfs0/devstat && cat device_name unit_number driver | paste -sd' ')" "nfs 0 nfs"
succeeds "nfs: the same file system again" nfs_mount /mnt/nfs-again
is "nfs: its kind by a call" "$(/payload/abi list | awk '$1 == "nfs0" { print $7 }')" nfs
is "nfs: it has one entry" "$(ls $entries)" nfs0
umount /mnt/nfs-again

write_files
agree "files written"
read_files
agree "files read"
nfs_stat nfs0 a_
is "nfs: bytes read" "$a_bytes_read" $(((4 << 20) + (2 << 20)))
is "nfs: bytes written" "$a_bytes_write" $(((4 << 20) + (2 << 20)))
holds "nfs: busy for less than its age" "0 < a_rtime && a_rtime < a_snaptime"
is "nfs: the wait queue stays empty" "$a_wtime $a_wlentime" "0 0"
holds "nfs: durations of reads" "a_duration_read_ns >= a_operations_read"

# Many calls at a time.
load()
{
	fio_quiet --directory=/mnt/nfs --filename_format='job.$jobnum' --ioengine=libaio --direct=1 --rw=randrw \
		--bs=512-128k --size=1M --numjobs=4 --iodepth=16 --group_reporting "$@"
}
load
agree "four processes with 16 each"
rm /mnt/nfs/job.*

# Short writes, and errors.
fill 2>/dev/null
agree "a full file system"

# Each start has a done, and the events have files.
echo 8192 >$TRACING/buffer_size_kb
echo >$TRACING/trace
nfs_stat nfs0 b_
echo 'dev_statname == "nfs0"' | tee $TRACING/events/io/start/filter >$TRACING/events/io/done/filter
echo 1 | tee $TRACING/events/io/start/enable >$TRACING/events/io/done/enable
write_files
read_files
fill 2>/dev/null
settled nfs0
sleep 0.1
echo 0 | tee $TRACING/events/io/start/enable >$TRACING/events/io/done/enable
nfs_stat nfs0 c_
sed -nE 's/^.* (start|done): id=([0-9]+) dev=nfs0 (.*)$/\1 \2 \3/p' $TRACING/trace >/tmp/nfs-events
is "nfs: no trace event lost" "$(grep -hE '^(overrun|dropped events): [^0]' $TRACING/per_cpu/cpu*/stats)" ""
starts=$(grep -c ^start /tmp/nfs-events)
is "nfs: events: starts" "$starts" $((c_start_count - b_start_count))
is "nfs: events: each start has a done" "$(awk '{ n[$2] += $1 == "start" ? 1 : -1; seen[$2]++ }
	END { for (id in n) if (n[id] || seen[id] != 2) bad++; print bad + 0 }' /tmp/nfs-events)" 0
is "nfs: events: dones" "$(grep -c ^done /tmp/nfs-events)" "$starts"
is "nfs: events: bytes, and times" "$(awk '$1 == "done" {
		for (i = 3; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] }
		bytes += value["bcount"] - value["resid"]; service += value["service_ns"]; wait += value["wait_ns"]
	} END { printf "%.0f %.0f %.0f\n", bytes, service, wait }' /tmp/nfs-events)" \
	"$((c_bytes_read + c_bytes_write - b_bytes_read - b_bytes_write)) $((c_rlentime - b_rlentime)) 0"
number=$((0x$(stat -c %D /mnt/nfs)))
is "nfs: events: device number of the file system" "$(awk '{ print $3 }' /tmp/nfs-events | sort -u)" \
	"$((number >> 8)):$((number & 255))"
is "nfs: events: files" "$(grep -o 'fs=.*$' /tmp/nfs-events | sort -u | paste -sd,)" \
	"$(for file in buffered direct full; do echo "fs=nfs4 mount=/mnt/nfs path=/mnt/nfs/$file"; done | paste -sd,)"
is "nfs: events: offsets of direct reads" "$(awk '$1 == "start" && /B_PHYS\|B_READ/ && /path=.*direct/' /tmp/nfs-events |
	grep -o 'offset=[0-9]*' | sort -u | wc -l)" "$(grep -c '^start.*B_PHYS|B_READ.*direct' /tmp/nfs-events)"
is "nfs: events: direct I/O and the page cache" "$(sed -nE 's/^start.*flags=(B_[A-Z]+).*path=(.*)$/\2 \1/p' /tmp/nfs-events |
	sort -u | paste -sd,)" "/mnt/nfs/buffered B_PAGEIO,/mnt/nfs/direct B_PHYS,/mnt/nfs/full B_PHYS"
is "nfs: events: no space is left" "$(grep -c '^done.*B_ERROR.*error=28 ' /tmp/nfs-events)" \
	"$(grep -c '^done.*B_ERROR' /tmp/nfs-events)"
holds "nfs: events: there were errors" "$(grep -c '^done.*error=28 ' /tmp/nfs-events) > 0"
echo 0 | tee $TRACING/events/io/start/filter >$TRACING/events/io/done/filter

# A server that does not answer for a second. No file can be opened meanwhile.
exec 5</mnt/nfs/direct
ip link set lo down
dd of=/dev/null bs=64k count=1 iflag=direct status=none <&5 &
sleep 1
nfs_stat nfs0 d_
is "nfs: the server is away: in flight" "$d_rcnt" 1
read -r age <$entries/nfs0/oldest_in_flight_ns
read -r device _ phase listed_ns _ op sector bytes _ comm <<<"$(reply @inflight | grep '^nfs0 ')"
is "nfs: the server is away: in the list of I/Os" "$device $phase $op $sector $bytes $comm" "nfs0 running read 0 0 dd"
holds "nfs: the server is away: the age of the oldest" "500000000 < age && age <= listed_ns"
is "nfs: a message names disks only" "$(/payload/message raw - <<<"@inflight nfs0")" "ENXIO nfs0: there is no such disk%0a"
ip link set lo up
wait $!
exec 5<&-
settled nfs0
nfs_stat nfs0 e_
is "nfs: the server is back: one operation" "$((e_operations_read - d_operations_read)) $((e_bytes_read - d_bytes_read))" "1 65536"
holds "nfs: the server is back: its time" "e_duration_read_ns - d_duration_read_ns >= 900000000"

# The module is loaded while a mount exists, and nfs is unloaded while the module is loaded.
succeeds "nfs: the module is unloaded" rmmod iostat
write_files
load_module
is "nfs: the module is loaded again: the mount has an entry" "$(ls $entries)" nfs0
before=($(calls /mnt/nfs))
write_files
read_files
settled nfs0
after=($(calls /mnt/nfs))
is "nfs: the module is loaded again: calls and bytes" "$(recorded nfs0)" \
	"$(for index in 0 1 2 3 4; do echo $((after[index] - before[index])); done | paste -sd' ')"
mount -t tmpfs tmpfs /mnt/nfs-again # no NFS
is "nfs: other file systems have no entry" "$(ls $entries)" nfs0
umount /mnt/nfs-again
umount /mnt/nfs
is "nfs: unmounted, it has no entry" "$(ls $entries)" ""
succeeds "nfs: mounted again" nfs_mount /mnt/nfs
is "nfs: mounted again, it has a new unit" "$(ls $entries)" nfs1
umount /mnt/nfs
nfs_server_stop
umount /proc/fs/nfsd /export
succeeds "nfs: nfs.ko is unloaded" modprobe -r nfsv4
is "nfs: no entry is left" "$(ls /sys/module/nfs 2>/dev/null) $(ls $entries)" " "
