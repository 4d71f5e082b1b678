# SPDX-License-Identifier: GPL-2.0
# Regions are created, read, resized and deleted on disks that are added and removed. Sourced.

# send WORD...: sends a message and sets reply, which is empty on an error.
send()
{
	reply=
	exec 6<>$NODE || return 1
	echo "$*" >&6 && read -r reply <&6
	exec 6<&-
}

regions()
{
	local disks disk what id reply
	while going; do
		turn
		disks=(/sys/block/*/iostat /sys/block/*/*p1/iostat)
		one_of disk "${disks[@]%/iostat}"
		disk=${disk##*/}
		between id 0 3
		one_of what create create create print print print_clear print_clear clear list resize delete
		case $what in
		create)
			one_of what "/1" "/7 1 classes" "/100 1 precise_timestamps" \
				"3000 2 precise_timestamps histogram:1000,100000,10000000" "/5000 1 classes"
			send "$disk" @stats_create - $what
			;;
		resize)
			one_of what 0+8 0+4096 8+8 -
			send "$disk" @stats_resize "$id" "$what"
			;;
		list) send "$disk" @stats_list ;;
		*) send "$disk" "@stats_$what" "$id" ;;
		esac
		nap 0 10
	done 2>/dev/null
	# Deletes the regions left over.
	for disk in /sys/block/*/iostat /sys/block/*/*p1/iostat; do
		disk=${disk%/iostat}
		for id in $(seq 0 40); do
			send "${disk##*/}" @stats_delete "$id"
		done
	done 2>/dev/null
	true
}
