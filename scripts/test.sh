#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the tests of one area or of all. Each ends with its own line
# "area: N passed, N failed"; the last line is the sum. usage: test.sh [AREA]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"

AREAS="style host tools metrics guest kunit bench torture"
area=${1:-all}
case " all $AREAS " in
*" $area "*) ;;
*) die "there is no test area $area; choose one of: all $AREAS" ;;
esac
need_root
[ "$area" != all ] || area=$AREAS

for one in $area; do
	echo "$one"
	run_area "$one" "$LOGS/test-$one.log" "$TOP/scripts/test-$one.sh" || true
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
