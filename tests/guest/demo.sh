# SPDX-License-Identifier: GPL-2.0
# Shown by `make run`.

say()
{
	printf '\n\033[1m== %s\033[0m\n' "$*"
}

fail()
{
	echo "error: $*"
	exit 1
}

# Divides the kernel's sums: times per I/O and busy time, by the column names in the header line.
table()
{
	awk '
	NR == 2 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	function value(name) { return $(column[name]) }
	function each(sum, count) { return count ? sum / count / 1000 : 0 }
	NR == 1 {
		printf "%-8s %7s %7s %6s %6s %9s %9s %9s %9s %7s\n", "device", "reads", "writes",
			"frees", "other", "read kB", "writ kB", "wait us", "serv us", "busy ms"
	}
	NF == 0 { exit }
	NR > 2 {
		io = value("end_count")
		printf "%-8s %7d %7d %6d %6d %9d %9d %9.1f %9.1f %7.1f\n", value("device"),
			value("operations_read"), value("operations_write"),
			value("operations_free"), value("operations_none"),
			value("bytes_read") / 1024, value("bytes_write") / 1024,
			each(value("wlentime"), io), each(value("rlentime"), io),
			value("busy_time_ns") / 1e6
	}' /dev/iostat
}

# Finds quantiles: the upper bound of the first bucket that, with those below, holds this share.
quantiles()
{
	awk '
	NF == 0 { histograms = 1; next }
	!histograms || $4 !~ /^(wait|service|total)$/ { next }
	!head++ {
		printf "%-8s %-6s %-8s %7s %10s %10s %10s %10s\n", "device", "class", "phase",
			"count", "min us", "50 % us", "99 % us", "max us"
	}
	function quantile(share,   i, n, part) {
		for (i = 8; i <= NF; i++) {
			split($i, part, ":")
			if ((n += part[2]) >= share * $5)
				return part[1] < $7 ? part[1] : $7
		}
	}
	{
		printf "%-8s %-6s %-8s %7d %10.1f %10.1f %10.1f %10.1f\n", $1, $3, $4, $5, $6 / 1000,
			quantile(0.5) / 1000, quantile(0.99) / 1000, $7 / 1000
	}' /dev/iostat
}

dmesg -n 3
say "load"
load_module || fail "the module does not load: $(dmesg | grep iostat | tail -n 1)"
dmesg | grep 'iostat: recording'
make_null_blk_disk nullb0 irqmode=2 completion_nsec=100000 submit_queues=2 || fail "no null_blk"
modprobe sd_mod; modprobe scsi_debug dev_size_mb=64 delay=0 lbpu=1 || fail "no scsi_debug"
sd=$(scsi_debug_disk) || fail "no disk of scsi_debug"
modprobe brd rd_nr=1 rd_size=65536 || fail "no brd"
dm_linear demo /dev/nullb0 524288 || fail "no dm-linear"

say "real I/O: fio on null_blk, ext4 with fsync on virtio-blk, flushes and discards on scsi_debug, dm-linear, brd"
fio_quiet --filename=/dev/nullb0 --direct=1 --rw=randread --bs=4k --ioengine=io_uring \
	--iodepth=16 --number_ios=8000 --size=256m || fail "fio on null_blk"
mkfs.ext4 -q /dev/vda && mount /dev/vda /mnt || fail "ext4"
fio_quiet --filename=/mnt/file --rw=randwrite --bs=4k --fsync=1 --number_ios=300 --size=16m ||
	fail "fio on ext4"
umount /mnt
fio_quiet --filename="/dev/$sd" --rw=write --bs=64k --size=32m --end_fsync=1 || fail "fio on scsi_debug"
blkdiscard -o 0 -l 16M "/dev/$sd" || fail "discard"
fio_quiet --filename=/dev/mapper/demo --direct=1 --rw=randrw --bs=8k --number_ios=2000 \
	--size=128m --ioengine=libaio --iodepth=8 || fail "fio on dm-linear"
fio_quiet --filename=/dev/ram0 --direct=1 --rw=write --bs=4k --size=16m || fail "fio on brd"

say "/dev/iostat, all devices (sums from the kernel, quotients from awk)"
table

say "latency quantiles from the histograms"
quantiles

say "/sys/block/$sd/iostat"
(cd "/sys/block/$sd/iostat" && for file in devstat/* kstat/*; do
	printf '%-28s %s\n' "$file" "$(cat "$file")"
done) | awk '{ left[NR] = $0 } END {
	half = int((NR + 1) / 2)
	for (i = 1; i <= half; i++) printf "%-44s %s\n", left[i], left[i + half]
}'

say "trace events of the io provider"
echo 1 >$TRACING/events/io/enable
dd if=/dev/mapper/demo of=/dev/null bs=8k count=1 iflag=direct status=none
echo 0 >$TRACING/events/io/enable
grep -v '^#' $TRACING/trace | sed 's/^ *//' | cut -c1-280

say "unload"
rmmod iostat || fail "the module does not unload"
[ ! -e /dev/iostat ] && [ ! -e "/sys/block/$sd/iostat" ] || fail "files are left behind"
echo "unloaded, no files left behind"
