#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture test of one kind, or of both one after another. A fixed seed, so that the test is a function of the
# commit; "make torture" draws one. In its duration every actor takes part.
# usage: test-torture.sh [kasan|kcsan]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"

declare -A takes=([kasan]=120 [kcsan]=60)
for kind in ${*:-kasan kcsan}; do
	[ -n "${takes[$kind]:-}" ] || die "there is no kind $kind; choose one of: kasan kcsan"
	SEED=${SEED:-15} DURATION=${takes[$kind]} run_area torture "$LOGS/torture-$kind.log" "$TOP/scripts/torture.sh" "$kind" || true
done
echo "torture: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
