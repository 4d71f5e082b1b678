#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the tests that take hours, one area at a time. The counts of a completed area are cached by
# commit; a second run of the same commit prints them and runs the missing areas. An area that is named
# runs again. The result of each area is written to the table in Documentation/testing.rst. The last line is the sum.
# usage: nightly.sh [all|AREA...]

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/areas.sh"

# NAME COMMAND. A command ends with "AREA: N passed, N failed", as those of test.sh do.
AREAS="
	torture-kasan	env SEED=77001 DURATION=3600 scripts/torture.sh kasan
	torture-kcsan	env SEED=77001 DURATION=3600 scripts/torture.sh kcsan
	torture-seeds	env SEED=1303,40961,852177 DURATION=1200 scripts/torture.sh kasan
	torture-stock	env SEED=77001 DURATION=1200 scripts/torture.sh stock
	guest-rt	env FLAVOUR=rt scripts/test-guest.sh
	guest-generic	env FLAVOUR=generic scripts/test-guest.sh
	guest-sid	env SUITE=sid THOROUGH=1 scripts/test-guest.sh
	guest-resolute	env SUITE=resolute FLAVOUR=generic scripts/test-guest.sh
	guest-arm64	env ARCH=arm64 scripts/test-guest.sh
	guest-arm64-16k	env ARCH=arm64 FLAVOUR=16k scripts/test-guest.sh
	host		env FUZZ_SECONDS=300 scripts/test-host.sh
	metrics		env SCRAPE_SECONDS=60 scripts/test-metrics.sh
	kdir		scripts/test-kdir.sh
	packages	env DKMS=1 scripts/test-packages.sh
	system		scripts/test-system.sh
	many		env DISKS=4096 scripts/test-many.sh
	mutants		scripts/mutants.sh all
	compat		scripts/test-compat.sh
	blktests	scripts/nightly-blktests.sh
"

TABLE=Documentation/testing.rst

# Prints the commit, and a hash of uncommitted changes if any, but for those of the table.
version()
{
	local changes
	changes=$({ git diff HEAD -- . ":!$TABLE"; git ls-files -o --exclude-standard -z | xargs -0r sha256sum; } | sha256sum | cut -c1-8)
	git rev-parse --short=12 HEAD
	[ -z "$(git status --porcelain -- . ":!$TABLE")" ] || echo "-$changes"
}

# note AREA SECONDS COMMAND...: writes a line of the table with $p and $f, in place of an earlier one; none with uncommitted
# changes, as the line names a commit.
note()
{
	local name=$1 minutes=$((($2 + 59) / 60)) seed='' word line
	shift 2
	[ -z "$(git status --porcelain -- . ":!$TABLE")" ] || return 0
	for word; do
		[[ $word != SEED=* ]] || seed=${word#SEED=}
	done
	printf -v line '%-19s  %-12s  %-10s  %-19s  %6d  %6d  %7d' "\`\`$name\`\`" \
		"$(git rev-parse --short=12 HEAD)" "$(date -u +%F)" "$seed" "$p" "$f" "$minutes"
	awk -v name="\`\`$name\`\`" -v line="$line" '
		/^area  .*  commit  / { table = 1 }
		table && /^===/ && rules++ { if (line) print line; table = 0; line = "" }
		table && line && (/^``/ && $1 >= name) { print line; line = ""; if ($1 == name) next }
		{ print }' "$TABLE" >"$dir/table"
	cat "$dir/table" >"$TABLE"
}

# area NAME COMMAND...: runs the area unless it has results.
area()
{
	local name=$1 result=$dir/$1 since
	shift
	if [ -n "$wanted" ]; then
		case " $wanted " in *" $name "*) ;; *) return 0 ;; esac
		rm -f "$result"
	fi
	if [ -e "$result" ]; then
		read -r p f <"$result"
		passed=$((passed + p)) failed=$((failed + f))
		echo "$name: $p passed, $f failed, in an earlier run (log: $result.log)"
		return 0
	fi
	echo "$name"
	since=$SECONDS
	if run_area "$name" "$result.log" "$@"; then
		echo "$p $f" >"$result"
	fi
	note "$name" $((SECONDS - since)) "$@"
}

need_root
cd "$TOP"
dir=$IOSTAT_CACHE/nightly/$(version | tr -d '\n')
mkdir -p "$dir"
wanted=$*
[ "$wanted" != all ] || wanted=''
for one in $wanted; do
	echo "$AREAS" | awk -v name="$one" '$1 == name { found = 1 } END { exit !found }' ||
		die "there is no nightly area $one; choose from: all $(echo $(echo "$AREAS" | awk '{ print $1 }'))"
done
while read -r name command <&3; do
	[ -z "$name" ] || area "$name" $command
done 3<<<"$AREAS"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
