#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mutation tests: the code is changed in one place, and a test must fail.
#
# host: floor 0, changed by cargo-mutants, against the host tests. Most mutants are in one build, and are enabled one
#	after another (tests/mutants/switched.py); cargo-mutants builds the others. A mutant that survives must be in
#	tests/mutants/survivors.txt with its reason, and a listed one must survive. A file whose mutants are all
#	killed or listed is written to tests/mutants/results.txt, which belongs to the repository, and is not run
#	again until its code changes; a file that is named is run whatever the results say. Mutants that are known to be
#	killed, from lists in the cache, are not run again in a file of the same content, as in an interrupted run.
# guest: floors 1 to 3, by tests/mutants/guest.txt: one module has all of these changes, and a parameter
#	enables one of them, in a guest of its own. There a check of the listed parts of the guest area must fail, the
#	kernel must complain, or the guest must be ended twice. Without a change the parts must pass. Those that were
#	killed are in results.txt too, with the code of the changed file, of the block in guest.txt and of the parts.
#
# usage: mutants.sh all | host [FILE...] | guest [NAME...]

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/emulator.sh"
. "$(dirname "$0")/trouble.sh"
need_root
cd "$TOP"

VERSION=26.0.0 # the last version that the build root's rustc can build
DIR=$IOSTAT_CACHE/mutants-$CLONE
RESULTS=tests/mutants/results.txt
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

# digest: prints a short name of the content of standard input.
digest()
{
	sha256sum | cut -c1-16
}

# code FILE: prints the lines of a Rust file that are not comments.
code()
{
	grep -vE '^[[:space:]]*(//.*)?$' "$1"
}

# result NAME HASH: prints what results.txt has after these two words; nothing if it has another content.
result()
{
	awk -v name="$1" -v hash="$2" '$1 == name && $2 == hash { print $3, $4 }' "$RESULTS"
}

# record NAME HASH [NUMBER NUMBER]: writes a result in place of an older one.
record()
{
	{
		grep '^#' "$RESULTS"
		{
			awk -v name="$1" '!/^#/ && $1 != name' "$RESULTS"
			echo "$*"
		} | LC_ALL=C sort
	} >"$RESULTS.new"
	mv "$RESULTS.new" "$RESULTS"
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

# known FILE: prints the name of the list of mutants that are done in a file of this content, in any clone: "killed
# NAME", or "unviable NAME" if it does not compile.
known()
{
	echo "$IOSTAT_CACHE/mutants-known/$(digest <"$1")-$(basename "$1")"
}

# harvest: adds what a run has found, which may have been interrupted, to these lists.
harvest()
{
	local run=$DIR/run/mutants.out lists=$DIR/lists file
	[ -e "$DIR/ran.files" ] || return 0
	{
		sed -s 's/^/killed /' "$lists/killed" "$run/caught.txt" "$run/timeout.txt" 2>/dev/null || true
		sed -s 's/^/unviable /' "$lists/unviable" "$run/unviable.txt" 2>/dev/null || true
	} >"$DIR/found"
	while read -r file; do
		{
			cat "$(known "$DIR/ran/$file")" 2>/dev/null || true
			grep -F " $file:" "$DIR/found" || true
		} | sort -u >"$DIR/new"
		mv "$DIR/new" "$(known "$DIR/ran/$file")"
	done <"$DIR/ran.files"
}

# copy_floor0: copies what is built.
copy_floor0()
{
	copy_to "$DIR/floor0" Cargo.toml src include rust/kernel/below.rs rust/kernel/hint.rs tests/host tests/mutants \
		bench/native tools/iostat-map
}

# begin: copies what is tested of $files, and writes what is known of them to the lists.
begin()
{
	local file
	rm -rf "$DIR/run" "$DIR/lists" "$DIR/ran"
	mkdir -p "$DIR/run/mutants.out" "$DIR/lists"
	copy_to "$DIR/ran" $files
	copy_floor0
	mkdir -p "$DIR/floor0/.cargo"
	printf '%s\n' '[source.crates-io]' 'replace-with = "debian"' '[source.debian]' \
		'directory = "/usr/share/cargo/registry"' '[net]' 'offline = true' '[profile.dev]' 'debug = false' \
		'[profile.switched]' 'inherits = "dev"' 'opt-level = 1' \
		'[target.x86_64-unknown-linux-gnu]' 'rustflags = ["-Clink-arg=-B/usr/lib/llvm-19/bin", "-Clink-arg=-fuse-ld=lld"]' \
		>"$DIR/floor0/.cargo/config.toml"
	for file in $files; do
		cat "$(known "$file")" 2>/dev/null || true
	done >"$DIR/before"
	sed -n 's/^killed //p' "$DIR/before" >"$DIR/lists/killed"
	sed -n 's/^unviable //p' "$DIR/before" >"$DIR/lists/unviable"
	touch "$DIR/lists/lived"
	for file in $files; do
		listed "$file"
	done >"$DIR/lists/listed"
}

# in_root NAME [VARIABLE=VALUE...] COMMAND...: runs a command in the copy, with its output in a log.
in_root()
{
	local log=$LOGS/mutants-$1.log target=
	shift
	[ "$1" != RUSTFLAGS='--cfg loom' ] || target=-loom
	"$TOP/scripts/enter.sh" env -C "/cache/mutants-$CLONE/floor0" PATH="/cache/cargo-mutants/bin:/usr/bin:/bin" \
		CARGO_HOME=/cache/cargo CARGO_TARGET_DIR="/cache/mutants-$CLONE/target$target" "$@" >"$log" 2>&1
}

# switched: runs all mutants of $files that can be enabled at run time in one build.
switched()
{
	in_root switched python3 -B tests/mutants/switched.py . "/cache/mutants-$CLONE/lists" $files || {
		harvest
		die "not all mutants ran: $(tail -n 1 "$LOGS/mutants-switched.log") (log: $LOGS/mutants-switched.log)"
	}
	harvest
	grep '^  [0-9b]' "$LOGS/mutants-switched.log" || true
}

# stage NAME SECONDS [VARIABLE=VALUE...] -- CARGO-ARGUMENT...: runs all other mutants of $files that no earlier stage
# has killed, with a build of each. A test that takes more than SECONDS of processor time is one that a mutant never
# ends. Building and running get the same arguments, so that nothing else is built. The tests without a mutant are
# those of the host area.
stage()
{
	local name=$1 limit=$2 env=() status=0 file arguments=()
	shift 2
	while [ "$1" != -- ]; do
		env+=("$1")
		shift
	done
	shift
	rm -rf "$DIR/run"
	mkdir -p "$DIR/run/mutants.out"
	for file in $files; do
		cat "$(known "$file")" >>"$DIR/run/known"
		arguments+=(--file "$file")
	done
	sed 's/^[a-z]* //' "$DIR/run/known" | cat - "$DIR/lists/lived" >"$DIR/run/mutants.out/previously_caught.txt"
	in_root "$name" "${env[@]}" CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="prlimit --cpu=$limit --" cargo mutants \
		--in-place --iterate --output "/cache/mutants-$CLONE/run" --no-shuffle --colors never --caught --unviable \
		--baseline skip --timeout $((20 * limit)) --build-timeout 3000 --exclude-re 'tests::' \
		"${arguments[@]}" "${@/#/--cargo-arg=}" || status=$?
	harvest
	# 2: some survive; 3: some time out.
	[[ $status = [023] ]] ||
		die "not all mutants ran: $(tail -n 3 "$LOGS/mutants-$name.log" | tr '\n' ' ') (log: $LOGS/mutants-$name.log)"
	# There is none if no mutant was left.
	touch "$DIR/run/mutants.out/missed.txt"
	echo "  $name: $(wc -l <"$DIR/run/mutants.out/missed.txt") mutants live that have a build of their own"
}

# run_files FILE...: runs all mutants of these files.
run_files()
{
	local files=$*
	begin
	switched
	copy_floor0
	# The fastest tests first: they kill most mutants.
	stage units 30 -- --lib
	[ ! -s "$DIR/run/mutants.out/missed.txt" ] ||
		stage properties 300 PROPTEST_CASES=16 -- --profile=switched --test properties
	[ ! -s "$DIR/run/mutants.out/missed.txt" ] || stage more-cases 900 -- --profile=switched --test properties
	[ ! -s "$DIR/run/mutants.out/missed.txt" ] ||
		stage loom 1800 RUSTFLAGS='--cfg loom' -- --release --test interleavings
	# As the list has them, without lines and columns.
	cat "$DIR/run/mutants.out/missed.txt" "$DIR/lists/lived" |
		sed -E 's/^([^:]*):[0-9]+:[0-9]+: /\1: /' | sort >"$DIR/missed"
	for file; do
		report "$file"
	done
}

# report FILE: records the result if no mutant is left without a reason.
report()
{
	local name killed survive before=$failed
	grep -F "$1: " "$DIR/missed" >"$DIR/missed.file" || true
	listed "$1" >"$DIR/listed"
	while read -r name; do
		failure "survives, and is not listed: $name"
	done < <(comm -23 "$DIR/missed.file" "$DIR/listed")
	while read -r name; do
		failure "listed, and does not survive: $name"
	done < <(comm -13 "$DIR/missed.file" "$DIR/listed")
	killed=$(grep -c '^killed' "$(known "$1")" || true) survive=$(wc -l <"$DIR/missed.file")
	echo "  $1: $killed killed, $survive survive, $(grep -c '^unviable' "$(known "$1")" || true) do not compile"
	passed=$((passed + killed))
	[ "$failed" != "$before" ] || record "$1" "$(code "$DIR/ran/$1" | digest)" "$killed" "$survive"
}

# listed FILE: prints its mutants of the list of survivors.
listed()
{
	grep -vE '^(#|$)' tests/mutants/survivors.txt | sed 's/ # .*//' | grep -F "$1: " | sort || true
}

# host FILE...: runs these files, or those without a result.
host()
{
	local list=tests/mutants/survivors.txt all known=0 killed survive file run=()
	all=$(git ls-files src/acct.rs src/acct src/abi.rs src/abi)
	install_tool
	mkdir -p "$DIR" "$IOSTAT_CACHE/mutants-known"
	while read -r name; do
		failure "no reason: $name"
	done < <(grep -vE '^(#|$)|^[^#]+ # .+$' "$list")
	for file in ${*:-$all}; do
		read -r killed survive <<<"$(result "$file" "$(code "$file" | digest)")"
		if [ $# = 0 ] && [ -n "$killed" ] && [ "$survive" = "$(listed "$file" | wc -l)" ]; then
			passed=$((passed + killed)) known=$((known + 1))
		else
			run+=("$file")
		fi
	done
	[ ${#run[@]} = 0 ] || run_files "${run[@]}"
	echo "  host: $passed killed; $known files are as in $RESULTS"
}

# guest NAME...: runs these mutants of the list, or those without a result.
guest()
{
	local kernel modules='' copy=$DIR/tree out=$DIR/guest key number name hash parts log status known=0
	kernel=$("$TOP/scripts/kernel.sh")
	mkdir -p "$out"
	copy_to "$copy" .
	# What an interrupted run has found is used again if all sources and tests are the same.
	key=$(cd "$copy" && grep -E '^(Kbuild|(include|rust|src|tests/(guest|modules|mutants))/)' "$copy.files" |
		grep -vx "$RESULTS" | xargs -d '\n' sha256sum | digest)
	"$TOP/scripts/enter.sh" python3 -B tests/mutants/apply.py "/cache/mutants-$CLONE/tree" >"$DIR/table" ||
		die "tests/mutants/guest.txt does not fit the tree"
	for name; do
		awk -v name="$name" '$2 == name { found = 1 } END { exit !found }' "$DIR/table" ||
			die "there is no mutation $name in tests/mutants/guest.txt"
	done
	# run NUMBER PARTS: boots a guest; its tests have MUTANT in the environment. Writes $log, unless it is there.
	run()
	{
		local status=0
		[ -n "$modules" ] || modules=$(CLONE=mutants-$CLONE "$copy/scripts/build.sh" "$kernel")
		[ ! -s "$log" ] || return 0
		CLONE=mutants-$CLONE "$copy/scripts/guest.sh" "$kernel" "$modules" test.sh --disk 256M --nvme 128M --paths 128M \
			--memory 2048 --timeout 900 --append "nvme.poll_queues=1 MUTANT=$1 PARTS=\"$2\"" >"$log.new" 2>&1 || status=$?
		echo "status $status" >>"$log.new"
		mv "$log.new" "$log"
	}
	while read -r number name hash parts <&3; do
		if [ $# != 0 ]; then
			case " $* " in *" $name "*) ;; *) continue ;; esac
		elif [ -n "$(result "guest/$name" "$hash")" ]; then
			passed=$((passed + 1)) known=$((known + 1))
			continue
		fi
		# Without a change these parts pass.
		log=$out/$key-none-${parts// /-}.log
		run 0 "$parts" 3<&-
		grep -q '^status 0$' "$log" || {
			failure "$name: $parts fail without it, see $log"
			rm -f "$log.failed" && mv "$log" "$log.failed"
			continue
		}
		log=$out/$key-$name.log
		[ $# = 0 ] || rm -f "$log"
		run "$number" "$parts" 3<&-
		# A guest may have been too slow: if it is ended twice, the mutant does not end.
		status=$(sed -n 's/^status //p' "$log")
		if [ "$status" = 124 ] || emulator_failed "$status" "$log"; then
			mv "$log" "$log.ended"
			run "$number" "$parts" 3<&-
		fi
		if grep -q '^status 0$' "$log"; then
			failure "survives: $name, by $parts (log: $log)"
			continue
		elif grep -q '^not ok' "$log"; then
			echo "  ok - $name: $(grep -m 1 '^not ok' "$log" | cut -c10-100)"
		elif grep -q '^status 124$' "$log"; then
			echo "  ok - $name: the guest was ended twice"
		elif ! emulator_failed "$(sed -n 's/^status //p' "$log")" "$log" && grep -qE "$TROUBLE" "$log"; then
			echo "  ok - $name: $(grep -m 1 -E "$TROUBLE" "$log" | cut -c1-90)"
		else
			failure "no check failed, and the kernel did not complain: $name (log: $log)"
			rm -f "$log.failed" && mv "$log" "$log.failed"
			continue
		fi
		passed=$((passed + 1))
		record "guest/$name" "$hash" 1 0
	done 3<"$DIR/table"
	echo "  guest: $known are as in $RESULTS"
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
