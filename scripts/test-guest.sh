#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guest tests: every one on the newest stock kernel, the smoke tests on the
# other supported series. usage: test-guest.sh

. "$(dirname "$0")/lib.sh"

passed=0 failed=0

failure()
{
	echo "  not ok - $1"
	failed=$((failed + 1))
}

# recount DIR: of what the guest handed out; its status 1 is of lines it printed.
recount()
{
	"$TOP/scripts/enter.sh" sh -c 'python3 tests/guest/recount.py "$1"/recount-* || [ $? = 1 ]' sh "$1" &&
		tail -n 1 "$log" | grep -q ' passed, '
}

# run KERNELDIR SCRIPT: counts the lines the guest and the recount print.
run()
{
	local kernel=$1 script=$2 release out log modules status=0
	release=$(cat "$kernel/release")
	out=$(mktemp -d "$IOSTAT_CACHE/out.XXXXXX")
	log=$LOGS/guest-$release.log
	modules=$("$TOP/scripts/build.sh" "$kernel")
	echo "  $script on $release (log: $log)"
	"$TOP/scripts/guest.sh" "$kernel" "$modules" "$script" --disk 256M --timeout 900 --out "$out" \
		>"$log" 2>&1 || status=$?
	recount "/cache/${out#"$IOSTAT_CACHE"/}" >>"$log" 2>&1 || failure "the recount did not finish"
	rm -rf "$out"
	grep '^not ok' "$log" | sed 's/^/  /' || true
	passed=$((passed + $(awk '/^ok/ { n++ } END { print n + 0 }' "$log")))
	failed=$((failed + $(awk '/^not ok/ { n++ } END { print n + 0 }' "$log")))
	# 1 is the payload's own status for what was just counted.
	case $status in
	0 | 1) ;;
	*)
		tail -n 3 "$log" | sed 's/^/  /'
		failure "the guest ended with status $status"
		;;
	esac
}

newest=$("$TOP/scripts/kernel.sh")
run "$newest" test.sh
for series in $SERIES; do
	kernel=$(KERNEL=$series "$TOP/scripts/kernel.sh")
	[ "$kernel" = "$newest" ] || run "$kernel" smoke.sh
done
echo "guest: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
