# SPDX-License-Identifier: GPL-2.0
# Runs areas of tests and adds up their counts. Sourced after lib.sh.

passed=0 failed=0

# run_area NAME LOG COMMAND...: the last line of counts that an area prints is "AREA: N passed, N failed".
# Sets $p and $f to its counts, and adds them to the sums. If the area did not print that line, $f is 1
# more and the function fails.
run_area()
{
	local name=$1 log=$2 status=0 whole=1
	shift 2
	"$@" 2>&1 | tee "$log" || status=$?
	p='' f=''
	read -r p f <<<"$(sed -nE 's/^[a-z0-9-]+: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)"
	if [ -z "$p" ] || { [ $status != 0 ] && [ "$f" = 0 ]; } || [ "$p" = 0 ]; then
		echo "  not ok - $name did not run to its end (status $status, log: $log)"
		whole=0
		f=$((${f:-0} + 1))
	fi
	p=${p:-0}
	passed=$((passed + p)) failed=$((failed + f))
	[ $whole = 1 ]
}
