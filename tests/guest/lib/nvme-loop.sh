# SPDX-License-Identifier: GPL-2.0
# A multipath disk of nvme with one path, by the target loop of nvme. Sourced.

NVMET=/sys/kernel/config/nvmet

# nvme_loop_connect NAME DEVICE: connects the subsystem NAME, whose namespace is the device. Sets $head and $path to the
# multipath disk and the disk of its path.
nvme_loop_connect()
{
	local known try dir
	modprobe nvme-loop && modprobe nvmet || return 1
	mkdir $NVMET/subsystems/"$1" $NVMET/ports/77
	echo 1 >$NVMET/subsystems/"$1"/attr_allow_any_host
	mkdir $NVMET/subsystems/"$1"/namespaces/1
	echo -n "$2" >$NVMET/subsystems/"$1"/namespaces/1/device_path
	echo 1 >$NVMET/subsystems/"$1"/namespaces/1/enable
	echo loop >$NVMET/ports/77/addr_trtype
	ln -s $NVMET/subsystems/"$1" $NVMET/ports/77/subsystems/"$1"
	known=" $(echo /sys/block/nvme*) "
	nvme connect -t loop -n "$1" || return 1
	head='' path=''
	for try in $(seq 50); do
		for dir in /sys/block/nvme*; do
			case "$known" in
			*" $dir "*) continue ;;
			esac
			case ${dir##*/} in
			nvme*c*n1) path=${dir##*/} ;;
			*) head=${dir##*/} ;;
			esac
		done
		[ -z "$head" ] || [ -z "$path" ] || [ ! -b "/dev/$head" ] || return 0
		sleep 0.1
	done
	return 1
}

# nvme_loop_disconnect NAME
nvme_loop_disconnect()
{
	nvme disconnect -n "$1" || return 1
	rm $NVMET/ports/77/subsystems/"$1"
	rmdir $NVMET/ports/77 $NVMET/subsystems/"$1"/namespaces/1 $NVMET/subsystems/"$1"
	modprobe -r nvme-loop nvmet
}
