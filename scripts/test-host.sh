#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Floor 0 on the host: unit and property tests, loom for all code with atomics, and a short run of each
# fuzz target that starts with its corpus, of FUZZ_SECONDS each (5). Warnings are errors.

. "$(dirname "$0")/lib.sh"

passed=0 failed=0
# run NAME [VARIABLE=VALUE...] -- CARGO-ARGUMENT...: runs cargo and counts the results.
run()
{
	local name=$1 log status=0 env=() p f
	shift
	while [ "$1" != -- ]; do
		env+=("$1")
		shift
	done
	shift
	log=$LOGS/host-$name.log
	"$TOP/scripts/enter.sh" env "${env[@]}" scripts/cargo.sh "$@" >"$log" 2>&1 || status=$?
	read -r p f <<<"$(awk '/^test result:/ { gsub(";", ""); p += $4; f += $6 } END { print p + 0, f + 0 }' "$log")"
	if [ $status != 0 ] || [ "$p" = 0 ]; then
		grep -E '^(error|test .*FAILED|thread .* panicked)' "$log" | head -n 10 | sed 's/^/  /' || true
		[ "$f" -gt 0 ] || f=1
	fi
	echo "  $name: $p passed, $f failed (log: $log)"
	passed=$((passed + p)) failed=$((failed + f))
}

run units-and-properties RUSTFLAGS='-D warnings' -- test
run interleavings RUSTFLAGS='-D warnings --cfg loom' TARGET=-loom -- \
	test --test interleavings

# Each target counts as one test: its whole corpus, and a few new inputs.
log=$LOGS/host-fuzz.log status=0
"$TOP/scripts/fuzz.sh" all "${FUZZ_SECONDS:-5}" 2>&1 | tee "$log" || status=$?
p=$(grep -c '^  [a-z]*: passed,' "$log") || true
f=$(grep -c '^  [a-z]*: FAILED,' "$log") || true
[ $status = 0 ] || [ "$f" -gt 0 ] || f=1
passed=$((passed + p)) failed=$((failed + f))

echo "host: $passed passed, $failed failed"
[ "$failed" = 0 ]
