#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Floor 0 on the host: unit and property tests, and loom over everything with
# atomics. Warnings are errors.

. "$(dirname "$0")/lib.sh"

passed=0 failed=0
# run NAME [VARIABLE=VALUE...] -- CARGO-ARGUMENT...
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
	test --release --test interleavings
echo "host: $passed passed, $failed failed"
[ "$failed" = 0 ]
