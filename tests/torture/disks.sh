# SPDX-License-Identifier: GPL-2.0
# Disks that are created, used, and removed while they are used. Each kind K has K_up and K_down; K_up
# sets device, and K_down may be called with I/O running. The number in a name keeps two actors apart.
# Sourced.

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
	# Some requests time out or are requeued.
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

# The allocation of its hardware queues may fail: then there is no disk. While it is in use their number
# changes, without faults: blk-mq of 7.3 itself crashes when a queue is missing.
hctx_up()
{
	device=/dev/nh$1
	make_null_blk_disk "nh$1" size=32 irqmode=2 completion_nsec=300000 \
		init_hctx_fault_inject/verbose=0 init_hctx_fault_inject/times=20 \
		init_hctx_fault_inject/probability=20
}

hctx_down()
{
	local queues
	echo 0 >"/sys/kernel/config/nullb/nh$1/init_hctx_fault_inject/probability"
	for queues in 2 1 2; do
		echo $queues >"/sys/kernel/config/nullb/nh$1/submit_queues"
		nap 5 50
	done
	remove_null_blk_disk "nh$1"
}

# Completions without interrupts: the submitter polls for them.
poll_up()
{
	device=/dev/nq$1 how="--ioengine=io_uring --hipri"
	make_null_blk_disk "nq$1" size=32 irqmode=0 poll_queues=1
}

poll_down()
{
	remove_null_blk_disk "nq$1"
}

# A partition, which is removed with its disk in use; or when it is idle, before the disk, and added
# again.
part_up()
{
	device=/dev/np${1}p1
	make_null_blk_disk "np$1" size=32 irqmode=2 completion_nsec=300000 || return 1
	/payload/nth 0 part "/dev/np$1"
	[ -b "$device" ]
}

part_down()
{
	local again
	if chance 50; then
		end_io
		for again in 1 2 3; do
			/payload/nth 0 unpart "/dev/np$1"
			/payload/nth 0 part "/dev/np$1"
		done
	fi
	remove_null_blk_disk "np$1"
}

# pci_up DRIVER: finds the one disk of a PCI driver. It exists except while it is removed.
pci_up()
{
	local at try
	for try in $(seq 50); do
		for at in /sys/bus/pci/drivers/"$1"/*:*/{nvme/nvme*/nvme*n*,virtio*/block/*}; do
			[ -b "/dev/${at##*/}" ] || continue
			device=/dev/${at##*/} slot=${at#*"/$1/"} slot=${slot%%/*}
			return 0
		done
		read -rt 0.1 -u 8
	done
	return 1
}

# pci_down DRIVER: removes the device from the bus, or unbinds the driver, and brings it back.
pci_down()
{
	if chance 50; then
		echo 1 >"/sys/bus/pci/devices/$slot/remove"
		nap 0 50
		echo 1 >/sys/bus/pci/rescan
	else
		echo "$slot" >"/sys/bus/pci/drivers/$1/unbind"
		nap 0 50
		echo "$slot" >"/sys/bus/pci/drivers/$1/bind"
	fi
	pci_up "$1"
}

nvme_up()
{
	pci_up nvme
}

# A controller reset requeues the requests in flight.
nvme_down()
{
	local reset
	for reset in /sys/bus/pci/devices/"$slot"/nvme/nvme*/reset_controller; do
		! chance 50 || echo 1 >"$reset"
	done
	pci_down nvme
}

virtio_up()
{
	pci_up virtio-pci
}

virtio_down()
{
	pci_down virtio-pci
}

# The driver removes the host it added last: for one actor only.
scsi_up()
{
	local before name try
	[ -d $SCSI ] || return 1
	before=" $(echo /sys/block/sd*) "
	scsi_write add_host 1 || return 1
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
	scsi_write add_host -1
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
		"flakey /dev/nd$1 0 1 1" "striped 2 128 /dev/nd$1 0 /dev/nd$1 32768" "error"
	act "dm $table"
	dmsetup create "t$1" --table "0 65536 $table" && dmsetup mknodes "t$1"
}

dm_down()
{
	# Either the disk below is removed first, or the table above it.
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

# kinds ACTOR: prints the kinds that two actors can create at a time, and those only one can.
kinds()
{
	kinds=(null null dm loop part)
	[ ! -e /proc/sys/kernel/io_uring_disabled ] || kinds+=(poll)
	[ ! -d $FAULTS/fail_make_request ] || kinds+=(hctx)
	[ ! -e /proc/mdstat ] || kinds+=(md)
	! modinfo zram >/dev/null 2>&1 || kinds+=(zram)
	[ "$1" = 0 ] || return 0
	kinds+=(scsi virtio)
	[ ! -d /sys/bus/pci/drivers/nvme ] || kinds+=(nvme)
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
	local kind device fio zram kinds slot how turn=$((round * 3)) shuffled
	kinds "$1"
	# One order for the whole run, continued from round to round: with a random choice each time some kinds
	# would never run.
	round=0 seeded "kinds $1"
	shuffled "${kinds[@]}"
	kinds=("${shuffled[@]}")
	seeded "disks $1"
	while going; do
		turn
		# A disk that did not appear in time has no name, and still has to be removed.
		device='' fio='' slot='' how=''
		kind=${kinds[turn++ % ${#kinds[@]}]}
		act "$kind"
		if ${kind}_up "$1"; then
			echo "$kind" >>"$LOGS/disks-$1"
			fio_on "$device" 8 $how
			nap 20 250
			act "$kind is removed"
			${kind}_down "$1"
			end_io
		else
			act "$kind did not appear"
			${kind}_down "$1"
		fi
	done 2>&1
	true
}
