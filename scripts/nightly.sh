#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs the tests that take hours, one area at a time. The counts of a completed area are cached by
# commit; a second run of the same commit prints them and runs the missing areas. An area that is named
# runs again. The last line is the sum.
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
	guest-arm64	env ARCH=arm64 scripts/test-guest.sh
	guest-arm64-16k	env ARCH=arm64 FLAVOUR=16k scripts/test-guest.sh
	metrics		env SCRAPE_SECONDS=60 scripts/test-metrics.sh
	kdir		scripts/test-kdir.sh
	packages	env DKMS=1 scripts/test-packages.sh
	system		scripts/test-system.sh
	many		env DISKS=4096 scripts/test-many.sh
	mutants		scripts/mutants.sh all
	compat		scripts/test-compat.sh
	blktests	scripts/nightly-blktests.sh
"

# Prints the commit, and a hash of uncommitted changes if any.
version()
{
	local changes
	changes=$({ git diff HEAD; git ls-files -o --exclude-standard -z | xargs -0r sha256sum; } | sha256sum | cut -c1-8)
	git rev-parse --short=12 HEAD
	[ -z "$(git status --porcelain)" ] || echo "-$changes"
}

# area NAME COMMAND...: runs the area unless it has results.
area()
{
	local name=$1 result=$dir/$1
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
	if run_area "$name" "$result.log" "$@"; then
		echo "$p $f" >"$result"
	fi
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
