#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mutation tests: the code is changed in one place, and a test must fail.
#
# host: floor 0, changed by cargo-mutants, against the host tests. A mutant that survives must be in
#	tests/mutants/survivors.txt with its reason, and a listed one must survive. Mutants that were
#	killed are not run again until their file changes, so an interrupted run can be continued.
# guest: floors 1 to 3, by tests/mutants/guest.txt: one module has all of these changes, and a parameter
#	enables one of them, in a guest of its own. The listed parts of the guest area must fail there,
#	and must pass without a change.
#
# usage: mutants.sh all | host [FILE...] | guest [NAME...]

. "$(dirname "$0")/lib.sh"
need_root
cd "$TOP"

VERSION=26.0.0 # the last version that the build root's rustc can build
DIR=$IOSTAT_CACHE/mutants-$CLONE
passed=0 failed=0

failure()
{
	echo "  not ok - $1"
	failed=$((failed + 1))
}

# Built from the registry that cargo uses, as Debian has no package; with this machine's certificates.
install_tool()
{
	local tool=$IOSTAT_CACHE/cargo-mutants
	[ ! -x "$tool/bin/cargo-mutants" ] || return 0
	[ -r /etc/ssl/certs/ca-certificates.crt ] || die "install ca-certificates: cargo needs it to fetch cargo-mutants"
	mkdir -p "$tool"
	cp /etc/ssl/certs/ca-certificates.crt "$tool/ca.crt"
	step "cargo-mutants $VERSION" "200 s" "$TOP/scripts/enter.sh" env CARGO_HOME=/cache/cargo-mutants/home \
		CARGO_HTTP_CAINFO=/cache/cargo-mutants/ca.crt CARGO_TARGET_DIR=/cache/cargo-mutants/target \
		cargo install cargo-mutants --version "$VERSION" --locked --root /cache/cargo-mutants
	rm -rf "$tool/target" "$tool/home"
}

# copy_to DIR PATH...: copies the project's files in these paths. Unchanged files are kept, so that
# nothing is built again for them.
copy_to()
{
	local to=$1 file
	shift
	rm -rf "$to.new"
	mkdir -p "$to" "$to.new"
	git ls-files -co --exclude-standard "$@" | tar -cf - -T - | tar -xf - -C "$to.new"
	(cd "$to.new" && find . -type f -exec sha256sum {} +) >"$to.sums"
	(cd "$to" && sha256sum --quiet -c "$to.sums" 2>/dev/null || true) | sed 's/: FAILED.*//' | while read -r file; do
		install -D "$to.new/$file" "$to/$file"
	done
	(cd "$to.new" && find . -type f -printf '%P\n' | sort) >"$to.files"
	(cd "$to" && find . -type f -printf '%P\n' | grep -vE '^(Cargo\.lock|\.cargo/.*)$' | sort) |
		comm -23 - "$to.files" | (cd "$to" && xargs -rd '\n' rm)
	rm -rf "$to.new" "$to.sums"
}

# known FILE: prints the name of the list of mutants killed in a file of this content, in any clone.
known()
{
	echo "$IOSTAT_CACHE/mutants-killed/$(sha256sum <"$1" | cut -c1-16)-$(basename "$1")"
}

# harvest RUN: adds the results of cargo-mutants to these lists.
harvest()
{
	local run=$1/mutants.out file
	[ -d "$run" ] && [ -e "$DIR/ran.files" ] || return 0
	while read -r file; do
		cat "$run/caught.txt" "$run/timeout.txt" "$run/unviable.txt" "$(known "$DIR/ran/$file")" 2>/dev/null |
			grep -F "$file:" | sort -u >"$DIR/new" || true
		mv "$DIR/new" "$(known "$DIR/ran/$file")"
	done <"$DIR/ran.files"
}

# stage NAME [VARIABLE=VALUE...] -- CARGO-ARGUMENT...: runs all mutants of $files that no earlier stage
# has killed. Building and running get the same arguments, so that nothing else is built.
stage()
{
	local name=$1 env=() run=$DIR/run target='' status=0 file arguments=()
	shift
	while [ "$1" != -- ]; do
		env+=("$1")
		shift
	done
	shift
	[ "$name" != loom ] || target=-loom
	harvest "$run"
	rm -rf "$run"
	mkdir -p "$run/mutants.out"
	for file in $files; do
		cat "$(known "$file")" 2>/dev/null || true
		arguments+=(--file "$file")
	done >"$run/mutants.out/previously_caught.txt"
	rm -rf "$DIR/ran"
	copy_to "$DIR/ran" $files
	copy_to "$DIR/floor0" Cargo.toml src include rust/kernel/below.rs rust/kernel/hint.rs tests/host benches tools/iostat-map
	mkdir -p "$DIR/floor0/.cargo"
	printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
		'directory = "/usr/share/cargo/registry"' '[net]' 'offline = true' '[profile.dev]' 'debug = false' \
		>"$DIR/floor0/.cargo/config.toml"
	"$TOP/scripts/enter.sh" env "${env[@]}" PATH="/cache/cargo-mutants/bin:/usr/bin:/bin" \
		CARGO_HOME=/cache/cargo CARGO_TARGET_DIR="/cache/mutants-$CLONE/target$target" \
		sh -c 'cd "$1" && shift && exec cargo mutants "$@"' sh "/cache/mutants-$CLONE/floor0" \
		--in-place --iterate --output "/cache/mutants-$CLONE/run" --no-shuffle --colors never --caught --unviable \
		--minimum-test-timeout 300 --build-timeout 3000 --exclude-re 'tests::' \
		"${arguments[@]}" "${@/#/--cargo-arg=}" >"$LOGS/mutants-$name.log" 2>&1 || status=$?
	harvest "$run"
	# 2: some survive; 3: some time out.
	[[ $status = [023] ]] ||
		die "cargo-mutants did not run to its end: $(tail -n 3 "$LOGS/mutants-$name.log" | tr '\n' ' ') (log: $LOGS/mutants-$name.log)"
	echo "  $name: $(tail -n 1 "$LOGS/mutants-$name.log") (log: $LOGS/mutants-$name.log)"
}

# names FILE...: prints mutants as the list has them, without lines and columns.
names()
{
	sed -E 's/^([^:]*):[0-9]+:[0-9]+: /\1: /' "$@" | sort
}

host()
{
	local list=tests/mutants/survivors.txt all killed name
	files=${*:-$(git ls-files src/acct.rs src/acct src/abi.rs src/abi)}
	install_tool
	mkdir -p "$DIR" "$IOSTAT_CACHE/mutants-killed"
	# The fastest tests first: they kill most mutants.
	stage units -- --lib
	stage properties PROPTEST_CASES=12 -- --test properties
	stage more-cases -- --test properties
	stage loom RUSTFLAGS='--cfg loom' -- --release --test interleavings
	for file in $files; do
		cat "$(known "$file")"
	done | wc -l >"$DIR/count"
	killed=$(cat "$DIR/count")
	passed=$((passed + killed))
	names "$DIR/run/mutants.out/missed.txt" >"$DIR/missed"
	grep -vE '^(#|$)' "$list" | sed 's/ # .*//' | grep -E "^($(echo $files | tr ' ' '|')): " | sort >"$DIR/listed" || true
	while read -r name; do
		failure "survives, and is not listed: $name"
	done < <(comm -23 "$DIR/missed" "$DIR/listed")
	while read -r name; do
		failure "listed, and does not survive: $name"
	done < <(comm -13 "$DIR/missed" "$DIR/listed")
	grep -vE '^(#|$)|^[^#]+ # .+$' "$list" | while read -r name; do
		echo "  not ok - no reason: $name"
	done >"$DIR/unreasoned"
	cat "$DIR/unreasoned"
	failed=$((failed + $(wc -l <"$DIR/unreasoned")))
	echo "  host: $killed killed, $(comm -12 "$DIR/missed" "$DIR/listed" | wc -l) survive for the reason listed"
}

# guest NAME...: runs these mutants of the list, or all.
guest()
{
	local kernel modules copy=$DIR/tree out=$DIR/guest key number name parts log status
	kernel=$("$TOP/scripts/kernel.sh")
	mkdir -p "$out"
	copy_to "$copy" .
	# The results of an earlier run with the same sources and tests are used again.
	key=$(cd "$copy" && grep -E '^(Kbuild|(include|rust|src|tests/(guest|modules|mutants))/)' "$copy.files" |
		xargs -d '\n' sha256sum | sha256sum | cut -c1-16)
	"$TOP/scripts/enter.sh" python3 -B tests/mutants/apply.py "/cache/mutants-$CLONE/tree" >"$DIR/table" ||
		die "tests/mutants/guest.txt does not fit the tree"
	for name; do
		awk -v name="$name" '$2 == name { found = 1 } END { exit !found }' "$DIR/table" ||
			die "there is no mutation $name in tests/mutants/guest.txt"
	done
	modules=$(CLONE=mutants-$CLONE "$copy/scripts/build.sh" "$kernel")
	# run NUMBER PARTS: boots a guest; its tests have MUTANT in the environment.
	run()
	{
		CLONE=mutants-$CLONE "$copy/scripts/guest.sh" "$kernel" "$modules" test.sh --disk 256M --nvme 128M --paths 128M \
			--memory 2048 --timeout 900 --append "nvme.poll_queues=1 MUTANT=$1 PARTS=\"$2\""
	}
	while read -r number name parts <&3; do
		[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
		log=$out/$key-$name.log
		if [ ! -s "$log" ] || [ $# != 0 ]; then
			status=0
			run "$number" "$parts" >"$log.new" 2>&1 3<&- || status=$?
			echo "status $status" >>"$log.new"
			mv "$log.new" "$log"
		fi
		if [ "$number" = 0 ]; then
			grep -q '^status 0$' "$log" || die "the parts fail without a mutation, see $log"
		elif grep -q '^not ok' "$log"; then
			passed=$((passed + 1))
			echo "  ok - $name: $(grep -m 1 '^not ok' "$log" | cut -c10-100)"
		elif grep -q '^status 0$' "$log"; then
			failure "survives: $name, by $parts (log: $log)"
		else
			passed=$((passed + 1))
			echo "  ok - $name: $(tail -n 2 "$log" | head -n 1 | cut -c1-90)"
		fi
	done 3<"$DIR/table"
}

what=${1:-all}
shift || true
case $what in
host) host "$@" ;;
guest) guest "$@" ;;
all)
	host
	guest
	;;
*) die "$what is neither host nor guest nor all" ;;
esac
echo "mutants: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
