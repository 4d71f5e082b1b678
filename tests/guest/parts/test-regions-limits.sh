# SPDX-License-Identifier: GPL-2.0
# Messages: permissions, reading of replies, and limits.

. /payload/regions.sh
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
make_null_blk_disk rgm size=8192
# as_nobody MESSAGE: sends it as the user nobody; prints the errno, or 0 and the reply.
as_nobody()
{
	echo "$1" | $nobody /payload/message raw -
}

# Changes need CAP_SYS_ADMIN; listing and printing need no privilege.
is "messages: mode of the device" "$(stat -c %a /dev/iostat)" 666
sends "messages: root may create" rgm @stats_create 0+100 50 prog aux
for words in "@stats_create - /1" "@stats_delete 0" "@stats_clear 0" "@stats_print_clear 0" \
	"@stats_set_aux 0 x" "@stats_resize 0 0+200"; do
	got=$(as_nobody "rgm $words")
	is "messages: an unprivileged user may not $words" "${got%% *}" EPERM
done
list='0: 0+100 50 prog aux%0a'
is "messages: an unprivileged user may list" "$(as_nobody "rgm @stats_list")" "0 $list"
is "messages: an unprivileged user may print" "$(as_nobody "rgm @stats_print 0 1 1")" \
	"0 50+50 0 0 0 0 0 0 0 0 0 0 0 0 0%0a"
is "messages: nothing has changed" "$(echo "@stats_list" | /payload/message iostat rgm)" "0 $list"
# A program that inherits a file opened by a privileged program writes with its own privileges.
open_iostat 3
refuses "messages: an unprivileged user may not clear through root's file" $nobody sh -c 'echo "rgm @stats_clear 0" >&3'
is "messages: the unprivileged user gets EPERM" "$(grep -c 'Operation not permitted' /tmp/out)" 1
succeeds "messages: root may clear" sh -c 'echo "rgm @stats_clear 0" >&3'
exec 3>&-
refuses "messages: not through a file opened read-only" sh -c 'echo "rgm @stats_list" </dev/iostat 1<&0'

# A resize frees the memory of the resize before the last.
sends "resize: a region" rgm @stats_create 0+1000 10
sends "resize: once" rgm @stats_resize 1 0+900
sends "resize: twice" rgm @stats_resize 1 0+1000
held=$(allocated)
for _ in $(seq 25); do
	say rgm @stats_resize 1 0+900 && say rgm @stats_resize 1 0+1000 || fail "resize: $reply"
done
is "resize: fifty more need no more memory" "$(allocated)" "$held"
sends "resize: delete" rgm @stats_delete 1

# A reply belongs to the open file, and is read as any file: see test-text.sh.
open_iostat 3
open_iostat 4
echo "rgm @stats_list" >&3
echo "rgm @stats_print 0" >&4
read -r -n 2 first <&3
is "reply: to the first file" "$first" "0:"
is "reply: to the second file" "$(cat <&4)" "$(printf '%s\n' "0+50 0 0 0 0 0 0 0 0 0 0 0 0 0" \
	"50+50 0 0 0 0 0 0 0 0 0 0 0 0 0")"
is "reply: the rest of the first" "$(cat <&3)" " 0+100 50 prog aux"
is "reply: end of file" "$(cat <&3)" ""
echo "rgm @stats_list nobodys" >&3
is "reply: a new message replaces the reply" "$(cat <&3)" ""
refuses "reply: an error" sh -c 'echo "rgm @stats_delete 77" >&3'
is "reply: an error is one line" "$(cat <&3)" "77: there is no such region"
echo "rgm @stats_list" >&3
is "reply: the error is replaced by the next message" "$(cat <&3)" "0: 0+100 50 prog aux"
exec 3>&- 4>&-
is "reply: without a message the statistics are read" "$(head -c 9 /dev/iostat)" "iostat 1 "
sends "reply: a long one" rgm @stats_create 0+3000 1
open_iostat 3
echo "rgm @stats_print 1" >&3
dd bs=7 status=none <&3 >/tmp/pieces
exec 3>&-
say rgm @stats_print 1
is "reply: in pieces of 7 bytes" "$(md5sum </tmp/pieces)" "$(echo "$reply" | md5sum)"
is "reply: in pieces, number of lines" "$(wc -l </tmp/pieces)" 3000
sends "reply: delete" rgm @stats_delete 1

# The longest message has 64 KiB.
padded()
{
	printf "rgm @stats_list%$(($1 - 15))s" ""
}
is "message: of 64 KiB" "$(padded 65536 | /payload/message raw -)" "0 $list"
padded 65537 >/tmp/long
refuses "message: longer" dd if=/tmp/long of=/dev/iostat bs=65537 conv=notrunc
is "message: longer: E2BIG" "$(grep -c 'Argument list too long' /tmp/out)" 1

# A message does not wait for slow I/O in flight, and that I/O is not counted in a region that was
# created meanwhile.
make_null_blk_disk rgz size=64 irqmode=2 completion_nsec=2000000000
dd if=/dev/rgz of=/dev/null bs=4k count=1 iflag=direct status=none &
slow=$!
at_work rgz 0 1
for words in "@stats_create - /1" "@stats_resize 0 0+10" "@stats_print_clear 0" "@stats_delete 0" \
	"@stats_create - /1"; do
	sends "slow I/O: $words" rgz "$words"
done
stat_of rgz s_
is "slow I/O: still in flight" "$s_rcnt" 1
wait $slow
wait_idle rgz
say rgz @stats_print 0
is "slow I/O: not in the new region" "$reply" "0+131072 0 0 0 0 0 0 0 0 0 0 0 0 0"
# A second resize waits until I/O from before the first has ended.
sends "resize in flight: a region" rgz @stats_create 0+1000 100
dd if=/dev/rgz of=/dev/null bs=4k count=1 iflag=direct status=none &
slow=$!
at_work rgz 0 1
sends "resize in flight: once" rgz @stats_resize 1 0+900
is "resize in flight: twice: EBUSY" "$(echo "@stats_resize 1 0+800" | /payload/message iostat rgz)" "EBUSY "
wait $slow
wait_idle rgz
sends "resize in flight: after its end" rgz @stats_resize 1 0+800
say rgz @stats_print 1 0 1
is "resize in flight: counted where it began" "$(cut -d' ' -f1,2,4,10 <<<"$reply")" "0+100 1 8 0"
remove_null_blk_disk rgz
sends "memory: delete" rgm @stats_delete 0

# Free memory, except what the system allocates and frees by itself. Free pages that wait in lists of CPUs are free.
mem_free()
{
	awk '$1 == "MemFree:" { free += $2 * 1024 }
		$1 == "count:" { free += $2 * 4096 }
		END { printf "%.0f\n", free }' /proc/meminfo /proc/zoneinfo
}
total=$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)
noise=$((16 << 20))
echo 3 >/proc/sys/vm/drop_caches
is "memory: none at first" "$(allocated)" 0
free=$(mem_free)
sends "memory: a million areas" rgm @stats_create 0+16000000 16
held=$(allocated)
echo "# a million areas on $(nproc) CPUs: $held bytes"
holds "memory: a million areas take at most a quarter" "held > 100000000 && held <= $total / 4"
holds "memory: at least that much is not free" "$free - $(mem_free) > held - noise"
holds "memory: at most that much is not free" "$free - $(mem_free) < held + held / 50 + noise"
begin rgm
fio_quiet --filename=/dev/rgm --direct=1 --rw=randread --bs=4k --number_ios=300 --size=7800m
delta rgm
wait_idle rgm
# Areas have 16 sectors: an aligned read of 8 sectors is in one area.
sends "memory: print a hundred areas" rgm @stats_print 0 499950 100
is "memory: a hundred areas" "$(head -n 1 <<<"$reply" | cut -d' ' -f1) $(wc -l <<<"$reply")" "7999200+16 100"
open_iostat 3
succeeds "memory: print all" sh -c 'echo "rgm @stats_print 0" >&3'
is "memory: a line for each area, and the sum of all I/Os" \
	"$(awk '{ reads += $2; sectors += $4 } END { print NR, reads, sectors }' <&3)" \
	"1000000 $d_operations_read $((d_bytes_read / 512))"
exec 3>&-
sends "memory: delete a million areas" rgm @stats_delete 0
is "memory: none allocated after the deletion" "$(allocated)" 0
holds "memory: all is free after the deletion" "$free - $(mem_free) < noise"

# Allocating more than a quarter of memory fails, and leaks nothing.
ids=0
while say rgm @stats_create 0+16000000 160; do
	ids=$((ids + 1))
	[ $ids -lt 100 ] || break
done
holds "memory: more than three regions" "ids > 3 && ids < 100"
held=$(allocated)
each=$((held / ids))
holds "memory: up to a quarter" "held <= total / 4 && held + each > total / 4"
is "memory: one too many" "$(echo "@stats_create 0+16000000 160" | /payload/message iostat rgm | cut -d' ' -f1)" ENOMEM
free=$(mem_free)
for round in $(seq 20); do
	say rgm @stats_create 0+16000000 160
	say rgm @stats_resize 0 -
	say rgm @stats_create - 2
done
is "memory: a failed creation is not accounted" "$(allocated)" "$held"
holds "memory: a failed creation leaks nothing" "free - $(mem_free) < noise"
for id in $(seq 0 $((ids - 1))); do
	say rgm @stats_delete "$id" || fail "memory: delete" "$reply"
done
is "memory: none when all regions are deleted" "$(allocated)" 0
# Fifty regions are created and deleted.
say rgm @stats_list
free=$(mem_free)
for round in $(seq 25); do
	for words in "@stats_create - 1000" "@stats_create 0+5 1 2 classes histogram:1,2,3 p a" \
		"@stats_print_clear 0 0 1000" "@stats_print_clear 1" "@stats_resize 1 0+100" "@stats_set_aux 1 another" \
		"@stats_delete 0" "@stats_delete 1"; do
		echo "$words"
	done
done | /payload/message iostat rgm | cut -d' ' -f1 >/tmp/many # without the replies, as files of a tmpfs are memory
is "memory: fifty are created and deleted" "$(sort /tmp/many | uniq -c | tr -s ' ')" " 200 0"
is "memory: fifty leave none accounted" "$(allocated)" 0
holds "memory: fifty leak nothing" "free - $(mem_free) < noise"
remove_null_blk_disk rgm
