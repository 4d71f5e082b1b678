#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs blktests with the module and without it: each test must have the same status. BLKTESTS is a
# checkout, which is copied and not written to. The last line is "blktests: N passed, N failed".
# usage: nightly-blktests.sh	(BLKTESTS=/path BLKTESTS_RUN="block loop/001")

. "$(dirname "$0")/lib.sh"

RUN=${BLKTESTS_RUN:-block loop nvme scsi zbd dm throtl ublk}
passed=0 failed=0

# Builds the programs in blktests' src, and the disk image of the root with the kernel's modules.
prepare()
{
	local copy=$work/payload/blktests
	mkdir -p "$work/payload"
	git -C "$BLKTESTS" archive --prefix=blktests/ HEAD | tar -C "$work/payload" -xf -
	IN_ROOT=blktests "$TOP/scripts/enter.sh" make -s -C "/cache/${copy#"$IOSTAT_CACHE"/}/src"
	[ -e "$image" ] || "$TOP/scripts/enter.sh" bash -euc '
		mkdir /tmp/root
		mount --bind "$1" /tmp/root
		mkdir -p /tmp/root/usr/lib/modules
		mount --bind "$2" /tmp/root/usr/lib/modules
		mke2fs -q -F -t ext4 -d /tmp/root "$3.tmp" 4G
		mv "$3.tmp" "$3"' sh "/cache/$(basename "$root")" \
		"/cache/${kernel#"$IOSTAT_CACHE"/}/modules/lib/modules" "/cache/${image#"$IOSTAT_CACHE"/}"
}

# run with|without ROUND TEST...: leaves its results in $work/ROUND/with or without.
run()
{
	local how=$1 round=$2 out=$work/$2/$1 status=0
	shift 2
	mkdir -p "$out"
	cp "$TOP/tests/guest/runs/blktests.sh" "$work/payload/run"
	cp "$modules/stripped/iostat.ko" "$work/payload"
	printf 'WITH=%s\nTESTS="%s"\n' "$how" "$*" >"$work/payload/settings"
	echo "  $how the module: $* (log: $out/log)"
	"$TOP/scripts/vm.sh" --image "$image" --disk 1G --nvme 1G --cpus 2 --memory 3072 --silence 1200 --timeout 36000 \
		--out "$out" "$kernel" "$work/payload" >"$out/log" 2>&1 || status=$?
	# 126: the kernel logged a warning, as some tests provoke; blktests evaluates those.
	case $status in 0 | 126) ;; *) echo "  $how the module the guest ended with status $status: $(tail -n 1 "$out/log")" ;; esac
	tar -C "$out" -xf "$out/results.tar" 2>/dev/null || true
	grep -r '^status' "$out/results" 2>/dev/null |
		sed -nE "s|^.*/results/(.*):status\t(.*)|\1 \2|p" | sort >"$out/statuses" || true
	grep -qx 'blktests: whole' "$out/log" || return 1
}

# compare ROUND: prints lines "TEST WITHOUT-STATUS WITH-STATUS"; "none" if a test has none.
compare()
{
	join -a 1 -a 2 -e none -o 0,1.2,2.2 "$work/$1/without/statuses" "$work/$1/with/statuses"
}

# round ROUND TEST...: fails if a guest did not run to its end.
round()
{
	local whole=0
	run without "$@" || whole=1
	run with "$@" || whole=1
	return $whole
}

main()
{
	local test without with differ skipped=0
	rm -rf "$work"
	step "blktests: programs and image" "120 s" prepare
	if ! round 1 $RUN; then
		echo "  not ok - blktests: not all tests were run"
		failed=1
	fi
	# The status of some tests varies: those that differ are run once more.
	differ=$(compare 1 | awk '$2 != $3 { n = split($1, part, "/"); print part[n - 1] "/" part[n] }' | sort -u)
	[ -z "$differ" ] || round 2 $differ || failed=1
	while read -r test without with <&3; do
		if [ "$without" != "$with" ] && [ -e "$work/2" ]; then
			echo "  $test: first $without without the module and $with with it; once more"
			read -r _ without with <<<"$(compare 2 | grep "^$test ")" || true
		fi
		if [ "$without" != "$with" ]; then
			echo "  not ok - $test: $without without the module, $with with it"
			failed=$((failed + 1))
		elif [ "$without" = not ]; then
			skipped=$((skipped + 1))
		else
			echo "  ok - $test: $with"
			passed=$((passed + 1))
		fi
	done 3< <(compare 1)
	echo "  $skipped tests are skipped by both"
	echo "blktests: $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

[ -e "${BLKTESTS:-/nowhere}/check" ] ||
	die "set BLKTESTS to a checkout of blktests (git clone https://github.com/linux-blktests/blktests)"
need_root
kernel=$("$TOP/scripts/kernel.sh")
modules=$("$TOP/scripts/build.sh" "$kernel" 2>/dev/null)
root=$("$TOP/scripts/root.sh" blktests)
work=$IOSTAT_CACHE/blktests-$CLONE
image=$IOSTAT_CACHE/guest/blktests-$(basename "$root")-$(cat "$kernel/release").img
locked blktests main
