#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the tests of one area or of all. Each ends with its own line
# "area: N passed, N failed"; the last line is the sum. usage: test.sh [AREA]

. "$(dirname "$0")/lib.sh"

AREAS="style host guest kunit bench torture"
area=${1:-all}
case " all $AREAS " in
*" $area "*) ;;
*) die "there is no test area $area; choose one of: all $AREAS" ;;
esac
need_root
[ "$area" != all ] || area=$AREAS

passed=0 failed=0
for one in $area; do
	echo "$one"
	log=$LOGS/test-$one.log
	status=0
	"$TOP/scripts/test-$one.sh" 2>&1 | tee "$log" || status=$?
	read -r p f <<<"$(sed -n 's/^'"$one"': \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)"
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	# An area that could not even count is a failure of its own.
	if [ -z "${p:-}" ] || { [ $status != 0 ] && [ "$f" = 0 ]; } || [ "$p" = 0 ]; then
		echo "  not ok - $one did not run to its end (status $status, log: $log)"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
