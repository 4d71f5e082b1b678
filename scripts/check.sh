#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checks to run before each commit, without booting a kernel: style, the tests of floor 0, and whether the
# module compiles with its KUnit suites. usage: check.sh

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

SECONDS=0
for one in style host; do
	echo "$one"
	run_area "$one" "$LOGS/check-$one.log" "$TOP/scripts/test-$one.sh" || true
	echo "  after $SECONDS s"
done
echo kunit-build
run_area kunit-build "$LOGS/check-kunit-build.log" kunit || true
echo "check: $passed passed, $failed failed, $SECONDS s"
[ "$failed" = 0 ]
