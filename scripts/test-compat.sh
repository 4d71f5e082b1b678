#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compares the output of other programs about block I/O without the module and with it, on the newest
# stock kernel. The last line is "compat: N passed, N failed". usage: test-compat.sh

. "$(dirname "$0")/lib.sh"

kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
log=$LOGS/guest-compat.log
echo "  each program twice (log: $log)"
status=0
"$TOP/scripts/guest.sh" "$kernel" "$modules" compat.sh --bpftrace --memory 2048 --silence 600 \
	>"$log" 2>&1 || status=$?
grep '^not ok' "$log" | sed 's/^/  /' || true
passed=$(grep -c '^ok' "$log" || true)
failed=$(grep -c '^not ok' "$log" || true)
# A script that ends early has a status of failed checks, too.
[ $status -gt 1 ] || grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || {
	echo "  not ok - compat.sh did not run to its end: $(tail -n 1 "$log")"
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
echo "compat: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
