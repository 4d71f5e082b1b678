#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture chamber of tests/torture: on the test kernel with KASAN, lockdep
# and fault injection, and on the one with KCSAN. All chance comes from SEED,
# which is printed; the same seed does the same things, if not at the same
# times. DURATION is in seconds, of guests' time, boots included.
# usage: torture.sh [kasan|kcsan|all]	(DURATION=300 SEED=of the clock)

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/trouble.sh"

passed=0 failed=0
duration=${DURATION:-300}
seed=${SEED:-$(date +%s)}

# instrumented MODULES: without these calls in its Rust KCSAN sees nothing of it.
instrumented()
{
	local calls
	calls=$("$TOP/scripts/enter.sh" nm -u "/cache/${1#"$IOSTAT_CACHE"/}/src/iostat.o")
	[[ $calls == *__tsan_write8* && $calls == *__tsan_atomic64_load* ]]
}

# payload DIR MODULES SECONDS TROUBLE
payload()
{
	local program
	cp "$TOP"/tests/guest/{lib,tap,balance,growth}.sh "$TOP"/tests/torture/* "$2"/stripped/*.ko "$1"
	for program in abuse nth lists; do
		"$TOP/scripts/enter.sh" gcc -O2 -static -Iinclude/uapi -o "/cache/${1#"$IOSTAT_CACHE"/}/$program" \
			"tests/torture/$program.c"
	done
	printf 'SEED=%s SECONDS_GIVEN=%s\n' "$seed" "$3" >"$1/settings"
	echo "$4" >"$1/trouble"
}

# chamber KIND KERNEL SECONDS VM-OPTION...
chamber()
{
	local kind=$1 kernel=$2 seconds=$3 trouble=$TROUBLE modules dir log status=0 p f
	shift 3
	[ "$kind" != kcsan ] || trouble=$TROUBLE_KCSAN
	modules=$("$TOP/scripts/build.sh" "$kernel" LLVM=-19)
	[ "$kind" != kcsan ] || instrumented "$modules" || die "KCSAN would not see the module's Rust"
	dir=$IOSTAT_CACHE/torture/$kind-$CLONE log=$IOSTAT_CACHE/torture/$kind-$CLONE/console
	rm -rf "$dir"
	mkdir -p "$dir/payload"
	payload "$dir/payload" "$modules" "$seconds" "$trouble"
	echo "  $kind: seed $seed, $seconds s (log: $log)"
	"$TOP/scripts/vm.sh" --cpus 2 --timeout $((seconds * 2 + 240)) --trouble "$trouble" --out "$dir" "$@" \
		"$kernel" "$dir/payload" 2>&1 | tee "$dir/live" |
		{ grep --line-buffered -vE '^\[ *[0-9.]+\]' || true; } | sed -u 's/^/  /' || status=$?
	case $status in
	130 | 143) exit "$status" ;; # interrupted
	esac
	p=$(grep -c '^ok' "$dir/live") || true
	f=$(grep -c '^not ok' "$dir/live") || true
	# A guest that did not end by itself, or a complaint that no round saw.
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		echo "  not ok - $kind: the guest ended with status $status"
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f))
	[ "$f" = 0 ] || echo "  replay with: make torture KIND=$kind SEED=$seed DURATION=$seconds"
}

main()
{
	local kernel
	# A guest may itself be kept waiting by a busy machine: no lockup for that.
	local patient="log_buf_len=4M watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"
	if [ "$kasan" != 0 ]; then
		kernel=$("$TOP/scripts/testkernel.sh" debug)
		chamber kasan "$kernel" "$kasan" --bpftrace --memory 3072 --disk 64M --nvme 64M \
			--append "$patient kasan_multi_shot kunit.enable=0"
	fi
	if [ "$kcsan" != 0 ]; then
		kernel=$("$TOP/scripts/testkernel.sh" kcsan)
		chamber kcsan "$kernel" "$kcsan" --memory 1024 --disk 64M \
			--append "$patient kcsan.skip_watch=200 kcsan.udelay_task=100"
	fi
	echo "torture: $passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

kasan=0 kcsan=0
case ${1:-all} in
all) kasan=$((duration * 2 / 3)) kcsan=$((duration / 3)) ;;
kasan) kasan=$duration ;;
kcsan) kcsan=$duration ;;
*) die "there is no kind $1; choose one of: kasan kcsan all" ;;
esac
need_root
locked torture main
