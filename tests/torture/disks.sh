# SPDX-License-Identifier: GPL-2.0
# Disks that come, are used, and go while they are used. Each kind K has K_up
# and K_down; K_up sets device, and K_down may be called with I/O running.
# The number in a name keeps two actors apart. Sourced.

null_up()
{
	local irqmode queues time what
	one_of irqmode 0 1 2 2
	one_of queues 1 2
	between time 10000 5000000
	one_of what timeout_inject requeue_inject none none
	device=/dev/nt$1
	make_null_blk_disk "nt$1" size=32 irqmode="$irqmode" submit_queues="$queues" \
		completion_nsec="$time" || return 1
	# Some requests time out, or are sent back.
	what=/sys/kernel/config/nullb/nt$1/$what
	if [ -d "$what" ]; then
		echo 400 >"/sys/block/nt$1/queue/io_timeout"
		echo 0 >"$what/verbose"
		echo 50 >"$what/times"
		echo 5 >"$what/probability"
	fi
}

null_down()
{
	remove_null_blk_disk "nt$1"
}

# Hosts are one list, of which the last goes: for one actor only.
scsi_up()
{
	local before name try
	[ -d /sys/bus/pseudo/drivers/scsi_debug ] || return 1
	before=" $(echo /sys/block/sd*) "
	echo 1 >/sys/bus/pseudo/drivers/scsi_debug/add_host || return 1
	for try in $(seq 50); do
		for name in /sys/block/sd*; do
			if [[ $before != *" $name "* ]] && [ -b "/dev/${name##*/}" ]; then
				device=/dev/${name##*/}
				return 0
			fi
		done
		read -rt 0.1 -u 8
	done
	return 1
}

scsi_down()
{
	local delete=/sys/block/${device##*/}/device/delete
	if chance 50; then
		[ ! -e "$delete" ] || echo 1 >"$delete"
	fi
	echo -1 >/sys/bus/pseudo/drivers/scsi_debug/add_host
}

loop_up()
{
	device=/dev/loop$((16 + $1))
	truncate -s 32M "/tmp/loop$1"
	/payload/nth 0 add $((16 + $1)) >/dev/null
	losetup --direct-io=off "$device" "/tmp/loop$1"
}

loop_down()
{
	losetup -d "$device"
	end_io
	/payload/nth 0 remove $((16 + $1))
	rm "/tmp/loop$1"
}

dm_up()
{
	local table
	device=/dev/mapper/t$1
	make_null_blk_disk "nd$1" size=32 irqmode=2 completion_nsec=300000 || return 1
	one_of table "linear /dev/nd$1 0" "linear /dev/nd$1 0" "delay /dev/nd$1 0 5" \
		"flakey /dev/nd$1 0 1 1" "error"
	act "dm $table"
	dmsetup create "t$1" --table "0 65536 $table" && dmsetup mknodes "t$1"
}

dm_down()
{
	# Either the disk below goes first, or the table from above it.
	if chance 50; then
		remove_null_blk_disk "nd$1"
	else
		dmsetup wipe_table "t$1"
	fi
	end_io
	dmsetup remove --retry "t$1"
	[ ! -d "/sys/kernel/config/nullb/nd$1" ] || remove_null_blk_disk "nd$1"
}

md_up()
{
	local level name
	[ -e /proc/mdstat ] || return 1
	device=/dev/md$1
	for name in a b; do
		make_null_blk_disk "nm$1$name" size=32 irqmode=2 completion_nsec=300000 || return 1
	done
	one_of level 0 1
	mdadm --build "$device" --level="$level" --raid-devices=2 --assume-clean --quiet \
		"/dev/nm$1a" "/dev/nm$1b"
}

md_down()
{
	! chance 30 || mdadm --quiet "$device" --fail "/dev/nm$1b"
	end_io
	mdadm --quiet --stop "$device"
	remove_null_blk_disk "nm$1a"
	remove_null_blk_disk "nm$1b"
}

zram_up()
{
	modprobe -q zram num_devices=1
	[ -e /sys/class/zram-control/hot_add ] || return 1
	read -r zram </sys/class/zram-control/hot_add
	device=/dev/zram$zram
	echo 32M >"/sys/block/zram$zram/disksize"
}

zram_down()
{
	end_io
	echo "$zram" >/sys/class/zram-control/hot_remove
}

# kinds ACTOR: those of which two can be made at a time, and one that cannot.
kinds()
{
	kinds=(null null dm loop)
	[ ! -e /proc/mdstat ] || kinds+=(md)
	! modinfo zram >/dev/null 2>&1 || kinds+=(zram)
	[ "$1" != 0 ] || kinds+=(scsi)
}

end_io()
{
	[ -n "$fio" ] || return 0
	kill $fio 2>/dev/null
	wait $fio
	true
}

disks()
{
	local kind device fio zram kinds
	kinds "$1"
	while going; do
		# What did not come in time has no name, and still has to go.
		device='' fio=''
		one_of kind "${kinds[@]}"
		act "$kind"
		if ${kind}_up "$1"; then
			echo "$kind" >>"$LOGS/disks-$1"
			fio_on "$device" 8
			nap 20 250
			act "$kind goes"
			${kind}_down "$1"
			end_io
		else
			act "$kind did not come"
			${kind}_down "$1"
		fi
	done 2>&1
	true
}
