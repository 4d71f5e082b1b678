# SPDX-License-Identifier: GPL-2.0
# What DTrace for Linux's own tests of its io provider check, checked of these events: a file on xfs
# on a loop device is written, and read after a remount. Documentation/io-provider.rst lists the
# intended differences.

image=/tmp/xfs.img dir=/mnt/dtrace file=/mnt/dtrace/file size=$((512 << 10))
echo 16384 >$TRACING/buffer_size_kb
modprobe loop
truncate -s 300M $image
mkdir -p $dir
mkfs.xfs -q $image
loop=$(losetup -f --show $image)
statname=${loop#/dev/}

# mounted COMMAND...: runs COMMAND with the file system mounted. Unmounted before and after, it has no
# page of the file in memory.
mounted()
{
	mount -o nosuid,nodev "$loop" $dir || fail "dtrace: mount"
	"$@"
	umount $dir
	wait_idle "$statname"
}

write_file()
{
	dd if=/dev/urandom of=$file bs=512 count=$((size / 512)) status=none
}

read_file()
{
	dd if=$file of=/dev/null bs=4k status=none
}

# traced COMMAND...: writes all events during COMMAND to /tmp/fields, members by name: "name=text",
# "name=hex (decimal)", or "name=function+0x0/size (decimal)".
traced()
{
	: >$TRACING/trace
	echo 1 >$TRACING/events/io/enable
	"$@"
	echo 0 >$TRACING/events/io/enable
	echo 1 >$TRACING/options/fields
	grep -E ' (start|merge|done|wait_start|wait_done): ' $TRACING/trace >/tmp/fields
	echo 0 >$TRACING/options/fields
}

# select_of EVENT MEMBER...: prints values of this disk's events, a line each; numbers are decimal.
select_of()
{
	local event=$1
	shift
	awk -v event=" ($event): " -v disk=" dev_statname=$statname " -v want="$*" '
		BEGIN { n = split(want, name, " ") }
		$0 !~ event || !index($0, disk) { next }
		{ out = ""
		  for (i = 1; i <= n; i++) {
			at = index($0, " " name[i] "=")
			rest = substr($0, at + length(name[i]) + 2)
			value = rest
			if (match(rest, /^0x[0-9a-f]+ \(-?[0-9]+\)/)) {
				value = substr(rest, 1, RLENGTH)
				sub(/.*\(/, "", value); sub(/\).*/, "", value)
			} else
				sub(/( |\+0x0).*/, "", value)
			out = out (i > 1 ? " " : "") (at ? value : "?")
		  }
		  print out }
	' /tmp/fields
}

# consistent NAME: checks that the members of every event of the disk agree with each other and with
# the disk.
consistent()
{
	local major minor bad
	IFS=: read -r major minor </sys/class/block/"$statname"/dev
	holds "dtrace: $1: events" "$(select_of 'start|done|wait_start|wait_done' id | wc -l) >= 4"
	# B_DONE 2, B_ERROR 4, B_PAGEIO 16, B_PHYS 32, B_READ 64, B_WRITE 256, B_ASYNC 1024.
	bad=$(for event in start done; do
		select_of $event b_flags b_bcount | sed "s/^/$event /"
	done | awk '
		function has(bit) { return int($2 / bit) % 2 }
		has(64) + has(256) != 1 || has(16) + has(32) != ($3 != 0) ||
			has(2) != ($1 == "done") || has(4) || $2 >= 2048 { print }')
	is "dtrace: $1: flags: a direction, a kind of memory if any, B_DONE in done, no error" "$bad" ""
	is "dtrace: $1: b_bufsize is b_bcount" "$(select_of 'start|done|wait_start|wait_done' b_bcount b_bufsize | awk '$1 != $2')" ""
	is "dtrace: $1: b_addr" "$(select_of 'start|done|wait_start|wait_done' b_addr | sort -u)" 0
	is "dtrace: $1: b_error, b_resid" "$(select_of done b_error b_resid | sort -u)" "0 0"
	is "dtrace: $1: b_lblkno is b_blkno" "$(select_of 'start|done' b_blkno b_lblkno | awk '$1 != $2')" ""
	is "dtrace: $1: b_edev, dev_major, dev_minor, dev_instance" \
		"$(select_of 'start|done|wait_start|wait_done' b_edev dev_major dev_minor dev_instance | sort -u)" \
		"$((major << 20 | minor)) $major $minor ${statname//[!0-9]/}"
	is "dtrace: $1: dev_name, dev_pathname" "$(select_of 'start|done|wait_start|wait_done' dev_name dev_pathname | sort -u)" \
		"loop /devices/virtual/block/$statname"
	is "dtrace: $1: b_iodone is a function called at the end" \
		"$(select_of 'start|done' b_iodone | sort -u | grep -vE '^[a-z_]*(end_?io|end_bio)[a-z_]*$')" ""
}

# The arguments of the four probes.
for event in start done wait_start wait_done; do
	is "dtrace: arguments of $event" "$(for member in b_flags b_bcount b_bufsize b_addr b_lblkno b_blkno b_iodone b_edev \
		dev_major dev_minor dev_instance dev_name dev_statname dev_pathname \
		fi_name fi_dirname fi_pathname fi_offset fi_fs fi_mount fi_oflags; do
		grep -qE "[ *]$member(\[[0-9]+\])?;" $TRACING/events/io/$event/format || echo $member
	done)" ""
done
is "dtrace: results of done" "$(grep -cE ' (b_resid|b_error);' $TRACING/events/io/done/format)" 2

# sum_of EVENT BIT: prints the bytes of the disk's I/Os with the flag.
sum_of()
{
	select_of "$1" b_flags b_bufsize | awk -v bit="$2" 'int($1 / bit) % 2 { sum += $2 } END { print sum + 0 }'
}

# of_iodone EVENT FUNCTION: prints flags, number and bytes of the disk's I/Os with this b_iodone.
of_iodone()
{
	select_of "$1" b_iodone b_flags b_bufsize | awk -v name="$2" '
		$1 == name { flags[$2]++; sum += $3; n++ }
		END { for (flag in flags) all = all (all ? "," : "") flag; print n ? all : "none", n + 0, sum + 0 }'
}

# The umount writes as well.
traced mounted write_file
consistent written
holds "dtrace: written: bytes of starts and merges" "$(sum_of 'start|merge' 256) >= size * 9 / 10"
read -r flags records bytes <<<"$(of_iodone 'start|merge' xfs_end_bio)"
# B_PAGEIO, B_WRITE, and B_ASYNC if the submitter does not wait. DTrace sets B_PHYS.
holds "dtrace: written: flags of the data" "flags == 1296 || flags == 272"
is "dtrace: written: the data, by b_iodone" "$bytes" $size
is "dtrace: written: the data, in done events" "$(of_iodone done xfs_end_bio | cut -d' ' -f3)" $size
waits=$(select_of wait_start b_flags | awk 'int($1 / 256) % 2' | wc -l)
holds "dtrace: written: waits" "waits > 0"
is "dtrace: written: every wait ends" "$(select_of wait_done b_flags | awk 'int($1 / 256) % 2' | wc -l)" "$waits"

# Reading.
traced mounted read_file
consistent read
holds "dtrace: read: bytes of starts and merges" "$(sum_of 'start|merge' 64) >= size * 9 / 10"
is "dtrace: read: the data, by b_iodone" "$(of_iodone 'start|merge' iomap_read_end_io | cut -d' ' -f3)" $size
is "dtrace: read: the data, by file" "$(select_of 'start|merge' fi_pathname b_bufsize |
	awk -v file=$file '$1 == file { sum += $2 } END { print sum + 0 }')" $size
waits=$(select_of wait_start b_flags | awk 'int($1 / 64) % 2' | wc -l)
holds "dtrace: read: waits" "waits > 0"
is "dtrace: read: every wait ends" "$(select_of wait_done b_flags | awk 'int($1 / 64) % 2' | wc -l)" "$waits"

losetup -d "$loop"
rm -f $image

# A partition: b_blkno counts from the start of the disk, b_lblkno from that of the partition.
make_null_blk_disk nbd size=64
succeeds "dtrace: a partition" /payload/partition /dev/nbd 1 2048 4096
statname=nbd1
traced dd if=/dev/nbd1 of=/dev/null bs=4k count=1 skip=3 iflag=direct status=none
is "dtrace: a partition: b_blkno, b_lblkno" "$(select_of 'start|done|wait_start|wait_done' b_blkno b_lblkno | sort -u)" "2072 24"
remove_null_blk_disk nbd
