#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ioscope: its own tests by cargo, and a guest in which it runs beside the tools that people know. What it
# writes as JSON there is held against its schema here.

. "$(dirname "$0")/lib.sh"

passed=0 failed=0

failure()
{
	echo "  not ok - $1"
	failed=$((failed + 1))
}

# Units and properties.
units()
{
	local log=$LOGS/tools-units.log status=0 p f
	"$TOP/scripts/enter.sh" env TARGET=-tools RUSTFLAGS='-D warnings -C target-feature=+crt-static' \
		scripts/cargo.sh test --target x86_64-unknown-linux-gnu \
		--manifest-path tools/ioscope/Cargo.toml >"$log" 2>&1 || status=$?
	read -r p f <<<"$(awk '/^test result:/ { gsub(";", ""); p += $4; f += $6 } END { print p + 0, f + 0 }' "$log")"
	if [ $status != 0 ] || [ "$p" = 0 ]; then
		grep -E '^(error|test .*FAILED|thread .* panicked)' "$log" | head -n 10 | sed 's/^/  /' || true
		[ "$f" -gt 0 ] || f=1
	fi
	echo "  units and properties: $p passed, $f failed (log: $log)"
	passed=$((passed + p)) failed=$((failed + f))
}

# As cargo clippy does it, which does not pass on where crates come from. The triple is that of the units, so that build
# scripts and macros are those that they have compiled.
lints()
{
	local log=$LOGS/tools-clippy.log
	if "$TOP/scripts/enter.sh" env TARGET=-tools RUSTC_WORKSPACE_WRAPPER=clippy-driver RUSTFLAGS='-D warnings' \
		scripts/cargo.sh check --target x86_64-unknown-linux-gnu --all-targets --all-features \
		--manifest-path tools/ioscope/Cargo.toml >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		failure "clippy (log: $log)"
	fi
}

# Manual pages without a mistake, one for each command, and completions that their shells take.
manual()
{
	local log=$LOGS/tools-manual.log manual
	manual=$(dirname "$("$TOP/scripts/tools.sh")")/manual
	if "$TOP/scripts/enter.sh" sh -euc '
		mandoc -T lint -W error Documentation/man/iostat.[45]
		cd "$1"
		[ "$(ls ioscope*.1 | wc -l)" -ge 14 ]
		mandoc -T lint -W error ioscope*.1
		for page in ioscope ioscope-lat ioscope-snoop ioscope-files ioscope-waits ioscope-export; do
			grep -q "^\.SH EXAMPLES" $page.1
		done
		bash -n ioscope.bash
		zsh -n _ioscope
		fish -n ioscope.fish' sh "/cache/${manual#"$IOSTAT_CACHE"/}" >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		failure "manual pages and completions (log: $log)"
	fi
}

# The screens of ioscope top, and the terminal afterwards.
terminal()
{
	local log=$LOGS/tools-terminal.log ioscope
	ioscope=$("$TOP/scripts/tools.sh")
	"$TOP/scripts/enter.sh" env ${KEEP:+KEEP=1} tests/tools/terminal.sh "/cache/${ioscope#"$IOSTAT_CACHE"/}" >"$log" 2>&1 || true
	grep '^not ok' "$log" | sed 's/^/  /' || true
	grep -q '^ok' "$log" || failure "the terminal (log: $log)"
	passed=$((passed + $(awk '/^ok/ { n++ } END { print n + 0 }' "$log")))
	failed=$((failed + $(awk '/^not ok/ { n++ } END { print n + 0 }' "$log")))
}

# schema FILE...: each is what the schema says.
schema()
{
	if "$TOP/scripts/enter.sh" python3 -B tests/guest/tools/scope-schema.py "$@"; then
		passed=$((passed + 1))
	else
		failure "the JSON is what Documentation/ioscope.schema.json says"
	fi
}

guest()
{
	local kernel modules log=$LOGS/tools-guest.log status=0
	kernel=$("$TOP/scripts/kernel.sh")
	modules=$("$TOP/scripts/build.sh" "$kernel")
	trap 'rm -rf "${payload:-}" "${out:-}"' EXIT
	payload=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
	out=$(mktemp -d "$IOSTAT_CACHE/out.XXXXXX")
	cp "$("$TOP/scripts/tools.sh")" "$modules"/stripped/{iostat,fake_tape,fake_drum,kstat_client}.ko "$TOP"/tests/guest/{lib/lib,lib/tap,runs/scope,parts/scope-*}.sh "$payload"
	printf '. /payload/lib.sh\n. /payload/scope.sh\n' >"$payload/run"
	# An instruction is a nanosecond, so that times do not depend on how busy the host is; and idle time takes none.
	echo "  scope.sh on $(cat "$kernel/release") (log: $log)"
	"$TOP/scripts/vm.sh" --icount --cpus 1 --disk 256M --memory 1024 --out "$out" "$kernel" "$payload" >"$log" 2>&1 || status=$?
	grep '^not ok' "$log" | sed 's/^/  /' || true
	passed=$((passed + $(awk '/^ok/ { n++ } END { print n + 0 }' "$log")))
	failed=$((failed + $(awk '/^not ok/ { n++ } END { print n + 0 }' "$log")))
	# A script that ends early has a status of failed checks, too.
	[ $status -gt 1 ] || grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$log" || failure "scope.sh did not run to its end: $(tail -n 1 "$log")"
	case $status in
	0 | 1) schema "/cache/${out#"$IOSTAT_CACHE"/}" ;;
	*)
		tail -n 3 "$log" | sed 's/^/  /'
		failure "the guest ended with status $status"
		;;
	esac
}

units
lints
manual
terminal
guest
echo "tools: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
