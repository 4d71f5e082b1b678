# SPDX-License-Identifier: GPL-2.0
# Who may change what, and who sees what: the user who opened /dev/iostat, and the one who uses the file.

. /payload/regions.sh
. /payload/kstat.sh
insmod /payload/kstat_client.ko
asked 'create 0 1 1 4 kstat_client 0 kept misc' >/tmp/out
asked 'named 0 0 4 number' >/tmp/out
asked 'set 0 0 7' >/tmp/out
asked 'install 0' >/tmp/out
kid=$(listed kstat_client:0:kept 1)
make_null_blk_disk nbp size=64
sends "privileges: a region" nbp @stats_create - /1 prog aux

# state: prints all that the messages below change.
state()
{
	reply "nbp @stats_list"
	reply "nbp @stats_print 0"
	value kstat_client:0:kept:number
	cat $control/cgroup_rows $control/slow_threshold_ns
}

# is_written OPENER USER: sends each line of standard input, and prints how each ends.
is_written()
{
	/payload/opened "$1" "$2" /payload/message raw - | cut -d' ' -f1
}

changes="nbp @stats_create - /1
nbp @stats_clear 0
nbp @stats_print_clear 0
nbp @stats_set_aux 0 other
nbp @stats_resize 0 0+200
nbp @stats_delete 0
@kstat_write kstat_client:0:kept:number 8
@cgroups on
@cgroups off
@slow_threshold 5
nosuchdisk @stats_clear 0
@kstat_write no:0:such:kstat 8"
dd if=/dev/nbp of=/dev/null bs=4k count=3 iflag=direct status=none
wait_idle nbp
before=$(state)
is "privileges: what can be changed" "$(wc -l <<<"$before")" 5
for users in "nobody root" "root nobody" "nobody nobody"; do
	while read -r message; do
		# shellcheck disable=SC2086 # two words
		is "privileges: opened and used by $users: $message" "$(is_written $users <<<"$message")" EPERM
	done <<<"$changes"
	# shellcheck disable=SC2086
	is "privileges: opened and used by $users: IOSTAT_IOC_KSTAT_WRITE" \
		"$(/payload/opened $users /payload/kstats write "$kid" number 4 8)" EPERM
done
is "privileges: nothing has changed" "$(state)" "$before"

# shown OPENER USER MESSAGE: prints the first line of the reply behind the heading.
shown()
{
	/payload/opened "$1" "$2" /payload/message raw - <<<"$3" | sed 's/%0a/\n/g' | sed -n 2p
}

# An I/O in flight, and a slow one.
make_null_blk_disk nbh size=64 irqmode=2 completion_nsec=10000000000
dd if=/dev/nbh of=/dev/null bs=4k count=1 skip=9 iflag=direct status=none &
reader=$!
at_work nbh
for users in "root root" "nobody root" "root nobody" "nobody nobody"; do
	want="- - - -"
	[ "$users" != "root root" ] || want="read 72 4096 dd"
	# shellcheck disable=SC2086
	is "privileges: opened and used by $users: @inflight" "$(shown $users "@inflight nbh" | cut -d' ' -f6-8,10)" "$want"
done
wait $reader
wait_idle nbh
send "@slow_threshold 500000000"
dd if=/dev/nbh of=/dev/null bs=4k count=1 skip=10 iflag=direct status=none
for users in "root root" "nobody root" "root nobody" "nobody nobody"; do
	want="- - - -" flags=0
	[ "$users" != "root root" ] || want="read 80 4096 dd" flags=1
	# shellcheck disable=SC2086
	is "privileges: opened and used by $users: @slow" "$(shown $users "@slow nbh" | cut -d' ' -f9-11,13)" "$want"
	# shellcheck disable=SC2086
	is "privileges: opened and used by $users: IOSTAT_IOC_SLOW" \
		"$(/payload/opened $users /payload/slow list nbh 1 | head -n 1 | cut -d' ' -f2,5,6)" \
		"$flags $( ((flags)) && echo 80 4096 || echo 0 0)"
done
remove_null_blk_disk nbh

# The user root may change all of it.
while read -r message; do
	case $message in
	nosuchdisk*) want=ENXIO ;;
	"@kstat_write no:"*) want=ENOENT ;;
	*) want=0 ;;
	esac
	is "privileges: opened and used by root: $message" "$(is_written root root <<<"$message")" "$want"
done <<<"$changes"
is "privileges: opened and used by root: IOSTAT_IOC_KSTAT_WRITE" \
	"$(/payload/opened root root /payload/kstats write "$kid" number 4 9) $(value kstat_client:0:kept:number)" "0 9"
succeeds "privileges: accounts by cgroup are off again" send "@cgroups off"
remove_null_blk_disk nbp
rmmod kstat_client
reload
