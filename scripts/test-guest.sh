#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guest tests: all of them on the newest stock kernel, the smoke tests on the other supported series.
# The traces of the guests are recounted here. FLAVOUR=generic runs only the smoke tests, on that kernel of
# scripts/kernels.txt; FLAVOUR=rt tests/guest/runs/rt.sh, ARCH=arm64 tests/guest/runs/arm64.sh. PARTS="load null" runs only these parts of tests/guest/runs/test.sh.
# usage: test-guest.sh

. "$(dirname "$0")/lib.sh"

passed=0 failed=0

failure()
{
	echo "  not ok - $1"
	failed=$((failed + 1))
}

# recount DIR: recounts all files of a guest; its status 1 means failures that it printed.
recount()
{
	local traced
	traced=$(grep -c '^ok - recount .*: traced$' "$log" || true)
	[ "$(find "$1" -name 'recount-*' | wc -l)" = "$traced" ] || return 1
	[ "$traced" != 0 ] || return 0
	"$TOP/scripts/enter.sh" sh -c 'python3 -B tests/guest/tools/recount.py "$1"/recount-* || [ $? = 1 ]' sh \
		"/cache/${1#"$IOSTAT_CACHE"/}" >>"$log" 2>&1 &&
		tail -n 1 "$log" | grep -q ' passed, '
}

# lost_interrupt: true if the guest of this log was ended with a runnable task while all CPUs were halted.
# No kernel stays in that state: the emulator lost an interrupt, which happens once in many hours.
lost_interrupt()
{
	awk '/RIP: 0010:/ { cpus++; halted += /pv_native_safe_halt/ } /task:.* state:R / { runnable++ }
		END { exit !(runnable && cpus && cpus == halted) }' "$1"
}

# stale_breakpoint: true if the guest of this log died of a breakpoint that was not in its memory: the byte before
# the marked one in the line of the code is not cc. The kernel patches its code by breakpoints, and all CPUs have
# confirmed by an interrupt that they see the final code before their handler is removed. The emulator went on to
# execute its translation of the code before.
stale_breakpoint()
{
	awk '/Oops: int3/ { oops = 1 }
		oops && / Code: / {
			for (i = 2; i <= NF && !found; i++)
				if ($i ~ /^</)
					found = $(i - 1)
		}
		END { exit !(found && found != "cc") }' "$1"
}

# run KERNELDIR SCRIPT [VM OPTION...]: counts the results of the guest and of the recount.
run()
{
	local kernel=$1 script=$2 release out log modules status=0
	shift 2
	release=$(cat "$kernel/release")
	out=$(mktemp -d "$IOSTAT_CACHE/out.XXXXXX")
	log=$LOGS/guest-${script%.sh}-$release.log
	modules=$("$TOP/scripts/build.sh" "$kernel")
	echo "  $script on $release (log: $log)"
	"$TOP/scripts/guest.sh" "$kernel" "$modules" "$script" --disk 256M --out "$out" \
		"$@" >"$log" 2>&1 || status=$?
	if { [ $status = 124 ] && lost_interrupt "$log"; } || { [ $status -gt 1 ] && stale_breakpoint "$log"; }; then
		mv "$log" "$log.lost"
		echo "  the emulator failed (log: $log.lost): the guest is started again"
		rm -rf "$out"
		mkdir "$out"
		status=0
		"$TOP/scripts/guest.sh" "$kernel" "$modules" "$script" --disk 256M --out "$out" \
			"$@" >"$log" 2>&1 || status=$?
	fi
	recount "$out" || failure "the recount did not finish"
	rm -rf "$out"
	grep '^not ok' "$log" | sed 's/^/  /' || true
	passed=$((passed + $(awk '/^ok/ { n++ } END { print n + 0 }' "$log")))
	failed=$((failed + $(awk '/^not ok/ { n++ } END { print n + 0 }' "$log")))
	# 1 is the payload's status for failures that were just counted.
	case $status in
	0 | 1) ;;
	*)
		tail -n 3 "$log" | sed 's/^/  /'
		failure "the guest ended with status $status"
		;;
	esac
}

check()
{
	local name=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failure "$name"
	fi
}

# hang: runs a guest that hangs, in $hang; its console is the log.
hang()
{
	mkdir "$hang/payload"
	cp "$TOP/tests/guest/runs/hang.sh" "$hang/payload/run"
	"$TOP/scripts/vm.sh" --silence 60 --memory 512 "$newest" "$hang/payload" >"$hang/log" 2>&1 ||
		echo $? >"$hang/status"
}

# hang_ended: checks that it was ended, and that the position of its task was printed.
hang_ended()
{
	check "a guest that hangs: its status" [ "$(cat "$hang/status")" = 124 ]
	check "a guest that hangs: why it was ended" grep -q 'ended because.*nothing for 60 s' "$hang/log"
	check "a guest that hangs: where its task was" \
		awk '/ task:/ { here = / task:cat / } here && /(fifo_open|wait_for_partner)/ { found = 1 }
			END { exit !found }' "$hang/log"
}

newest=$("$TOP/scripts/kernel.sh")
if [ -z "${PARTS:-}" ] && [ "$FLAVOUR $ARCH" != "cloud amd64" ]; then
	case "$FLAVOUR $ARCH" in
	*arm64) run "$newest" arm64.sh ;;
	rt*) run "$newest" rt.sh ;;
	*) run "$newest" smoke.sh ;;
	esac
	echo "guest: $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	exit
fi
# A million areas are more than a quarter of 1024 MiB.
run "$newest" test.sh --memory 2048 --nvme 128M --paths 128M \
	--append "nvme.poll_queues=1${PARTS:+ PARTS=\"$PARTS\"}"
if [ -n "${PARTS:-}" ]; then
	echo "guest: $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	exit
fi
hang=$(mktemp -d "$IOSTAT_CACHE/out.XXXXXX")
hang &
run "$newest" recounts.sh --cpus 4
run "$newest" possible.sh --append "possible_cpus=256"
run "$newest" clients.sh --bpftrace --memory 2048
TOOLS=iogen run "$newest" utilization.sh --cpus 1 --icount
for series in $SERIES; do
	kernel=$(KERNEL=$series "$TOP/scripts/kernel.sh")
	[ "$kernel" = "$newest" ] || run "$kernel" smoke.sh
done
wait
hang_ended
rm -rf "$hang"
echo "guest: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
