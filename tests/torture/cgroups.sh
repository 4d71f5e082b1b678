# SPDX-License-Identifier: GPL-2.0
# Accounts by cgroup are switched on and off and read, while cgroups come and go with their I/O. Sourced.

CGROUPS=/sys/fs/cgroup

# mount_cgroups: mounts the hierarchy, unless it is there; false if the kernel has no controller for block I/O.
mount_cgroups()
{
	[ -d $CGROUPS ] || return 1
	grep -q " $CGROUPS cgroup2 " /proc/mounts || mount -t cgroup2 none $CGROUPS 2>/dev/null || return 1
	echo +io 2>/dev/null >$CGROUPS/cgroup.subtree_control
}

# ios_of CGROUP DISK: prints the reads and the bytes read of io.stat.
ios_of()
{
	awk -v dev="$(<"/sys/block/$2/dev")" '$1 == dev { for (i = 2; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
		END { print value["rios"] + 0, value["rbytes"] + 0 }' "$CGROUPS/$1/io.stat"
}

# accounts_of CGROUP DISK: prints the reads and the bytes of its account, and of what had no row.
accounts_of()
{
	local lines
	message "@cgroups_list"
	printf '%s\n' "${lines[@]}" | awk -v id="$(stat -c %i "$CGROUPS/$1")" -v disk="$2" '
		$4 == "read" && ($1 == disk && $3 == id || $3 == "other") { ios += $5; bytes += $6 }
		END { print ios + 0, bytes + 0 }'
}

# cgroup_storm ROWS COUNT: COUNT cgroups come and go, three at a time, with room for the accounts of so many cgroups,
# disks, CPUs and classes. No I/O is lost: what a removed cgroup had is its parent's, or had no room.
cgroup_storm()
{
	local pids=() job groups reads sum=0 all=0 try disk=nb0 name="cgroups, $1 rows" lines looked=0
	insmod /payload/iostat.ko cgroup_rows="$1" || fail "$name: the module does not load"
	make_null_blk_disk $disk size=64 irqmode=2 submit_queues=2 completion_nsec=50000
	send @cgroups on && mkdir $CGROUPS/storm && echo +io >$CGROUPS/storm/cgroup.subtree_control ||
		fail "$name: there are no accounts"
	for job in 1 2 3; do
		/payload/groups $CGROUPS/storm $job $(($2 / 3 + 1)) /dev/$disk 4 $((job * 64)) </dev/null >/tmp/groups-$job &
		pids+=($!)
	done
	while kill -0 "${pids[@]}" 2>/dev/null; do
		message "@cgroups_list $disk"
		looked=$((looked + (${#lines[@]} > 1)))
	done
	for job in 1 2 3; do
		wait "${pids[job - 1]}" || fail "$name: job $job ends with an error"
		read -r groups reads </tmp/groups-$job
		sum=$((sum + groups)) all=$((all + reads))
	done
	holds "$name: $sum came and went, with $all direct reads" "sum >= $2 && all == 4 * sum"
	holds "$name: read $looked times meanwhile" "looked > 0"
	# Until all read-ahead has ended.
	for ((try = 0; try < 100; try++)); do
		[ "$(accounts_of storm $disk)" != "$(ios_of storm $disk)" ] || break
		read -rt 0.1 -u 8
	done
	is "$name: io.stat of the parent" "$(accounts_of storm $disk)" "$(ios_of storm $disk)"
	# Rows of cgroups that have gone are merged.
	for ((try = 0; try < 300; try++)); do
		(($(<$CONTROL/cgroup_rows_used) > 16)) || break
		read -rt 0.1 -u 8
	done
	holds "$name: rows are free again" "$(<$CONTROL/cgroup_rows_used) <= 16"
	rmdir $CGROUPS/storm || fail "$name: the cgroup stays"
	remove_null_blk_disk $disk
	send @cgroups off || fail "$name: off"
	in_balance "$name"
	unload_at_last || fail "$name: the module cannot be unloaded"
}

# cgroup_storms COUNT: with room for all, and without.
cgroup_storms()
{
	cgroup_storm 4096 "$1"
	cgroup_storm 16 $(($1 / 10))
}

# The actor: on the disks that stay, and null_blk disks that go.
cgroups()
{
	local what device devices group=$CGROUPS/actor reply lines
	exec 9<$GOING || return 0
	mkdir $group && echo +io >$group/cgroup.subtree_control || return 1
	while going; do
		turn
		one_of what on on off list groups groups ahead ahead
		devices=("${base[@]}" /dev/nt[01] /dev/nh[01])
		one_of device "${devices[@]}"
		act "$what $device"
		case $what in
		on | off) send @cgroups $what ;;
		list) message @cgroups_list ;;
		groups) /payload/groups $group a 20 "$device" 4 <&9 ;;
		ahead)
			/payload/groups $group b 20 "$device" 1 512 <&9 &
			/payload/groups $group c 20 "$device" 1 64 <&9
			wait $!
			;;
		esac || [[ $what = [ol]* ]] || return 1
		nap 0 20
	done 2>&1
	send @cgroups off 2>/dev/null
	rmdir $group
}
