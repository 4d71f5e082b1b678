#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture test of one kind, kasan if none is named, with a fixed seed, so that the test is a function of the
# commit; "make torture" draws one. In its duration every actor takes part. The kind kcsan needs a kernel of its
# own, whose build takes half as long as all tests: "make nightly" has an hour of it.
# usage: test-torture.sh [kasan|kcsan]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"

declare -A takes=([kasan]=120 [kcsan]=60)
for kind in ${*:-kasan}; do
	[ -n "${takes[$kind]:-}" ] || die "there is no kind $kind; choose one of: kasan kcsan"
	SEED=${SEED:-15} DURATION=${takes[$kind]} run_area torture "$LOGS/torture-$kind.log" "$TOP/scripts/torture.sh" "$kind" || true
done
echo "torture: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
