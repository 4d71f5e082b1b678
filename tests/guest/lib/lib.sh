# SPDX-License-Identifier: GPL-2.0
# Functions shared by all scripts that run in a guest. Sourced.

set -u
TRACING=/sys/kernel/tracing

# wait_functions: sets BIO_AWAIT and BIO_END_IO to the names of the functions that wait for a bio and that are called at its
# end, which this kernel has: see include/iostat/compat.h.
wait_functions()
{
	BIO_AWAIT=bio_await BIO_END_IO=bio_wait_end_io
	grep -q ' bio_await$' /proc/kallsyms || BIO_AWAIT=submit_bio_wait BIO_END_IO=submit_bio_wait_endio
}

# stat_of DISK [PREFIX]: sets one variable per column of the disk's statistics, named PREFIX and
# the column: stat_of nullb0 a_ sets a_reads and so on.
stat_of()
{
	local names values index prefix=${2:-}
	read -ra names <"/sys/block/$1/iostat/stat_columns"
	read -ra values <"/sys/block/$1/iostat/stat"
	for index in "${!names[@]}"; do
		printf -v "$prefix${names[index]}" %s "${values[index]}"
	done
}

# all_files DISK: waits until a disk or partition has all its files: some come with its first I/O, made by a work item.
# A partition is named as in /sys/block or /sys/class/block. Fails if no I/O was done.
all_files()
{
	local try dir=/sys/block/$1 last=events
	[ -d "$dir" ] || dir=/sys/class/block/$1
	[ ! -e "$dir/partition" ] || last=latency
	for ((try = 0; try < 300; try++)); do
		[ ! -d "$dir/iostat/$last" ] || return 0
		sleep 0.1
	done
	echo "$1 has no iostat/$last"
	return 1
}

# latency_of DISK CLASS_PHASE: prints a histogram. Before the first I/O, when there is no file, all numbers are 0.
latency_of()
{
	stat_of "$1" latency_of_
	# shellcheck disable=SC2154 # set by stat_of
	if ((latency_of_start_count == 0)) && [ ! -e "/sys/block/$1/iostat/latency" ]; then
		echo 0 0 0
		return
	fi
	all_files "$1" && cat "/sys/block/$1/iostat/latency/$2"
}

# repetitions FEW MANY: prints MANY in a thorough run (THOROUGH=1), as guest-sid of make nightly is, else FEW.
repetitions()
{
	[ -z "${THOROUGH:-}" ] && echo "$1" || echo "$2"
}

# page_bytes: prints the size of a page.
page_bytes()
{
	awk '$1 == "KernelPageSize:" { print $2 * 1024; exit }' /proc/self/smaps
}

# programs NAME...: these, without those for 32 bits if this kernel does not run them.
programs()
{
	printf '%s\n' "$@" | if runs_32_bits; then cat; else grep -v '32$'; fi
}

# runs_32_bits: whether the kernel has CONFIG_COMPAT.
runs_32_bits()
{
	[ -e /proc/sys/vm/mmap_rnd_compat_bits ]
}

# open_iostat FD: opens /dev/iostat for reading and writing. While the module is not loaded a
# redirection would create a regular file of that name, and the device node could not be created.
open_iostat()
{
	[ -c /dev/iostat ] || { echo "/dev/iostat is not a device"; return 1; }
	eval "exec $1<>/dev/iostat"
}

# reply MESSAGE: prints the reply to MESSAGE, or the reason why it was refused.
reply()
{
	(open_iostat 7 && echo "$1" >&7; cat <&7) 2>/dev/null
}

# send MESSAGE: writes MESSAGE to /dev/iostat and does not read the reply.
send()
{
	[ -c /dev/iostat ] || { echo "/dev/iostat is not a device"; return 1; }
	printf '%s\n' "$1" >/dev/iostat
}

# disk_table [FILE]: prints the first table of /dev/iostat (all disks) without its two header
# lines.
disk_table()
{
	awk 'NF == 0 { exit } NR > 2' "${1:-/dev/iostat}"
}

# Runs fio, prints only its errors, and leaves its report in a file. Without --disk_util=0 fio looks at each file below
# /sys/block when it starts, and takes twice the time of a short test.
fio_quiet()
{
	fio --disk_util=0 --output=/tmp/fio.json --output-format=json --randrepeat=1 --name=job "$@" >/tmp/fio.log 2>&1 || {
		cat /tmp/fio.log
		return 1
	}
}

# fio_value read|write|trim KEY: prints a number of the last report.
fio_value()
{
	awk -v want="\"$1\"" -v key="\"$2\"" '
		$1 == want && $2 == ":" && $3 == "{" { inside = 1; next }
		inside && $1 == key { gsub(/,/, "", $3); print $3; exit }
	' /tmp/fio.json
}

# fio_values KEY: prints the numbers of read and of write.
fio_values()
{
	awk -v key="\"$1\"" '
		$2 == ":" && $3 == "{" { inside = $1 }
		$1 == key && !(inside in value) { gsub(/,/, "", $3); value[inside] = $3 }
		END { print value["\"read\""], value["\"write\""] }
	' /tmp/fio.json
}

# A module built by scripts/mutants.sh has the parameter "mutant", which enables one change.
load_module()
{
	insmod /payload/iostat.ko ${MUTANT:+mutant=$MUTANT} "$@"
}

# unload_module: unloads the module.
# reload [PARAMETER...]: unloads it if it is loaded, and loads it. A failure of either is a failed check.
unload_module()
{
	rmmod iostat || fail "the module does not unload"
}

reload()
{
	[ ! -d /sys/module/iostat ] || unload_module
	load_module "$@" || fail "the module does not load: $*"
}

# make_null_blk_disk NAME [ATTRIBUTE=VALUE...]: creates /dev/NAME through configfs.
make_null_blk_disk()
{
	make_null_blk_disks "$1" -- "${@:2}"
}

# make_null_blk_disks NAME... -- [ATTRIBUTE=VALUE...]: takes less time than one after another.
make_null_blk_disks()
{
	local all=/sys/kernel/config/nullb names=() name setting
	while [ "$1" != -- ]; do
		names+=("$1")
		shift
	done
	shift
	[ -d $all ] || modprobe null_blk nr_devices=0 || return 1
	mkdir "${names[@]/#/$all/}" || return 1
	for name in "${names[@]}"; do
		for setting in size=512 memory_backed=0 "$@"; do
			echo "${setting#*=}" >"$all/$name/${setting%%=*}" || return 1
		done
		echo 1 >"$all/$name/power" || return 1
	done
	# The kernel has looked for partitions, except on a zoned disk: that has these files after its first I/O.
	[ -e /sys/module/iostat ] && [[ " $* " != *" zoned=1 "* ]] || return 0
	for name in "${names[@]}"; do
		all_files "$name" || return 1
	done
}

# remove_null_blk_disk NAME...
remove_null_blk_disk()
{
	local all=/sys/kernel/config/nullb name
	for name; do
		echo 0 >"$all/$name/power"
	done
	rmdir "${@/#/$all/}"
}

# Prints the name of the disk that scsi_debug created.
scsi_debug_disk()
{
	local try dir
	for try in $(seq 50); do
		for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
			[ -d "$dir" ] || continue
			[ ! -e /sys/module/iostat ] || all_files "${dir##*/}" >&2
			echo "${dir##*/}"
			return 0
		done
		sleep 0.1
	done
	return 1
}

# dm_linear NAME DEVICE SECTORS
dm_linear()
{
	dmsetup create "$1" --table "0 $3 linear $2 0" && dmsetup mknodes "$1"
}

# dm_disk NAME: prints the name in /sys/block of a device-mapper device.
dm_disk()
{
	dmsetup info -c --noheadings -o blkdevname "$1"
}

# make_partitions DEVICE START:SECTORS...: writes a table of up to four partitions and adds them
# to the kernel.
make_partitions()
{
	local device=$1 entry number byte table=
	shift
	for entry; do
		table+='\x00\x00\x00\x00\x83\x00\x00\x00'
		for number in "${entry%:*}" "${entry#*:}"; do
			for byte in 0 8 16 24; do
				table+=$(printf '\\x%02x' $((number >> byte & 255)))
			done
		done
	done
	# shellcheck disable=SC2059 # the table is the format
	printf "$table" | dd of="$device" bs=1 seek=446 conv=notrunc status=none &&
		printf '\x55\xaa' | dd of="$device" bs=1 seek=510 conv=notrunc status=none &&
		partx --add "$device"
}
