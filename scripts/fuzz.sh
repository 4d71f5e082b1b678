#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzes floor 0 from the corpus kept in fuzz/corpus, with rustc's coverage
# counters and clang's libFuzzer. The corpus of a target is one file, with an input per line, in base64.
#
# usage: fuzz.sh [all|TARGET] [SECONDS]   look for failures
#        fuzz.sh TARGET FILE              replay one input
#        fuzz.sh TARGET keep              add the inputs found by the last run to the corpus
#
# SANITIZE=address adds AddressSanitizer: three times slower, and only useful for
# a target with unsafe code, which floor 0 forbids.

. "$(dirname "$0")/lib.sh"
need_root
cd "$TOP"

targets=$(basename -s .rs fuzz/fuzz_targets/*.rs)
target=${1:-all} what=${2:-60}
case " all $(echo $targets) " in
*" $target "*) ;;
*) die "there is no fuzz target $target; choose one of: all" $targets ;;
esac
[ "$target" = all ] || targets=$target

flags="-D warnings -Clinker=clang-19 -Clink-arg=-fsanitize=fuzzer${SANITIZE:+,$SANITIZE} -Cpasses=sancov-module"
for option in level=4 inline-8bit-counters pc-table trace-compares; do
	flags+=" -Cllvm-args=-sanitizer-coverage-$option"
done
# rustc accepts the next two flags only with RUSTC_BOOTSTRAP.
[ -z "${SANITIZE:-}" ] || flags+=" -Zsanitizer=$SANITIZE -Zexternal-clangrt"
flavour=-fuzz${SANITIZE:+-$SANITIZE} triple=x86_64-unknown-linux-gnu
log=$LOGS/fuzz-build.log
# --target: the flags apply to the fuzzed code, not to build scripts.
"$TOP/scripts/enter.sh" env TARGET="$flavour" RUSTFLAGS="$flags" ${SANITIZE:+RUSTC_BOOTSTRAP=1} scripts/cargo.sh \
	build --release --target $triple --manifest-path fuzz/Cargo.toml >"$log" 2>&1 ||
	{ grep -A5 '^error' "$log" | head -n 20; die "fuzz targets do not build, see $log"; }

# fuzzer TARGET ARGUMENT...: runs a fuzz target.
fuzzer()
{
	local name=$1
	shift
	# A page of text needs the longest inputs; with longer ones the models are slow.
	"$TOP/scripts/enter.sh" env ASAN_OPTIONS=detect_leaks=0 \
		"/cache/target-$CLONE$flavour/$triple/release/$name" -max_len=512 "$@"
}

# unpack TARGET: writes its corpus to files of an empty directory, as libFuzzer wants them.
unpack()
{
	local name=$1 dir=$IOSTAT_CACHE/fuzz-$CLONE/$1/corpus line number=0
	rm -rf "$dir"
	mkdir -p "$dir"
	[ -e "fuzz/corpus/$name" ] || return 0
	while read -r line; do
		number=$((number + 1))
		base64 -d <<<"$line" >"$dir/$number"
	done <"fuzz/corpus/$name"
}

# fuzz TARGET SECONDS: prints a line of counts, and the failure if one was found.
fuzz()
{
	local name=$1 seconds=$2 found=fuzz-$CLONE/$1 log=$LOGS/fuzz-$1.log status=0 input
	rm -rf "${IOSTAT_CACHE:?}/$found"
	mkdir -p "$IOSTAT_CACHE/$found/new"
	unpack "$name"
	fuzzer "$name" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="/cache/$found/" \
		"/cache/$found/new" "/cache/$found/corpus" >"$log" 2>&1 || status=$?
	awk -v name="$name" -v status=$status '
		$3 == "cov:" { coverage = $4 }
		$2 == "INITED" { kept = coverage }
		/^#[0-9]/ { runs = substr($1, 2) }
		END { printf "  %s: %s, %d inputs run, coverage %d from the corpus, %d at the end\n",
			name, status ? "FAILED" : "passed", runs, kept, coverage }' "$log"
	[ "$status" != 0 ] || grep -q INITED "$log" || die "$name ran nothing, see $log"
	[ $status != 0 ] || return 0
	grep -A4 -m1 -E 'panicked at|ERROR:' "$log" | sed 's/^/    /' || true
	input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
	[ -z "$input" ] || echo "    replay it: scripts/fuzz.sh $name $IOSTAT_CACHE/${input#/cache/} (log: $log)"
	return 1
}

keep()
{
	local name=$1 merged=fuzz-$CLONE/$1/merged file
	rm -rf "${IOSTAT_CACHE:?}/$merged"
	mkdir -p "$IOSTAT_CACHE/$merged"
	unpack "$name"
	# Edges only, not how often each is taken: the corpus stays small and readable.
	fuzzer "$name" -merge=1 -use_counters=0 "/cache/$merged" "/cache/fuzz-$CLONE/$name/corpus" \
		"/cache/fuzz-$CLONE/$name/new" >"$LOGS/fuzz-merge.log" 2>&1 ||
		die "merging failed, see $LOGS/fuzz-merge.log"
	for file in "$IOSTAT_CACHE/$merged"/*; do
		base64 -w 0 "$file"
		echo
	done | LC_ALL=C sort >"fuzz/corpus/$name"
	echo "  $name: $(wc -l <"fuzz/corpus/$name") inputs kept"
}

failed=0 running=()
# Process groups of their own, so that an interrupt ends the fuzzers as well.
set -m
trap 'kill -- "${running[@]/#/-}" 2>/dev/null; exit 130' INT TERM
for one in $targets; do
	if [ "$what" = keep ]; then
		keep "$one"
	elif [ -f "$what" ]; then
		# The caller's directories are not visible in the root.
		cp "$what" "$IOSTAT_CACHE/fuzz-replay"
		fuzzer "$one" "/cache/fuzz-replay" || failed=1
	elif [[ "$what" =~ ^[0-9]+$ ]]; then
		fuzz "$one" "$what" &
		running+=($!)
	else
		die "$what is neither a time in seconds nor a file"
	fi
done
for pid in "${running[@]}"; do
	wait "$pid" || failed=1
done
exit $failed
