#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guest tests: all of them on the newest stock kernel, the smoke tests on the other supported series.
# The traces of the guests are recounted here. FLAVOUR=generic runs only the smoke tests, on that kernel of
# scripts/kernels.txt; FLAVOUR=rt tests/guest/runs/rt.sh, ARCH=arm64 tests/guest/runs/arm64.sh. PARTS="load null" runs
# only these parts (tests/guest/parts/test-PART.sh), in one guest; AREA is the name in the last line, if not guest. Each
# of the groups below has guests of its own, so that several can run at a time; without a name all run, one after another.
# THOROUGH=1 repeats some loads more often.
# usage: test-guest.sh [disks|interfaces|tracing|statistics|clients|others]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/emulator.sh"

passed=0 failed=0
# How to run a part again.
again="make test T=${AREA:-guest}"
[ "$SUITE" = trixie-backports ] || again="SUITE=$SUITE $again"
[ "$FLAVOUR" = cloud ] || again="FLAVOUR=$FLAVOUR $again"
[ "$ARCH" = amd64 ] || [ -n "${AREA:-}" ] || again="ARCH=$ARCH $again"

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
	if emulator_failed $status "$log"; then
		mv "$log" "$log.lost"
		echo "  the emulator failed (log: $log.lost): the guest is started again"
		rm -rf "$out"
		mkdir "$out"
		status=0
		"$TOP/scripts/guest.sh" "$kernel" "$modules" "$script" --disk 256M --out "$out" \
			"$@" >"$log" 2>&1 || status=$?
	fi
	# A script that ends early, for example at a variable that is not set, has a status of failed checks, too.
	[ $status -gt 1 ] || grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" ||
		failure "$script did not run to its end: $(tail -n 1 "$log")"
	recount "$out" || failure "the recount did not finish"
	rm -rf "$out"
	# The failures, each with the part that it belongs to, and the time of each part.
	awk -v make="$again" '/^# [a-z-]+$/ { part = $2 } /^not ok/ { print "  " $0; again[part] }
		/^# [a-z-]+: [0-9]+ s$/ { times = times (times ? "," : "  times:") " " $2 " " $3 " s" }
		END {
			for (part in again)
				print "  again: " make " PARTS=" part
			gsub(":", "", times); sub("times", "times:", times)
			if (times)
				print times
		}' "$log"
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

# all_run: true if a run of "make test" has each part; or else prints those that none has.
all_run()
{
	local part left='' run all=' '
	for run in disks interfaces tracing statistics clients utilization recounts possible; do
		# All but its last line, which runs the parts.
		all+=$(PARTS='' && . <(sed '/^\. /d' "$TOP/tests/guest/runs/$run.sh") && echo "$PARTS")" "
	done
	for part in "$TOP"/tests/guest/parts/test-*.sh; do
		part=$(basename -s .sh "$part")
		[[ " "$(echo $all)" " == *" ${part#test-} "* ]] || left+=" ${part#test-}"
	done
	[ -z "$left" ] || { echo "  in no run: $left" && return 1; }
}

# finish: prints the sum, the last command of this script.
finish()
{
	echo "${AREA:-guest}: $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
	exit
}

# full RUN: with all disks that a part may need. A million areas are more than a quarter of 1024 MiB.
full()
{
	run "$newest" "$1" --memory 2048 --nvme 128M --paths 128M \
		--append "nvme.poll_queues=1${PARTS:+ PARTS=\"$PARTS\"}${THOROUGH:+ THOROUGH=1}"
}

# group NAME
group()
{
	case $1 in
	disks | interfaces | tracing | statistics) full "$1.sh" ;;
	clients)
		run "$newest" clients.sh --bpftrace --memory 2048
		TOOLS=iogen run "$newest" utilization.sh --cpus 1 --icount
		;;
	others) others ;;
	*) die "there is no group $1 of guest tests; choose from: $GROUPS_OF_PARTS" ;;
	esac
}

# possible: in a machine that may have 64 CPUs, of which two are online at first. QEMU has them all: without KVM the kernel
# takes no CPU that is plugged in later. Those that are not online take nothing of the host.
possible()
{
	run "$newest" possible.sh --cpus 64 --memory 2048 --append "maxcpus=2${PARTS:+ PARTS=$PARTS}"
}

others()
{
	local hang series kernel
	check "each part is in a run" all_run
	hang=$(mktemp -d "$IOSTAT_CACHE/out.XXXXXX")
	hang &
	run "$newest" recounts.sh --cpus 4
	possible
	for series in $SERIES; do
		kernel=$(KERNEL=$series "$TOP/scripts/kernel.sh")
		[ "$kernel" = "$newest" ] || run "$kernel" smoke.sh
	done
	wait
	hang_ended
	rm -rf "$hang"
}

GROUPS_OF_PARTS="disks interfaces tracing statistics clients others"
newest=$("$TOP/scripts/kernel.sh")
if [[ "${PARTS:-}" =~ ^(possible|late-cpus)$ ]]; then
	possible
	finish
elif [ -n "${PARTS:-}" ]; then
	full test.sh
	finish
fi
case "$FLAVOUR $ARCH" in
"cloud amd64")
	for one in ${*:-$GROUPS_OF_PARTS}; do
		group "$one"
	done
	;;
*arm64) run "$newest" arm64.sh ;;
rt*) run "$newest" rt.sh ;;
# The modules of these kernels and their programs take more memory than those of cloud.
*) run "$newest" smoke.sh --memory 2048 ;;
esac
finish
