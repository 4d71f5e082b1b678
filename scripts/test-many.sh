#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests DISKS disks with a partition each, on the newest stock kernel. The last line is
# "many: N passed, N failed". usage: [DISKS=4096] test-many.sh

. "$(dirname "$0")/lib.sh"

disks=${DISKS:-4096}
kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
log=$LOGS/guest-many-$disks.log
echo "  $disks disks (log: $log)"
status=0
# The guest prints nothing while all disks are added or removed.
"$TOP/scripts/guest.sh" "$kernel" "$modules" many.sh --memory 4096 --silence 1800 \
	--append "DISKS=$disks" >"$log" 2>&1 || status=$?
grep -E '^(not ok|#)' "$log" | sed 's/^/  /' || true
passed=$(grep -c '^ok' "$log" || true)
failed=$(grep -c '^not ok' "$log" || true)
# 1 is the payload's status for failures that were just counted.
case $status in
0 | 1) ;;
*)
	echo "  not ok - the guest ended with status $status"
	failed=$((failed + 1))
	;;
esac
echo "many: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
