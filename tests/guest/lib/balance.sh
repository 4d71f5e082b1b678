# SPDX-License-Identifier: GPL-2.0
# Conditions on a disk's statistics that hold after any load. Sourced.

# kernel_stat DISK: reads the kernel's own statistics into k_reads k_rsectors k_writes k_wsectors
# k_discards k_dsectors k_flushes.
kernel_stat()
{
	local f
	read -ra f <"/sys/block/$1/stat"
	k_reads=${f[0]} k_rsectors=${f[2]} k_writes=${f[4]} k_wsectors=${f[6]}
	k_discards=${f[11]} k_dsectors=${f[13]} k_flushes=${f[15]}
}

# begin DISK: remembers the statistics of iostat and of the kernel. delta DISK: sets d_<column> and
# dk_<column> to the differences since then.
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

# The last completion may be recorded shortly after the last system call has returned.
wait_idle()
{
	local try
	for ((try = 0; try < 50; try++)); do
		stat_of "$1" i_
		[ "$i_wcnt$i_rcnt" != 00 ] || return 0
		sleep 0.1
	done
}

# at_work DISK [WAITS RUNS]: waits until the disk has I/O in flight, or as many I/Os in its wait queue and in its run queue,
# and sets n_<column>.
at_work()
{
	local try
	for ((try = 0; try < 1000; try++)); do
		stat_of "$1" n_
		[ "$n_wcnt $n_rcnt" != "${*:2}" ] || return 0
		[ $# -gt 1 ] || [ "$n_wcnt$n_rcnt" = 00 ] || return 0
		sleep 0.02
	done
	fail "$1: I/O in flight${2:+: $2 wait, $3 run}" "$n_wcnt wait, $n_rcnt run"
}

# balanced NAME DISK: no I/O is in flight, and all sums agree with each other.
balanced()
{
	wait_idle "$2"
	stat_of "$2" s_
	is "$1: wait queue empty" "$s_wcnt" 0
	is "$1: run queue empty" "$s_rcnt" 0
	is "$1: as many ends as starts" "$s_start_count" "$s_end_count"
	is "$1: operations, merged, refused and abandoned add up to the ends" "$s_end_count" \
		$((s_operations_none + s_operations_read + s_operations_write + s_operations_free +
			s_merged + s_refused + s_abandoned))
	is "$1: tag types add up to the operations" $((s_tag_simple + s_tag_head + s_tag_ordered)) \
		$((s_end_count - s_merged - s_refused - s_abandoned))
	holds "$1: busy time at most the sum of both queues' times" "s_busy_time_ns <= s_wtime + s_rtime"
	holds "$1: wait queue's busy time at most its length integral" "s_wtime <= s_wlentime"
	holds "$1: run queue's busy time at most its length integral" "s_rtime <= s_rlentime"
	histograms "$1" "$2"
}

# histograms NAME DISK: each operation is in the histograms of its class. Call it after
# stat_of DISK s_.
histograms()
{
	local class phase count rest operations wrong= latency=/sys/block/$2/iostat/latency
	# A disk without I/O has no such files: see latency_of(), which takes several processes for each.
	((s_start_count == 0)) && [ ! -e "$latency" ] || all_files "$2"
	for class in none read write free; do
		operations=s_operations_$class
		for phase in wait service total; do
			count=0
			[ ! -e "$latency" ] || read -r count rest <"$latency/${class}_$phase"
			[ "$count" = "${!operations}" ] || wrong+=" ${class}_$phase $count"
		done
		[ -e "$latency" ] && [ $class != none ] || continue
		read -r count rest <"${latency%latency}size/$class"
		[ "$count" = "${!operations}" ] || wrong+=" size/$class $count"
	done
	is "$1: every operation is in its histograms" "$wrong" ""
}

# like_kernel NAME: compares the last delta with the kernel's own counters.
like_kernel()
{
	is "$1: reads as the kernel counts" "$d_operations_read" "$dk_reads"
	is "$1: read sectors as the kernel counts" $((d_bytes_read / 512)) "$dk_rsectors"
	is "$1: write sectors as the kernel counts" $((d_bytes_write / 512)) "$dk_wsectors"
	is "$1: discards as the kernel counts" "$d_operations_free" "$dk_discards"
	is "$1: discard sectors as the kernel counts" $((d_bytes_free / 512)) "$dk_dsectors"
}

# like_fio NAME: compares the last delta with fio's last report.
like_fio()
{
	local reads writes
	read -r reads writes <<<"$(fio_values total_ios)"
	is "$1: reads as fio issued" "$d_operations_read" "$reads"
	is "$1: writes as fio issued" "$d_operations_write" "$writes"
	bytes_like_fio "$1"
}

bytes_like_fio()
{
	local reads writes
	read -r reads writes <<<"$(fio_values io_bytes)"
	is "$1: bytes read by fio" "$d_bytes_read" "$reads"
	is "$1: bytes written by fio" "$d_bytes_write" "$writes"
}

# exact NAME DISK FIO-ARGUMENT...: runs fio on a disk and compares the statistics with its report.
exact()
{
	local name=$1 disk=$2
	shift 2
	# Without merges each request is one operation.
	echo 2 >"/sys/block/$disk/queue/nomerges"
	begin "$disk"
	succeeds "$name: fio" fio_quiet --filename="/dev/$disk" --direct=1 "$@"
	delta "$disk"
	like_fio "$name"
	balanced "$name" "$disk"
}

# sum_of FILE DISK...: prints the sum of one value over several disks.
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

# nothing_missed NAME: all I/Os that began after the module was loaded were recorded to their end.
# nothing_lost NAME: in addition, no I/O ended whose start was not recorded.
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
