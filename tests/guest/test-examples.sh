# SPDX-License-Identifier: GPL-2.0
# The examples of Documentation/regions.rst, as they stand, in the shell that people paste them to.

make_null_blk_disk sdx size=1024
# What stands under the heading: the commands, which begin with "# ", and what they print.
examples()
{
	awk '/^Two examples/ { inside = 1 } /^Disks that go/ { exit } inside && sub(/^\t/, "")' /payload/regions.rst
}
examples | sed -n 's/^# //p' |
	sed 's|^fio \.\.\.$|dd if=/dev/sdx of=/dev/null bs=64k count=100 iflag=direct status=none|' >/tmp/examples
holds "examples: commands" "$(wc -l </tmp/examples) >= 8"
bash /tmp/examples >/tmp/printed 2>/tmp/complained
is "examples: one fails, as it should" "$(wc -l </tmp/complained) $(grep -c 'echo: write error: Invalid argument' /tmp/complained)" "1 1"
is "examples: ids, areas, total" "$(cut -d' ' -f1 /tmp/printed | xargs)" \
	"$(examples | grep -v '^# \|^ \|^bash: ' | cut -d' ' -f1 | xargs)"
for line in "$(examples | grep '^1: ')" "$(examples | grep '^0+9999999: ')"; do
	is "examples: ${line%% *} is printed to the letter" "$(grep -cxF -- "$line" /tmp/printed)" 1
done
is "examples: as many columns" "$(awk '{ print NF }' /tmp/printed | xargs)" \
	"$(examples | awk '/^# |^bash: / { next } /^ / { n += NF; next } NR > 1 && n { print n } { n = NF } END { print n }' | xargs)"
is "examples: the reads are counted" "$(awk '$1 == "0+524288" { print $2, $4 }' /tmp/printed)" "100 12800"
remove_null_blk_disk sdx
rm /tmp/examples /tmp/printed /tmp/complained
