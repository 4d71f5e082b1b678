# SPDX-License-Identifier: GPL-2.0
# A known load for the tests of programs that read the events: /tmp/work, on the disks nbe, with a
# file system at /mnt/data, and nbr, which is slow. Sourced.

workload_up()
{
	make_null_blk_disk nbe size=256 irqmode=2 completion_nsec=5000000 submit_queues=2 memory_backed=1
	make_null_blk_disk nbr size=64 irqmode=2 completion_nsec=100000000 submit_queues=2
	mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/nbe && mkdir -p /mnt/data &&
		mount /dev/nbe /mnt/data || fail "clients: ext4"
	dd if=/dev/zero of=/mnt/data/file bs=64k count=4 conv=fsync status=none
	# A thread has the name of its program.
	ln -s "$(command -v dd)" /tmp/reader
	ln -s "$(command -v dd)" /tmp/writer
	cat >/tmp/work <<-'END'
		exec 2>/dev/null
		/tmp/reader if=/mnt/data/file of=/dev/null bs=4k count=4 iflag=direct
		/tmp/writer if=/dev/zero of=/mnt/data/file bs=16k count=8 oflag=direct conv=notrunc
		/tmp/reader if=/dev/nbr of=/dev/null bs=4k skip=256 count=8 iflag=direct
		/tmp/reader if=/dev/nbr of=/dev/null bs=64k count=1 iflag=direct
		/tmp/writer if=/dev/zero of=/mnt/data/other bs=4k count=1 conv=fsync,notrunc
	END
}

workload_down()
{
	umount /mnt/data
	remove_null_blk_disk nbe
	remove_null_blk_disk nbr
	rm -f /tmp/reader /tmp/writer
}
