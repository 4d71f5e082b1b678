# SPDX-License-Identifier: GPL-2.0
# ioscope sizes, of I/Os of known sizes.

make_null_blk_disk sand irqmode=0 submit_queues=1
for read in "1k 3" "4k 5" "64k 2"; do
	set -- $read
	dd if=/dev/sand of=/dev/null bs="$1" count="$2" iflag=direct status=none
done
dd if=/dev/zero of=/dev/sand bs=16k count=4 oflag=direct status=none
# The kernel has read the disk when it came.
ioscope sizes sand >/tmp/sizes
is "sizes: what there is" "$(grep '^disk' /tmp/sizes | paste -sd';')" "disk = sand, class = read;disk = sand, class = write"
is "sizes: a histogram" "$(grep -A 2 'class = write' /tmp/sizes | tail -n 1 | tr -d '|*>' | xargs)" "16384 - 32767 : 4"
is "sizes: as the module has them" "$(ioscope sizes -o csv -c read sand | sed 1d | cut -d , -f 5,6 | tr , : | paste -sd' ')" \
	"$( (open_iostat 7 && echo "@sizes sand" >&7; cat <&7) | awk '$3 == "read" { for (i = 5; i <= NF; i++) printf "%s%s", $i, i < NF ? " " : "\n" }')"
holds "sizes: the reads" "$(ioscope sizes -o csv -c read sand | awk -F , '$5 == 65536 { print $6 }') >= 2"
ioscope sizes -o json sand | give sizes.json
ioscope record /tmp/sizes.recording 0.5 6 &
recorder=$!
ioscope sizes -Y 2 1 sand >/tmp/sizes &
reader=$!
sleep 1
dd if=/dev/sand of=/dev/null bs=8k count=6 iflag=direct status=none
wait $reader
is "sizes: an interval" "$(tr -d '|*>' </tmp/sizes | sed -n '1p;3p' | xargs)" "disk = sand, class = read 8192 - 16383 : 6"
wait $recorder
is "sizes: of a recording" "$(ioscope sizes -H -o csv --replay /tmp/sizes.recording sand | cut -d , -f 2,4-)" "sand,read,8192,6"
remove_null_blk_disk sand
