# SPDX-License-Identifier: GPL-2.0
# Runs the examples of Documentation/regions.rst in an interactive shell.

make_null_blk_disk sdx size=1024
# The text below the heading: commands, which begin with "# ", and their output.
examples()
{
	awk '/^Two examples/ { inside = 1 } /^Disks that go/ { exit } inside && sub(/^\t/, "")' /payload/regions.rst
}
examples | sed -n 's/^# //p' |
	sed 's|^fio \.\.\.$|dd if=/dev/sdx of=/dev/null bs=64k count=100 iflag=direct status=none|' >/tmp/examples
holds "examples: commands" "$(wc -l </tmp/examples) >= 8"
bash /tmp/examples >/tmp/printed 2>/tmp/complained
is "examples: the one invalid command fails" "$(wc -l </tmp/complained) $(grep -c 'echo: write error: Invalid argument' /tmp/complained)" "1 1"
is "examples: ids, areas, total" "$(cut -d' ' -f1 /tmp/printed | xargs)" \
	"$(examples | grep -v '^# \|^ \|^bash: ' | cut -d' ' -f1 | xargs)"
for line in "$(examples | grep '^1: ')" "$(examples | grep '^0+9999999: ')"; do
	is "examples: ${line%% *} is printed exactly" "$(grep -cxF -- "$line" /tmp/printed)" 1
done
is "examples: number of columns" "$(awk '{ print NF }' /tmp/printed | xargs)" \
	"$(examples | awk '/^# |^bash: / { next } /^ / { n += NF; next } NR > 1 && n { print n } { n = NF } END { print n }' | xargs)"
is "examples: the reads are counted" "$(awk '$1 == "0+524288" { print $2, $4 }' /tmp/printed)" "100 12800"
remove_null_blk_disk sdx
rm /tmp/examples /tmp/printed /tmp/complained
