# SPDX-License-Identifier: GPL-2.0
# Names of disks and partitions in every interface: complete, unique, escaped as one word, and accepted
# as they are printed. The names have the maximal length (31 bytes for a disk, 35 for a partition) and
# unusual bytes.

. /payload/regions.sh
. /payload/kstat.sh

# escaped NAME [CHARACTERS]: prints a name as /dev/iostat does, with CHARACTERS escaped as well.
escaped()
{
	local LC_ALL=C at byte
	for ((at = 0; at < ${#1}; at++)); do
		byte=${1:at:1}
		case $byte in
		[!\!-~] | \\) printf '\\%03o' "'$byte" ;;
		*) case ${2:-} in
			*"$byte"*) printf '\\%03o' "'$byte" ;;
			*) printf %s "$byte" ;;
			esac ;;
		esac
	done
}

names_long=a-disk-whose-name-has-31-bytes
disks=("${names_long}x" "${names_long}7" 'a b' 'a?b' $'a\nb' 'a\040b' 'a:b*[c]' 'cciss!c0d0' $'\xc3\xa4\x01' plain
	$'\x01\x02\x03\x04\x05\x06\x07\x0b\x0e\x0f')
is "names: 31 bytes" ${#disks[0]}-${#disks[1]} 31-31
declare -A names_of=()
names=()
for disk in "${disks[@]}"; do
	shown=$(escaped "$disk")
	succeeds "names: a disk: $shown" make_null_blk_disk "$disk" size=64
	succeeds "names: a partition: $shown" /payload/partition "/dev/${disk//!//}" 1 2048 16384
	succeeds "names: a second partition: $shown" /payload/partition "/dev/${disk//!//}" 255 32768 16384
	case $disk in
	*[0-9]) names+=("$disk" "${disk}p1" "${disk}p255") ;;
	*) names+=("$disk" "${disk}1" "${disk}255") ;;
	esac
done
is "names: 35 bytes" ${#names[5]} 35

# The names that each interface prints, sorted, and the expected ones.
of_ours()
{
	grep -Fx -f /tmp/names | LC_ALL=C sort
}
for name in "${names[@]}"; do
	escaped "$name" && echo
done >/tmp/names
LC_ALL=C sort /tmp/names >/tmp/names.sorted
expected=$(cat /tmp/names.sorted)
is "names: no two are printed the same" "$(uniq /tmp/names.sorted | wc -l)" ${#names[@]}
disk_table | cut -d ' ' -f 1 >/tmp/text
is "names: in the text" "$(of_ours </tmp/text)" "$expected"
is "names: no duplicate in the text" "$(sort /tmp/text | uniq -d)" ""
is "names: lines have as many words as the heading" \
	"$(awk 'NF == 0 { exit } NR > 1 { print NF }' /dev/iostat | sort -u | wc -l)" 1
is "names: in sysfs" "$(for name in "${names[@]}"; do
	head -c 512 "/dev/${name//!//}" >/dev/null && all_files "$name" &&
		cat "/sys/class/block/$name/iostat/kstat/name"; done)" "$(cat /tmp/names)"
for reader in $(programs abi abi32 abi-v1); do
	is "names: in the list of $reader" "$(/payload/$reader list | cut -d ' ' -f 1 | of_ours)" "$expected"
done
is "names: by mmap" "$(/payload/iostat-map | cut -d ' ' -f 1 | of_ours)" "$expected"
is "names: iostat-map in all ways" "$(/payload/iostat-map --ways "$(escaped "${names[5]}")" "$(escaped "${names[13]}")" |
	cut -d ' ' -f 2 | sort | uniq -c | tr -s ' \n' ' ')" " 2 ioctl 4 mmap 2 sysfs 2 text "
for name in "${names[@]}"; do
	is "names: mapped: $(escaped "$name")" "$(/payload/mapped get "$name" | cut -d ' ' -f 2-)" \
		"$(cut -d ' ' -f 2- "/sys/class/block/$name/iostat/stat")"
done

# Each name has a different number of reads.
of_disk()
{
	awk -v name="$1" 'NF == 0 { exit } NR == 2 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 2 && $1 == name { print $c["reads"] }' /dev/iostat
}
: >$TRACING/trace
echo 1 >$TRACING/events/io/enable
reads=0
for name in "${names[@]}"; do
	written=$(escaped "$name")
	# awk reads backslashes.
	slashed=${written//\\/\\\\}
	before=$(of_disk "$slashed")
	sends "names: a region: $written" "$written" @stats_create - /1
	is "names: id of its region: $written" "$reply" 0
	reads=$((reads + 1))
	dd if="/dev/${name//!//}" of=/dev/null bs=4k count=$reads iflag=direct status=none
	is "names: reads: $written" $(($(of_disk "$slashed") - before)) $reads
	sends "names: by its node's path: $written" "/dev/${written//!//}" @stats_print 0
	is "names: reads of its region: $written" "$(cut -d ' ' -f 2 <<<"$reply")" $reads
	id=$(message @kstat_list | awk -v end=":$(escaped "$name" ':*?[' | sed 's/\\/&&/g')" \
		'substr($NF, length($NF) - length(end) + 1) == end { print $NF }')
	is "names: its kstat: $written" "$(message @kstat "$id" | grep -c .)" 15
	is "names: only its kstat matches: $written" "$(message @kstat "$id" | cut -d : -f 1-3 | sort -u)" "$id"
	is "names: reads of its kstat: $written" "$(value "$id:reads")" "$(of_disk "$slashed")"
	is "names: in binary: $written" "$(/payload/kstats print | grep -cF "$id:")" 15
done
echo 0 >$TRACING/events/io/enable

# The events of each partition's reads. A disk's events include those of its partitions. The trace is read once, as the
# kernel formats it at each read.
cat $TRACING/trace >/tmp/names.trace
for event in done wait_done; do
	grep " $event: " /tmp/names.trace >/tmp/names.$event
done
for at in "${!names[@]}"; do
	written=$(escaped "${names[at]}")
	# A disk whose escaped name is this long is traced by its device number.
	[ ${#written} -lt 36 ] || written=$(tr -d '\n' <"/sys/class/block/${names[at]}/dev")
	is "names: events: $written" "$(grep -cF " dev=$written " /tmp/names.done)" $((at + 1))
	is "names: waits: $written" "$(grep -cF " dev=$written " /tmp/names.wait_done)" $((at + 1))
done
# Paths of files are not checked here: a line may end within /dev/a\nb.
is "names: the trace has only lines of events" "$(grep -vE '^(#|b[0-9]*( |$))' /tmp/names.trace |
	grep -vcE ' (start|merge|done|wait_start|wait_done): id=')" 0
is "names: event counters" "$(message @evcnt_list all | awk '$2 == "splits" { print $1 }' | of_ours | wc -l)" \
	${#disks[@]}

# Invalid names and their error messages.
for word in "${names_long}" 'a%20b' 'a\041b' /dev/ /dev//plain dev/plain plain/ /dev/plain/; do
	is "names: invalid: $word" "$(echo "${word//%/%25} @stats_list" | /payload/message raw -)" \
		"ENXIO $(printf '%s' "$word" | sed 's/\\041/!/'): there is no such disk%0a"
done
sends "names: a quoted blank" 'a\ b' @stats_list
sends "names: slashes for the kernel's own" cciss/c0d0p1 @stats_list

# Names in the log when regions are deleted with their disk.
before=$(dmesg | grep -cF ' statistics regions deleted with it')
for disk in "${disks[@]}"; do
	remove_null_blk_disk "$disk"
done
is "names: deleted regions in the log" "$(dmesg | grep -F ' statistics regions deleted with it' | tail -n +$((before + 1)) |
	sed 's/^.*iostat: //' | LC_ALL=C sort)" "$(sed 's/$/: removed, 1 statistics regions deleted with it/' /tmp/names.sorted | LC_ALL=C sort)"
is "names: none left in the list" "$(disk_table | cut -d ' ' -f 1 | of_ours)" ""
