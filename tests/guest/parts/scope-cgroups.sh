# SPDX-License-Identifier: GPL-2.0
# ioscope cgroups, of two cgroups on two disks.

cgroups=/sys/fs/cgroup
mkdir -p $cgroups
grep -q " $cgroups " /proc/mounts || mount -t cgroup2 none $cgroups
echo "+io +memory" >$cgroups/cgroup.subtree_control || fail "cgroups: no controllers"
mkdir "$cgroups/a b" $cgroups/quiet.slice
echo "+io" >$cgroups/quiet.slice/cgroup.subtree_control || fail "cgroups: no controller"
mkdir $cgroups/quiet.slice/one
# within CGROUP COMMAND...: runs a command there.
within()
{
	local group=$1
	shift
	sh -c "echo \$\$ >'$cgroups/$group/cgroup.procs'; exec \"\$@\"" sh "$@"
}
make_null_blk_disk shop irqmode=2 completion_nsec=2000000 submit_queues=1
make_null_blk_disk mill irqmode=2 completion_nsec=8000000 submit_queues=1
wait_idle mill

says "cgroups: off" 1 "ioscope: accounts by cgroup are off: ioscope cgroups --on switches them on, as root" ioscope cgroups
says "cgroups: other users may not switch them" 1 "ioscope: accounts by cgroup are switched on and off by root only" \
	setpriv --reuid=65534 --clear-groups ioscope cgroups --on
succeeds "cgroups: on" ioscope cgroups --on
is "cgroups: nothing yet" "$(ioscope cgroups -H shop)" ""
within "a b" dd if=/dev/shop of=/dev/null bs=4k count=20 iflag=direct status=none
within "a b" dd if=/dev/zero of=/dev/shop bs=16k count=10 oflag=direct status=none
within quiet.slice/one dd if=/dev/mill of=/dev/null bs=8k count=5 iflag=direct status=none
ioscope cgroups shop mill >/tmp/cgroups
is "cgroups: the columns" "$(head -n 1 /tmp/cgroups | xargs)" \
	"device reads rkB r_await r_svc r_p99 writes wkB w_await w_svc w_p99 others %svc cgroup"
is "cgroups: numbers, the busiest first" "$(awk 'NR > 1 && NF { print $1, $2, $3, $7, $8, $12, $13, $14 }' /tmp/cgroups | paste -sd,)" \
	'shop 20 80 10 160 0 100.0 /a\040b,mill 5 40 0 0 0 100.0 /quiet.slice/one'
is "cgroups: times" "$(awk 'NR > 1 && NF && ($4 < ($1 == "shop" ? 2 : 8) || $5 > $4 || $4 > 500)' /tmp/cgroups)" ""
is "cgroups: io.stat" "$(ioscope cgroups -o csv shop | sed 1d | cut -d , -f 2,12,13,18,19)" \
	"/a\\040b,$(awk '{ for (i = 2; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] }
		printf "%s,%s,%s,%s", value["rios"], value["rbytes"], value["wios"], value["wbytes"] }' "$cgroups/a b/io.stat")"
is "cgroups: all disks together" "$(ioscope cgroups -s -H shop mill | awk 'NF { print $1, $6, $NF }' | paste -sd,)" \
	'20 10 /a\040b,5 0 /quiet.slice/one'
ioscope cgroups -o json shop mill | give cgroups.json
ioscope cgroups -s -o json shop mill | give cgroups-sums.json
is "cgroups: other users may read them" "$(setpriv --reuid=65534 --clear-groups ioscope cgroups shop mill)" "$(cat /tmp/cgroups)"

terminal 160 30 "ioscope top 0.2 shop mill"
shows "cgroups: top" '^shop '
keys t 7
shows "cgroups: a page of top" '^shop +20 +80 +[0-9.]+ +[0-9.]+ +[0-9.]+ms +10 +160 .* 100.0 /a.040b$'
keys q
ended "cgroups: top ends" 0

# An interval, live and recorded.
ioscope record /tmp/cgroups.recording 0.5 8 &
recorder=$!
ioscope cgroups -Y -H 3 1 shop >/tmp/cgroups &
reader=$!
sleep 1
within quiet.slice/one dd if=/dev/shop of=/dev/null bs=4k count=7 iflag=direct status=none
wait $reader
is "cgroups: an interval" "$(awk '{ print $1, $2, $3, $NF }' /tmp/cgroups)" "shop 7 28 /quiet.slice/one"
wait $recorder
is "cgroups: of a recording" "$(ioscope cgroups -H --replay /tmp/cgroups.recording shop | awk '{ print $1, $2, $3, $NF }')" \
	"shop 7 28 /quiet.slice/one"
rmdir $cgroups/quiet.slice/one
is "cgroups: one that has gone is its parent's" "$(ioscope cgroups -H mill | awk '{ print $2, $NF }')" "5 /quiet.slice"
succeeds "cgroups: off again" ioscope cgroups --off
says "cgroups: off again: says so" 1 "ioscope: accounts by cgroup are off: ioscope cgroups --on switches them on, as root" ioscope cgroups
ioscope record /tmp/none.recording 0.1 2
says "cgroups: not recorded" 1 "ioscope: accounts by cgroup were not recorded: they were off" ioscope cgroups --replay /tmp/none.recording
says "cgroups: an unknown device" 1 "ioscope: there is no device nothing: ioscope without a name shows all" ioscope cgroups nothing
remove_null_blk_disk shop
remove_null_blk_disk mill
rmdir "$cgroups/a b" $cgroups/quiet.slice
