# SPDX-License-Identifier: GPL-2.0
# What must hold of a disk's statistics whatever was done to it. Sourced.

# Kernel's own statistics: kernel_stat DISK sets k_reads k_rsectors k_writes
# k_wsectors k_discards k_dsectors k_flushes.
kernel_stat()
{
	local f
	read -ra f <"/sys/block/$1/stat"
	k_reads=${f[0]} k_rsectors=${f[2]} k_writes=${f[4]} k_wsectors=${f[6]}
	k_discards=${f[11]} k_dsectors=${f[13]} k_flushes=${f[15]}
}

# begin DISK: remembers both accounts; delta DISK: sets d_<column> and
# dk_<column> to what came since.
begin()
{
	wait_idle "$1"
	stat_of "$1" b_
	kernel_stat "$1"
	bk_reads=$k_reads bk_rsectors=$k_rsectors bk_writes=$k_writes bk_wsectors=$k_wsectors
	bk_discards=$k_discards bk_dsectors=$k_dsectors bk_flushes=$k_flushes
}

delta()
{
	local name names before now
	wait_idle "$1"
	stat_of "$1" e_
	kernel_stat "$1"
	read -ra names <"/sys/block/$1/iostat/stat_columns"
	for name in "${names[@]}"; do
		before=b_$name now=e_$name
		printf -v "d_$name" %s $((${!now} - ${!before}))
	done
	for name in reads rsectors writes wsectors discards dsectors flushes; do
		before=bk_$name now=k_$name
		printf -v "dk_$name" %s $((${!now} - ${!before}))
	done
}

# The last completion may be a moment behind the last system call.
wait_idle()
{
	local try
	for try in $(seq 50); do
		stat_of "$1" i_
		[ "$i_wcnt$i_rcnt" != 00 ] || return 0
		sleep 0.1
	done
}

# balanced NAME DISK: nothing in flight, every sum in agreement with the others.
balanced()
{
	wait_idle "$2"
	stat_of "$2" s_
	is "$1: wait queue empty" "$s_wcnt" 0
	is "$1: run queue empty" "$s_rcnt" 0
	is "$1: every start has its end" "$s_start_count" "$s_end_count"
	is "$1: operations and what has none make the ends" "$s_end_count" \
		$((s_operations_none + s_operations_read + s_operations_write + s_operations_free +
			s_merged + s_refused + s_abandoned))
	is "$1: tags make the operations" $((s_tag_simple + s_tag_head + s_tag_ordered)) \
		$((s_end_count - s_merged - s_refused - s_abandoned))
	holds "$1: busy no longer than both queues" "s_busy_time_ns <= s_wtime + s_rtime"
	holds "$1: wait queue no busier than long" "s_wtime <= s_wlentime"
	holds "$1: run queue no busier than long" "s_rtime <= s_rlentime"
	histograms "$1" "$2"
}

# histograms NAME DISK: after stat_of DISK s_. Every operation is in the three of its class.
histograms()
{
	local class phase count rest operations wrong=
	for class in none read write free; do
		operations=s_operations_$class
		for phase in wait service total; do
			read -r count rest <"/sys/block/$2/iostat/latency/${class}_$phase"
			[ "$count" = "${!operations}" ] || wrong+=" ${class}_$phase $count"
		done
	done
	is "$1: every operation is in its histograms" "$wrong" ""
}

# like_kernel NAME: the last delta against the kernel's own counters.
like_kernel()
{
	is "$1: reads as the kernel counts" "$d_operations_read" "$dk_reads"
	is "$1: read sectors as the kernel counts" $((d_bytes_read / 512)) "$dk_rsectors"
	is "$1: write sectors as the kernel counts" $((d_bytes_write / 512)) "$dk_wsectors"
	is "$1: discards as the kernel counts" "$d_operations_free" "$dk_discards"
	is "$1: discard sectors as the kernel counts" $((d_bytes_free / 512)) "$dk_dsectors"
}

# like_fio NAME: the last delta against fio's last report.
like_fio()
{
	is "$1: reads as fio issued" "$d_operations_read" "$(fio_value read total_ios)"
	is "$1: writes as fio issued" "$d_operations_write" "$(fio_value write total_ios)"
	bytes_like_fio "$1"
}

bytes_like_fio()
{
	is "$1: bytes read as fio has them" "$d_bytes_read" "$(fio_value read io_bytes)"
	is "$1: bytes written as fio has them" "$d_bytes_write" "$(fio_value write io_bytes)"
}

# exact NAME DISK FIO-ARGUMENT...: runs fio on a disk, and the account has what fio did.
exact()
{
	local name=$1 disk=$2
	shift 2
	# One operation each: none is to be merged by chance.
	echo 2 >"/sys/block/$disk/queue/nomerges"
	begin "$disk"
	succeeds "$name: fio" fio_quiet --filename="/dev/$disk" --direct=1 "$@"
	delta "$disk"
	like_fio "$name"
	balanced "$name" "$disk"
}

# sum_of FILE DISK...: of one value of several disks.
sum_of()
{
	local file=$1 sum=0 value disk
	shift
	for disk; do
		wait_idle "$disk"
		read -r value <"/sys/block/$disk/iostat/$file"
		sum=$((sum + value))
	done
	echo $sum
}

# nothing_missed NAME: of what began after the module was loaded; nothing_lost NAME: nor did anything
# end that began before, or with another.
nothing_missed()
{
	is "$1: no I/O untracked" "$(cat /sys/class/misc/iostat/untracked)" 0
	is "$1: no I/O abandoned" "$(cat /sys/class/misc/iostat/abandoned)" 0
}

nothing_lost()
{
	nothing_missed "$1"
	is "$1: no I/O unmarked" "$(cat /sys/class/misc/iostat/unmarked)" 0
}

# no_complaint NAME: of the kernel, in all that its log still has.
no_complaint()
{
	is "$1: no warning of the kernel" "$(dmesg | grep -cE 'BUG|WARNING|Oops|unable to handle')" 0
}
