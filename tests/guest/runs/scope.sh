# SPDX-License-Identifier: GPL-2.0
# ioscope beside the tools that people know, under known loads. Run by scripts/test-tools.sh; what it
# hands out is looked at there.

. ./tap.sh

PATH=/payload:$PATH

# field FILE DEVICE HEADING: a number of the last line of a device, in the column of that heading. Names come first.
field()
{
	awk -v device="$2" -v want="$3" '
		/^(Device|device) / { for (i = 1; i <= NF; i++) column[$i] = i }
		$1 == device { value = $(column[want]) }
		END { print value }' "$1"
}

# near NAME GOT WANT PERCENT SLACK: within so many percent of the second, or so much.
near()
{
	awk -v got="$2" -v want="$3" -v percent="$4" -v slack="$5" 'BEGIN {
		off = got - want; if (off < 0) off = -off
		most = want * percent / 100; if (most < slack) most = slack
		exit !(got ~ /^[0-9.]+$/ && want ~ /^[0-9.]+$/ && off <= most)
	}' && pass "$1 ($2, $3)" || fail "$1" "got '$2', want '$3' within $4 % or $5"
}

# says NAME STATUS TEXT COMMAND...: it fails so, and says exactly that on standard error, and nothing else.
says()
{
	local name=$1 want=$2 text=$3 status=0
	shift 3
	"$@" >/tmp/said.out 2>/tmp/said || status=$?
	is "$name: status" "$status" "$want"
	is "$name: what it says" "$(cat /tmp/said)" "$text"
}

says "not loaded" 1 "ioscope: the module is not loaded: modprobe iostat" ioscope
touch /dev/iostat
says "a plain file" 1 "ioscope: /dev/iostat is not a device: rmmod iostat; rm /dev/iostat; modprobe iostat" ioscope
rm /dev/iostat
load_module || fail "the module loads"

make_null_blk_disk nullb0 irqmode=2 completion_nsec=5000000 hw_queue_depth=1 submit_queues=1
make_null_blk_disk nullb1 irqmode=2 completion_nsec=2000000 submit_queues=1

. ./scope-words.sh
. ./scope-kstat.sh
. ./scope-region.sh
. ./scope-snoop.sh
. ./scope-sums.sh
. ./scope-top.sh
. ./scope-inflight.sh
. ./scope-slow.sh
. ./scope-cgroups.sh
. ./scope-sizes.sh
. ./scope-why.sh
. ./scope-beside.sh
. ./scope-cost.sh
. ./scope-again.sh
finish
