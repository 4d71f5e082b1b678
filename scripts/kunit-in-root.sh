#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Compares the results that test-kunit.sh left in DIR with the source: every test of every suite must have
# run and passed, and the kernel must not have complained. Runs inside the build root.
# usage: kunit-in-root.sh KERNELSOURCE DIR

set -euo pipefail
source=$1 dir=$2
shopt -s nullglob

# Prints "suite test" for each #[test] of each module that is a suite.
expected()
{
	find src rust tests/kunit -name '*.rs' -print0 | sort -z | xargs -0 awk '
		FNR == 1 { suite = "" }
		match($0, /kunit_tests\([a-z0-9_]+\)/) {
			suite = substr($0, RSTART + 12, RLENGTH - 13)
			end = ""
		}
		# Not that of the attribute, which may have several lines.
		suite != "" && match($0, /^ *(pub )?mod /) {
			end = $0
			sub(/[^ ].*/, "}", end)
		}
		suite != "" && $0 == end { suite = "" }
		suite != "" && $1 == "#[test]" { is_test = 1 }
		is_test && match($0, /fn [a-z0-9_]+/) {
			print suite, substr($0, RSTART + 3, RLENGTH - 3)
			is_test = 0
		}'
}

# parsed FILE: prints "STATUS test" for each test of a results file. The kernel's parser stops after the
# first KTAP document, so each file has one.
parsed()
{
	"$source/tools/testing/kunit/kunit.py" parse "$1" |
		sed -nE 's/^\[[0-9:]+\] \[([A-Z_]+)\] ([a-z0-9_]+)$/\1 \2/p'
}

passed=0 failed=0

# complain TEXT: counts and prints a failure.
complain()
{
	echo "  not ok - $*"
	failed=$((failed + 1))
}

# suite NAME TEST...: prints one line, and one for each test that did not pass.
suite()
{
	local name=$1 file=$dir/results/$1 list parser=0 good=0 test status bad=()
	shift
	if [ ! -s "$file" ]; then
		printf '  %-20s 0 of %d\n' "$name" $#
		echo "  not ok - $name did not run"
		failed=$((failed + $#))
		return
	fi
	list=$(parsed "$file") || parser=$?
	for test in "$@"; do
		status=$(awk -v test="$test" '$2 == test { print $1 }' <<<"$list")
		if [ "$status" = PASSED ]; then
			good=$((good + 1))
		else
			bad+=("$test: ${status:-did not run}")
		fi
	done
	printf '  %-20s %d of %d\n' "$name" "$good" $#
	passed=$((passed + good))
	for test in "${bad[@]}"; do
		complain "$name $test"
		grep -hA 1 "# ${test%%:*}: " "$file" | sed 's/^ */      /' || true
	done
	# Results and source must agree, or one of them was not parsed correctly.
	if [ "$(wc -w <<<"$list")" -gt $(($# * 2)) ]; then
		complain "$name ran tests that its source does not have: $(tr '\n' ' ' <<<"$list")"
	elif [ $parser != 0 ] && [ ${#bad[@]} = 0 ]; then
		complain "$name: all tests passed, but kunit.py failed with status $parser"
	fi
}

tests=$(expected)
[ -n "$tests" ] || complain "no suite in the source"
names=$(cut -d ' ' -f 1 <<<"$tests" | sort -u)
for name in $names; do
	suite "$name" $(awk -v suite="$name" '$1 == suite { print $2 }' <<<"$tests")
done
for file in "$dir"/results/*; do
	grep -qx "${file##*/}" <<<"$names" || complain "suite ${file##*/} is not in the source"
done

status=$(cat "$dir/status")
if [ "$status" != 0 ]; then
	said=$(grep -aE '^(error|warning): ' "$dir/vm.log" | sed 's/^[a-z]*: //' | paste -sd ';')
	complain "the kernel, apart from the tests: ${said:-the guest ended with status $status}"
	[ $passed != 0 ] || grep -aoE '(# Subtest: |ok [0-9]+ ).*' "$dir/out/console" | tail -n 2 |
		sed 's/^/      it got as far as: /' || true
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
