#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests what disks and partitions take before their first I/O, what the arrival of one takes when there are many, and DISKS
# disks with a partition each, on the newest stock kernel. The last line is "many: N passed, N failed".
# usage: [DISKS=4096] test-many.sh

. "$(dirname "$0")/lib.sh"

disks=${DISKS:-4096}
kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
passed=0 failed=0

# run NAME PAYLOAD OPTION...: boots a guest and counts its results.
run()
{
	local log=$LOGS/guest-$1.log payload=$2 status=0
	echo "  $1 (log: $log)"
	shift 2
	"$TOP/scripts/guest.sh" "$kernel" "$modules" "$payload" "$@" >"$log" 2>&1 || status=$?
	grep -E '^(not ok|#)' "$log" | sed 's/^/  /' || true
	passed=$((passed + $(grep -c '^ok' "$log" || true)))
	failed=$((failed + $(grep -c '^not ok' "$log" || true)))
	# A script that ends early has a status of failed checks, too.
	[ $status -gt 1 ] || grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || {
		echo "  not ok - $payload did not run to its end: $(tail -n 1 "$log")"
		failed=$((failed + 1))
	}
	# 1 is the payload's status for failures that were just counted.
	case $status in
	0 | 1) ;;
	*)
		echo "  not ok - the guest ended with status $status"
		failed=$((failed + 1))
		;;
	esac
}

run idle idle.sh --memory 2048
run arrive arrive.sh --icount --cpus 1 --memory 2048 --silence 1800 --append "DISKS=1024"
# The guest prints nothing while all disks are added or removed.
run "many-$disks" many.sh --memory 4096 --silence 1800 --append "DISKS=$disks"
echo "many: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
