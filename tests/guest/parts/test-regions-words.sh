# SPDX-License-Identifier: GPL-2.0
# Messages, word by word: the replies of this kernel's dm-stats and of /dev/iostat.

words=/tmp/words
control=/sys/class/misc/iostat
mkdir -p $words
modprobe dm-mod
# The disk has more sectors than a region may have areas. It stores no data.
make_null_blk_disk nbw size=8192
succeeds "words: a disk with both" dm_linear words /dev/nbw $((8192 << 11))
wdm=$(dm_disk words)
# dm-stats logs each unknown word to the console.
dmesg -n 1

# both NAME: sends each line of standard input to dm-stats and to /dev/iostat for the same disk, and
# compares reply or error line by line. UNCHECKED stands for an option that only /dev/iostat has, with
# its argument count.
both()
{
	grep -v '^#' >$words/table
	sed 's/ UNCHECKED//' $words/table | /payload/message dm words >$words/dm
	sed 's/ UNCHECKED/ 1 unchecked/' $words/table | /payload/message iostat "$wdm" >$words/full
	# The error text that is read from /dev/iostat has no equivalent in dm-stats.
	sed -E 's/^(E[A-Z0-9]+) .*/\1 /' $words/full >$words/ours
	is "words: $1: a reply per line" "$(wc -l <$words/dm) $(wc -l <$words/ours)" \
		"$(wc -l <$words/table) $(wc -l <$words/table)"
	paste -d '\n' $words/table $words/dm $words/ours | while read -r message && read -r dm && read -r ours; do
		[ "$dm" = "$ours" ] || printf '%.120s: dm-stats returns "%.200s", iostat "%.200s"\n' "$message" "$dm" "$ours"
	done >$words/wrong
	is "words: $1: equal to dm-stats" "$(head -n 5 $words/wrong)" ""
	# ENOMEM has no text: no word of the message is invalid.
	is "words: $1: errors are one line" \
		"$(grep -v ^ENOMEM $words/full | awk '/^E/ && !/^E[A-Z0-9]+ .+%0a$/ { print; exit } /^E.*%0a.*%0a/ { print; exit }')" ""
	is "words: $1: replies and errors" "$(cut -c1 $words/dm | sort -u | paste -sd ' ')" "${2:-0 E}"
}

# dm-stats does not check the end of the device, iostat does: UNCHECKED.
. /payload/words-table.sh

# The error text names the invalid word. Columns: message, errno, text.
while IFS='|' read -r message error line; do
	[ -n "$message" ] || continue
	is "words: why: $message" "$(echo "$message" | /payload/message raw -)" "$error $line%0a"
done <<END
nosuchdisk @stats_list|ENXIO|nosuchdisk: there is no such disk
$wdm|EINVAL|there is no message after the disk
$wdm stats_list|EINVAL|stats_list: a message begins with @
$wdm @stats_lists|EINVAL|@stats_lists: there is no such message
$wdm @stats_list a b|EINVAL|b: one word too many
$wdm @stats_create - /1 0 p a more|EINVAL|more: one word too many
$wdm @stats_delete|EINVAL|the region's id is missing
$wdm @stats_delete -1|EINVAL|-1: a region's id is a number from 0 to 2147483647
$wdm @stats_create|EINVAL|the range is missing
$wdm @stats_create 1-2 /1|EINVAL|1-2: a range is - or START+LENGTH in sectors
$wdm @stats_create 7+0 /1|EINVAL|7+0: the range has no sectors or too many
$wdm @stats_create -|EINVAL|the step is missing
$wdm @stats_create - 1k|EINVAL|1k: a step is a number of sectors or /AREAS
$wdm @stats_create - /4294967296|EINVAL|/4294967296: the step is 0
$wdm @stats_create - /1 2 precise_timestamps|EINVAL|there are fewer options than announced
$wdm @stats_create - /1 1 precise|EINVAL|precise: there is no such option
$wdm @stats_create - /1 2 histogram:1 histogram:1|EINVAL|histogram:1: there is a histogram already
$wdm @stats_create - /1 1 histogram:2,1|EINVAL|histogram:2,1: bounds are numbers above 0, each above the one before
$wdm @stats_print 0 0|EINVAL|the number of areas is missing
$wdm @stats_print 0 x 1|EINVAL|x: the first area is a number or -
$wdm @stats_print 0 1 x|EINVAL|x: the number of areas is a number or -
$wdm @stats_set_aux 0|EINVAL|the auxiliary data is missing
$wdm @stats_create 1+16777216 /1|EINVAL|1+16777216: the range ends beyond the device (option unchecked allows it)
$wdm @stats_create - 1|EOVERFLOW|1: there are more than 8388608 areas
$wdm @stats_create 0+8388608 1 1 histogram:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16|EOVERFLOW|1: there are more than 134217728 histogram counts
$wdm @stats_delete 7|ENOENT|7: there is no such region
$wdm @stats_delete 0 b%01|EINVAL|b\\001: one word too many
$wdm @stats_delete a%5c%20b%01|EINVAL|a b\\001: a region's id is a number from 0 to 2147483647
END
is "words: why: no disk" "$(echo '%20%09' | /payload/message raw -)" "EINVAL no disk is named%0a"

# Messages that dm-stats does not have: message, bar, expected reply.
while IFS='|' read -r message answer; do
	got=$(echo "$message" | /payload/message iostat "$wdm")
	case $got in
	E*) got=${got%% *} ;;
	esac
	is "words: iostat only: $message" "$got" "$answer"
done <<'END'
@cancel_deferred_remove|EINVAL
@stats_create 0+16777216 /4|0 0%0a
@stats_create 0+16777217 /4|EINVAL
@stats_create 16777216+1 /1|EINVAL
@stats_create 18446744073709551614+1 /1|EINVAL
@stats_create 16777215+1 /1|0 1%0a
@stats_create 0+16777217 /4 1 unchecked|0 2%0a
@stats_create 16777300+10 3 2 UNCHECKED classes prog a\ b\\c|0 3%0a
@stats_create - /1 3 classes classes Classes|0 4%0a
@stats_create - /1 4 classes histogram:5,6 precise_timestamps unchecked q|0 5%0a
@stats_list|0 0: 0+16777216 4194304 - -%0a1: 16777215+1 1 - -%0a2: 0+16777217 4194305 - -%0a3: 16777300+10 3 prog a\ b\\c classes%0a4: 0+16777216 16777216 - - classes%0a5: 0+16777216 16777216 q - precise_timestamps histogram:5,6 classes%0a
@stats_list prog|0 3: 16777300+10 3 prog a\ b\\c classes%0a
@stats_set_aux 3 -|0 
@stats_list prog|0 3: 16777300+10 3 prog - classes%0a
@stats_print 3|0 16777300+3 0 0 0 0 0 0 0 0 0 0 0 0 0 length:3 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0a16777303+3 0 0 0 0 0 0 0 0 0 0 0 0 0 length:3 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0a16777306+3 0 0 0 0 0 0 0 0 0 0 0 0 0 length:3 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0a16777309+3 0 0 0 0 0 0 0 0 0 0 0 0 0 length:1 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0atotal 16777300+10 0 0 0 0 0 0 0 0 0 0 0 0 0 length:10 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0 none:0:0:0:0%0a
@stats_print 3 3 1|0 16777309+3 0 0 0 0 0 0 0 0 0 0 0 0 0 length:1 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0a
@stats_print 5|0 0+16777216 0 0 0 0 0 0 0 0 0 0 0 0 0 0:0:0 length:16777216 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0%0atotal 0+16777216 0 0 0 0 0 0 0 0 0 0 0 0 0 length:16777216 read:0:0:0:0 write:0:0:0:0 free:0:0:0:0 none:0:0:0:0%0a
@stats_resize|EINVAL
@stats_resize 0|EINVAL
@stats_resize 0 -|0 
@stats_resize x -|EINVAL
@stats_resize 9 -|ENOENT
@stats_resize 0 0+5 6|EINVAL
@stats_resize 0 0+5 unchecked more|EINVAL
@stats_resize 0 0+0|EINVAL
@stats_resize 0 1+5|EINVAL
@stats_resize 0 4194304+16777216|EINVAL
@stats_resize 0 4194304+16777216 Unchecked|0 
@stats_resize 1 0+16777216|EOVERFLOW
@stats_list|0 0: 4194304+16777216 4194304 - -%0a1: 16777215+1 1 - -%0a2: 0+16777217 4194305 - -%0a3: 16777300+10 3 prog - classes%0a4: 0+16777216 16777216 - - classes%0a5: 0+16777216 16777216 q - precise_timestamps histogram:5,6 classes%0a
@Stats_Resize 0 4194304+5|0 
@stats_print 0|0 4194304+4194304 0 0 0 0 0 0 0 0 0 0 0 0 0%0a
@stats_delete 0|0 
@stats_delete 1|0 
@stats_delete 2|0 
@stats_delete 3|0 
@stats_delete 4|0 
@stats_delete 5|0 
@stats_list|0 
END

dmesg -n 3
is "words: all memory is freed" "$(cat $control/stats_current_allocated_bytes)" 0
dmsetup remove words
remove_null_blk_disk nbw
