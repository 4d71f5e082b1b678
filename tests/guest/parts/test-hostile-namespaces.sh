# SPDX-License-Identifier: GPL-2.0
# An unprivileged user opens the module's events from user, mount and pid namespaces of their own. No
# other task may have to wait for this user, and root's trace has the paths of the initial namespace.

EVENTS=$TRACING/events

# within SECONDS COMMAND...: true if COMMAND succeeds in that time. It may be in uninterruptible sleep.
within()
{
	local limit=$1 begin=$SECONDS pid
	shift
	"$@" >/tmp/out 2>&1 &
	pid=$!
	while [ -d /proc/$pid ] && [ "$(cut -d' ' -f3 /proc/$pid/stat 2>/dev/null)" != Z ]; do
		if [ $((SECONDS - begin)) -ge "$limit" ]; then
			echo "still running after $limit s, in $(cat /proc/$pid/wchan)" >/tmp/out
			return 1
		fi
		sleep 0.1
	done
	wait $pid
}

set_to()
{
	echo "$1" >"$2"
}

toggle()
{
	set_to 1 "$1" && set_to 0 "$1"
}

load_and_unload()
{
	modprobe brd rd_nr=1 rd_size=1024 && rmmod brd
}

# attack MODE EVENT [DIR]: starts the attacker in the background, as the user nobody. Its output is in
# /tmp/attack, its input is descriptor 7.
attack()
{
	rm -f /tmp/orders
	mkfifo /tmp/orders
	: >/tmp/attack
	setpriv --reuid 65534 --regid 65534 --clear-groups \
		/payload/hostile "$1" "$(cat "$EVENTS/io/$2/id")" "${@:3}" \
		</tmp/orders >>/tmp/attack 2>&1 &
	attacker=$!
	exec 7>/tmp/orders
	says opening
}

# says WORD: true if the attacker prints WORD within 10 s.
says()
{
	local try
	for try in $(seq 100); do
		[ "$(tail -n 1 /tmp/attack)" != "$1" ] || return 0
		# The attacker may have printed the next word as well.
		[ "$1" != opening ] || ! grep -q opened /tmp/attack || return 0
		sleep 0.1
	done
	return 1
}

end_attack()
{
	exec 7>&-
	kill -9 $attacker 2>/dev/null
	wait $attacker 2>/dev/null
}

paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
knobs=()
for knob in /proc/sys/kernel/unprivileged_userns_clone /proc/sys/kernel/apparmor_restrict_unprivileged_userns; do
	[ -e $knob ] || continue
	knobs+=("$knob $(cat $knob)")
	echo $((! $(expr $knob : '.*restrict'))) >$knob
done
chmod 666 /dev/fuse

for kind in fifo fuse; do
	for event in start wait_start; do
		name="hostile: $kind, io:$event"
		succeeds "$name: the attack begins" attack $kind $event
		succeeds "$name: root can enable another event" \
			within 10 set_to 1 $EVENTS/sched/sched_switch/enable
		succeeds "$name: root can disable another event" within 10 set_to 0 $EVENTS/sched/sched_switch/enable
		succeeds "$name: a module can be loaded and unloaded" within 20 load_and_unload
		succeeds "$name: the user has opened the event" says opened
		succeeds "$name: root can enable and disable the same event" within 20 toggle $EVENTS/io/$event/enable
		end_attack
		succeeds "$name: root can enable and disable it after the user's exit" within 20 toggle $EVENTS/io/$event/enable
	done
done

# The user enables an event first, then root traces.
make_null_blk_disk nbh size=256 memory_backed=1
mkfs.ext4 -q -F /dev/nbh
mkdir -p /mnt/data
mount /dev/nbh /mnt/data
dd if=/dev/urandom of=/mnt/data/file bs=4k count=1 status=none
chmod 644 /mnt/data/file
sync

# traced: prints mount and path of the traced reads of the disk, and of the waits for them.
traced()
{
	grep ' \(start\|wait_start\): ' $TRACING/trace | grep 'dev=nbh .*B_READ' | grep -v 'path=<none>' |
		sed -n 's/.* mount=\(.*\) path=\(.*\)$/\1 \2/p' | sort -u
}

# names NAME COMMAND...: checks root's trace of a command that reads the file.
names()
{
	local name=$1
	shift
	echo 3 >/proc/sys/vm/drop_caches
	: >$TRACING/trace
	echo 1 >$EVENTS/io/enable
	"$@"
	echo 0 >$EVENTS/io/enable
	is "hostile: jail: $name" "$(traced)" "/mnt/data /mnt/data/file"
}

order()
{
	: >/tmp/attack
	echo "$1" >&7
	says read || fail "hostile: jail: the user does not read" "$(tail -n 1 /tmp/attack)"
}

succeeds "hostile: jail: the attack begins" attack jail start /mnt/data
succeeds "hostile: jail: the user has opened the event" says opened
names "root's buffered read" dd if=/mnt/data/file of=/dev/null status=none
names "root's direct read" dd if=/mnt/data/file of=/dev/null bs=4k iflag=direct status=none
names "the user's buffered read" order buffered
names "the user's direct read" order direct
end_attack
umount /mnt/data
remove_null_blk_disk nbh
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
for knob in "${knobs[@]}"; do
	echo "${knob#* }" >"${knob% *}"
done
