#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the tests of one area or of all. An area has one job or several; one job more runs at a time than there are
# CPUs, as guests often wait, or TOGETHER, and at most as many of the guest area as there are CPUs. Each ends with its own
# line "area: N passed, N failed"; after the lines of all areas with more than one job, the last line is the sum. The
# output of a job that runs beside others is printed when it ends.
# usage: test.sh [AREA]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"

AREAS="style host tools metrics packages guest arm64 kunit bench torture"
# AREA [ARGUMENT of scripts/test-AREA.sh], the longest first, and guests before what uses all CPUs when no guest is left.
TESTS="
	torture
	guest disks
	guest others
	guest tracing
	guest statistics
	guest interfaces
	guest clients
	tools
	arm64
	packages
	metrics
	host
	bench
	style
	kunit
"
# The areas whose jobs start when the test kernel is built.
LATE="kunit torture"
area=${1:-all}
case " all $AREAS " in
*" $area "*) ;;
*) die "there is no test area $area; choose one of: all $AREAS" ;;
esac
need_root
[ "$area" != all ] || area=$AREAS

declare -A running=() began=() sum_passed=() sum_failed=() jobs_of=()
waiting=() kernel=done

stop()
{
	local pid
	for pid in "${!running[@]}"; do
		kill -TERM -- "-$pid" 2>/dev/null || true
	done
	wait
	exit 130
}

# begin NAME COMMAND...: in a process group of its own, so that an interrupt ends it as a whole.
begin()
{
	local name=$1
	shift
	set -m
	{
		local status=0
		"$@" || status=$?
		times >"$LOGS/times-${name// /-}.log"
		exit $status
	} >"$LOGS/test-${name// /-}.log" 2>&1 </dev/null &
	set +m
	running[$!]=$name began[$!]=$SECONDS
	echo "$name begins, after $SECONDS s"
}

# Makes the roots that the areas need besides the build root.
other_roots()
{
	local root
	for root in metrics packages arm64; do
		[[ " $area " != *" $root "* ]] || "$TOP/scripts/root.sh" "$root" >/dev/null
	done
}

# Sets next to the index of the first job that may run now; fails if there is none.
choose()
{
	local guests
	guests=$(printf '%s\n' "${running[@]}" | grep -c '^guest') || true
	for next in "${!waiting[@]}"; do
		[[ "${waiting[next]}" != guest* ]] || ((guests < JOBS)) || continue
		[ "$kernel" = done ] || [[ " $LATE " != *" ${waiting[next]%% *} "* ]] || continue
		return 0
	done
	return 1
}

# processor_seconds FILE: the sum of the times that bash's "times" wrote, "0m1.234s 0m0.567s" in each line.
processor_seconds()
{
	awk '{ for (i = 1; i <= NF; i++) { split($i, part, "m"); seconds += 60 * part[1] + part[2] } } END { printf "%.0f", seconds }' "$1"
}

# end PID STATUS: prints and counts a job that has ended.
end()
{
	local name=${running[$1]} log
	log=$LOGS/test-${name// /-}.log
	echo "$name: $((SECONDS - began[$1])) s, after $SECONDS s; $(processor_seconds "$LOGS/times-${name// /-}.log") s of processor time"
	cat "$log"
	unset "running[$1]"
	case $name in
	kernel) kernel=done ;&
	roots) return ;;
	esac
	count_area "$name" "$log" "$2" || true
	sum_passed[${name%% *}]=$((${sum_passed[${name%% *}]:-0} + p))
	sum_failed[${name%% *}]=$((${sum_failed[${name%% *}]:-0} + f))
}

while read -r name; do
	case " $area " in
	*" ${name%% *} "*) ;;
	*) continue ;;
	esac
	# These are run alone by their names. Other kernels than the one for all tests have no groups.
	[ "$name" != "${name#guest }" ] && { [ -n "${PARTS:-}" ] || [ "$FLAVOUR $ARCH" != "cloud amd64" ]; } && name=guest
	[[ "$name" != guest || " ${waiting[*]:-} " != *" guest "* ]] || continue
	waiting+=("$name")
	jobs_of[${name%% *}]=$((${jobs_of[${name%% *}]:-0} + 1))
done < <(xargs -L 1 <<<"$TESTS")

SECONDS=0
if [ ${#waiting[@]} = 1 ]; then
	echo "$area"
	run_area "$area" "$LOGS/test-$area.log" "$TOP/scripts/test-$area.sh" || true
else
	trap stop INT TERM HUP
	# What every job needs is made first. As that takes one CPU for most of the time, other roots are made beside it.
	begin roots other_roots
	"$TOP/scripts/kernel.sh" >/dev/null
	for name in "${waiting[@]}"; do
		[[ " $LATE " != *" ${name%% *} "* ]] || kernel=
	done
	[ "$kernel" = done ] || begin kernel "$TOP/scripts/testkernel.sh" debug
	while [ ${#waiting[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
		while [ ${#running[@]} -lt "${TOGETHER:-$((JOBS + 1))}" ] && choose; do
			name=${waiting[next]}
			unset "waiting[next]"
			read -r one arguments <<<"$name"
			# What shows times in a guest must not wait for compilers, or for guests that only stress.
			polite=()
			[ "$one" = guest ] || polite=(nice -n 10)
			begin "$name" "${polite[@]}" "$TOP/scripts/test-$one.sh" $arguments
		done
		status=0
		wait -n -p pid || status=$?
		end "$pid" $status
	done
	for one in $area; do
		echo "$one: ${sum_passed[$one]} passed, ${sum_failed[$one]} failed"
	done
fi
echo "all took $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
