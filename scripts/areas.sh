# SPDX-License-Identifier: GPL-2.0
# Runs areas of tests and adds up their counts. Sourced after lib.sh.

passed=0 failed=0

# run_area NAME LOG COMMAND...: runs an area, shows its output, and counts its results as count_area() does.
run_area()
{
	local name=$1 log=$2 status=0
	shift 2
	"$@" 2>&1 | tee "$log" || status=$?
	count_area "$name" "$log" "$status"
}

# count_area NAME LOG STATUS: the last line of counts that an area prints is "AREA: N passed, N failed".
# Sets $p and $f to its counts, and adds them to the sums. If the area did not print that line, $f is 1
# more and the function fails.
count_area()
{
	local whole=1
	p='' f=''
	read -r p f <<<"$(sed -nE 's/^[a-z0-9-]+: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$2" | tail -n 1)"
	if [ -z "$p" ] || { [ "$3" != 0 ] && [ "$f" = 0 ]; } || [ "$p" = 0 ]; then
		echo "  not ok - $1 did not run to its end (status $3, log: $2)"
		whole=0
		f=$((${f:-0} + 1))
	fi
	p=${p:-0}
	passed=$((passed + p)) failed=$((failed + f))
	[ $whole = 1 ]
}
