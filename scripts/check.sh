#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checks to run before each commit, without booting a kernel: style, the tests of floor 0, and whether the
# module compiles with its KUnit suites. The tests of floor 0 run beside the others. usage: check.sh

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"
need_root

# The suites are built for the test kernel, which has CONFIG_KUNIT and which the first call builds.
kunit()
{
	local kernel status=0
	kernel=$("$TOP/scripts/testkernel.sh" debug) &&
		"$TOP/scripts/build.sh" "$kernel" LLVM=-19 >/dev/null || status=1
	echo "kunit-build: $((1 - status)) passed, $status failed"
	return $status
}

# In a process group of its own, so that an interrupt ends it as a whole.
SECONDS=0
log=$LOGS/check-host.log status=0
set -m
"$TOP/scripts/test-host.sh" >"$log" 2>&1 </dev/null &
set +m
trap 'kill -TERM -- -$! 2>/dev/null; exit 130' INT TERM HUP
echo style
run_area style "$LOGS/check-style.log" "$TOP/scripts/test-style.sh" || true
echo "  after $SECONDS s"
echo kunit-build
run_area kunit-build "$LOGS/check-kunit-build.log" kunit || true
echo "  after $SECONDS s"
echo host
wait $! || status=$?
cat "$log"
count_area host "$log" $status || true
echo "check: $passed passed, $failed failed, $SECONDS s"
[ "$failed" = 0 ]
