#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Measures the cost and the accuracy of the statistics, in guests where a cycle is an instruction, and
# prints the difference to bench/*.json. A run of everything updates these, README.md and bench.rst; with
# ROWS or CPUS it only prints. usage: bench.sh [--check]
#	ROWS="iostat iostats"	rows of bench/guest/rows.sh; "reads": reads of all statistics, with 1 and 2 CPUs
#		"load": insmod, with one disk; NAME+mitigations: iostats or iostat with mitigations=auto, 1 CPU
#	CPUS="1 2 4"
#	PROFILE=1		also prints which functions of the module, and of the kernel, took the instructions; 1 CPU
#	--check			prints test results of the record path, for test-bench.sh

. "$(dirname "$0")/lib.sh"
need_root
start=$SECONDS
mode=${1:---keep}
[ -z "${ROWS:-}${CPUS:-}${PROFILE:-}" ] || [ "$mode" = --check ] || mode=--print
all=$(sed -n 's/^row \([^ ]*\) .*/\1/p' "$TOP/bench/guest/rows.sh" | paste -sd' ')
all+=" iostats+mitigations iostat+mitigations reads load"
[ -z "${PROFILE:-}" ] || CPUS=${CPUS:-1}
ROWS=${ROWS:-$all} CPUS=${CPUS:-1 2 4}
case ${PROFILE:+$CPUS} in
"" | 1) ;;
*) die "PROFILE=1 works with CPUS=1 only, as QEMU ends a guest of more CPUs with \"Bad icount read\"" ;;
esac
for row in $ROWS; do
	case " $all " in
	*" $row "*) ;;
	*) die "there is no row $row; choose one of: $all" ;;
	esac
done
for count in $CPUS; do
	case $count in
	[1-9] | [1-9][0-9]) ;;
	*) die "CPUS takes numbers of CPUs, not $count" ;;
	esac
done

kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel")
# Not in the build's directory, as two runs may be active at a time.
work=$(mktemp -d "$IOSTAT_CACHE/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$modules/stripped/iostat.ko" "$work"
inside=/cache/${work#"$IOSTAT_CACHE"/}

tools()
{
	"$TOP/scripts/enter.sh" sh -euc 'for tool in addpart iogen readall loadtime; do
		gcc -O2 -Wall -Wextra -Werror -static -Iinclude/uapi -Itools -o "$1/$tool" \
			"bench/$tool.c" -luring -lm
	done
	gcc -O2 -Wall -Wextra -Werror -Wno-unused-parameter -shared -fPIC -o "$1/profile.so" \
		bench/profile.c' sh "$inside"
}

# guests: prints the guests to run. As many run at a time as there are CPUs; a guest has one thread, and
# its load does not change another guest's counts.
guests()
{
	local reads="1 2"
	[ -z "${PROFILE:-}" ] || reads=1
	{
		# Every row that has no guest of its own.
		[ -z "$(printf '%s\n' $ROWS | grep -vx 'reads\|load\|.*+mitigations')" ] ||
			printf 'cost %s\n' $CPUS
		case " $ROWS " in
		*+mitigations\ *) echo mitigated 1 ;;
		esac
		case " $ROWS " in
		*" reads "*) printf 'reads %s\n' $reads ;;
		esac
		case " $ROWS " in
		*" load "*) echo load 1 ;;
		esac
		[ "$mode" != --keep ] || printf '%s 1\n' accuracy standing
	} | ROWS=$ROWS xargs -P "$JOBS" -L 1 "$TOP/scripts/bench-guest.sh" "$kernel" "$work"
}

step "build the bench" "5 s" tools
case $mode in
--keep) expected="8 min" ;;
*) expected="$((20 + 12 * $(echo $ROWS | wc -w) * $(echo $CPUS | wc -w))) s" ;;
esac
step "measure" "$expected" guests
"$TOP/scripts/enter.sh" python3 -B bench/report.py "$inside/out" "$(cat "$kernel/release")" "$mode"
[ -z "${PROFILE:-}" ] || "$TOP/scripts/enter.sh" python3 -B bench/profile.py "$inside/out"
[ "$mode" = --check ] || echo "bench: all done in $((SECONDS - start)) s"
