# SPDX-License-Identifier: GPL-2.0
# The manual page iostat(5) names the columns and files that there are, and its examples run.

page=/payload/iostat.5
make_null_blk_disk nbm size=64
dd if=/dev/nbm of=/dev/null bs=64k count=16 iflag=direct status=none
all_files nbm

# items: prints the names in bold of the list items in the text that it reads.
items()
{
	sed -n 's/^\.It Sy //p' | tr -d ' ' | tr ',' '\n'
}

is "iostat.5: columns of /dev/iostat" "$(sed '/^After an empty line/,$d' $page | items | sort | xargs)" \
	"$(sed -n 2p /dev/iostat | tr ' ' '\n' | sort | xargs)"
is "iostat.5: columns of the second table" "$(sed '1,/^After an empty line/d' $page | items | xargs)" \
	"$(sed -n '/^latency$/{n;p}' /dev/iostat)"
named=" $(grep -E '^\.(It )?(Sy|Pa|Po Pa) ' $page | tr ' ,/' '\n' | sort -u | xargs) "
missing=''
for file in /sys/block/nbm/iostat/{,devstat/,kstat/,size/}* /sys/class/misc/iostat/*; do
	case ${file##*/} in
	# Of any device.
	dev | uevent | subsystem | power) continue ;;
	esac
	[[ "$named" == *" ${file##*/} "* ]] || missing+=" $file"
done
is "iostat.5: names every file" "$missing" ""

# example N: prints the Nth example.
example()
{
	awk -v n="$1" '/^\.Bd -literal/ { count++; inside = 1; next } /^\.Ed/ { inside = 0 } inside && count == n' $page |
		sed 's/\\e/\\/g'
}

example 1 | sed 's/sda/nbm/; s/sleep 10/sleep 1/' >/tmp/example
is "iostat.5: the first example prints a share" "$(bash /tmp/example 2>&1 | grep -cE '^[0-9]+ %$')" 1
example 2 >/tmp/example
is "iostat.5: the second example prints the bytes" "$(bash /tmp/example 2>&1 | grep '^nbm ')" \
	"nbm $(cat /sys/block/nbm/iostat/devstat/bytes_read)"
remove_null_blk_disk nbm
rm /tmp/example
