#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs tests/torture: on the test kernel with KASAN, lockdep and fault injection, on the one with KCSAN,
# and on the stock kernel, the only one with user namespaces. All random choices are drawn from SEED,
# which is printed; the same seed makes the same choices, if not at the same times. Each of several seeds
# has its own guest, TOGETHER of them at a time; several of these scripts may run at a time, with other
# kinds or seeds.
# DURATION is in seconds of the guest's time, including the boot; a slow machine or a short duration may
# take longer, since every actor takes part in each run.
# usage: torture.sh [kasan|kcsan|stock|all]	(DURATION=300 SEED=any or N[,N...] TOGETHER=1)

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/emulator.sh"
. "$TOP/scripts/trouble.sh"

duration=${DURATION:-300} together=${TOGETHER:-1}
seeds=${SEED:-$((SRANDOM % 1000000))} seeds=${seeds//,/ }
programs="abuse nth lists nobody groups"

# instrumented MODULES: true if the module's Rust code has KCSAN's calls, without which KCSAN ignores it.
instrumented()
{
	local calls
	calls=$("$TOP/scripts/enter.sh" nm -u "/cache/${1#"$IOSTAT_CACHE"/}/src/iostat.o")
	[[ $calls == *__tsan_write8* && $calls == *__tsan_atomic64_load* ]]
}

# payload DIR MODULES: copies all files that a guest needs except its settings.
payload()
{
	local program
	mkdir -p "$1"
	cp "$TOP"/tests/guest/lib/{lib,tap,balance,growth,leaks}.sh "$TOP"/tests/torture/*.sh "$TOP/tests/torture/run" \
		"$2"/stripped/*.ko "$1"
	for program in $programs; do
		"$TOP/scripts/enter.sh" gcc -O2 -Wall -Wextra -Werror -static -Iinclude/uapi \
			-o "/cache/${1#"$IOSTAT_CACHE"/}/$program" "tests/torture/$program.c"
	done
}

# prepare KIND: sets kernels[KIND] and payloads[KIND].
prepare()
{
	local modules
	case $1 in
	kasan) kernels[$1]=$("$TOP/scripts/testkernel.sh" debug) ;;
	kcsan) kernels[$1]=$("$TOP/scripts/testkernel.sh" kcsan) ;;
	stock) kernels[$1]=$("$TOP/scripts/kernel.sh") ;;
	esac
	case $1 in
	stock) modules=$("$TOP/scripts/build.sh" "${kernels[$1]}") ;;
	*) modules=$("$TOP/scripts/build.sh" "${kernels[$1]}" LLVM=-19) ;;
	esac
	[ "$1" != kcsan ] || instrumented "$modules" || die "the module's Rust code is built without KCSAN's calls"
	payloads[$1]=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
	payload "${payloads[$1]}" "$modules"
}

# chamber KIND SECONDS SEED: runs one guest.
chamber()
{
	local kind=$1 seconds=$2 seed=$3 trouble=$TROUBLE dir=$runs/$1-$3 status=0 p f options
	# A busy host may delay the guest: longer limits before the kernel reports a lockup.
	local patient="log_buf_len=4M watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60"
	case $kind in
	kasan)
		options=(--bpftrace --memory 3072 --disk 64M --nvme 64M
			--append "$patient kasan_multi_shot kunit.enable=0")
		;;
	kcsan)
		trouble=$TROUBLE_KCSAN
		options=(--memory 1024 --disk 64M
			--append "$patient kcsan.skip_watch=200 kcsan.udelay_task=100")
		;;
	stock) options=(--bpftrace --memory 3072 --disk 64M --nvme 64M --append "$patient") ;;
	esac
	rm -rf "$dir"
	mkdir -p "$dir"
	cp -r "${payloads[$kind]}" "$dir/payload"
	printf 'SEED=%s SECONDS_GIVEN=%s\n' "$seed" "$seconds" >"$dir/payload/settings"
	echo "$trouble" >"$dir/payload/trouble"
	echo "  $kind: seed $seed, $seconds s (log: $dir/console)"
	boot()
	{
		# The limit on silence applies first; the other one is much longer.
		"$TOP/scripts/vm.sh" --cpus 2 --silence 600 --timeout $((seconds * 5 + 3600)) --trouble "$trouble" \
			--out "$dir" "${options[@]}" "${kernels[$kind]}" "$dir/payload" 2>&1 | tee "$dir/live" |
			{ grep --line-buffered -vE '^\[ *[0-9.]+\]' || true; } | sed -u "s/^/  $label/" || status=$?
	}
	boot
	if emulator_failed "$status" "$dir/live"; then
		mv "$dir/live" "$dir/lost"
		echo "  $kind: the emulator failed (log: $dir/lost): the guest is started again"
		status=0
		boot
	fi
	case $status in
	130 | 143) exit "$status" ;; # interrupted
	esac
	rm -r "$dir/payload"
	p=$(grep -c '^ok' "$dir/live") || true
	f=$(grep -c '^not ok' "$dir/live") || true
	# The guest did not end by itself, or the kernel complained outside of a round.
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		echo "  not ok - $kind: the guest ended with status $status"
		f=1
	fi
	echo "$p $f" >"$dir/result"
	echo "  $kind: seed $seed: $p passed, $f failed"
	[ "$f" = 0 ] || echo "  replay with: make torture KIND=$kind SEED=$seed DURATION=$seconds"
}

# start KIND SECONDS SEED: runs a guest in the background, in a process group of its own, so that an
# interrupt can end it.
start()
{
	local label=
	((together == 1)) || label="$1 $3: "
	while (($(jobs -rp | wc -l) >= together)); do
		wait -n || true
	done
	set -m
	locked "torture/$CLONE/$1-$3" chamber "$@" &
	set +m
	pids+=($!)
}

stop()
{
	local pid
	for pid in "${pids[@]}"; do
		kill -TERM -- "-$pid" 2>/dev/null || true
	done
	wait
	exit 130
}

case ${1:-all} in
all) kinds="kasan kcsan" ;;
kasan | kcsan | stock) kinds=$1 ;;
*) die "there is no kind $1; choose one of: kasan kcsan stock all" ;;
esac
need_root
declare -A kernels=() payloads=() takes
takes=([kasan]=$duration [kcsan]=$duration [stock]=$duration)
[ "${1:-all}" != all ] || takes=([kasan]=$((duration * 2 / 3)) [kcsan]=$((duration / 3)))
runs=$IOSTAT_CACHE/torture/$CLONE
mkdir -p "$runs"
# Removes the files of runs that are older than two weeks.
find "$runs" -mindepth 1 -maxdepth 1 -mtime +14 -exec rm -rf {} +
trap 'rm -rf "${payloads[@]}"' EXIT
pids=()
trap stop INT TERM HUP
for kind in $kinds; do
	prepare "$kind"
done
for seed in $seeds; do
	for kind in $kinds; do
		rm -f "$runs/$kind-$seed/result"
		start "$kind" "${takes[$kind]}" "$seed"
	done
done
for pid in "${pids[@]}"; do
	wait "$pid" || true
done
passed=0 failed=0
for seed in $seeds; do
	for kind in $kinds; do
		read -r p f <"$runs/$kind-$seed/result" || p=0 f=1
		passed=$((passed + p)) failed=$((failed + f))
	done
done
echo "torture: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
