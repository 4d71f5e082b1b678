#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture chamber of tests/torture: on the test kernel with KASAN, lockdep
# and fault injection, on the one with KCSAN, and on the stock kernel, which alone has
# user namespaces. All chance comes from SEED, which is printed; the same seed does the
# same things, if not at the same times. Several seeds have a guest each, one after the
# other or TOGETHER at a time; and so may several of these scripts run at a time, with
# other kinds or seeds.
# DURATION is in seconds, of a guest's time, boot included; a slow machine, or one that
# has little time, may take longer, since every actor takes part in any run.
# usage: torture.sh [kasan|kcsan|stock|all]	(DURATION=300 SEED=any or N[,N...] TOGETHER=1)

. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/trouble.sh"

duration=${DURATION:-300} together=${TOGETHER:-1}
seeds=${SEED:-$((SRANDOM % 1000000))} seeds=${seeds//,/ }
programs="abuse nth lists nobody"

# instrumented MODULES: without these calls in its Rust KCSAN sees nothing of it.
instrumented()
{
	local calls
	calls=$("$TOP/scripts/enter.sh" nm -u "/cache/${1#"$IOSTAT_CACHE"/}/src/iostat.o")
	[[ $calls == *__tsan_write8* && $calls == *__tsan_atomic64_load* ]]
}

# payload DIR MODULES: all that a guest needs but its settings.
payload()
{
	local program
	mkdir -p "$1"
	cp "$TOP"/tests/guest/{lib,tap,balance,growth}.sh "$TOP"/tests/torture/*.sh "$TOP/tests/torture/run" \
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
	[ "$1" != kcsan ] || instrumented "$modules" || die "KCSAN would not see the module's Rust"
	payloads[$1]=$(mktemp -d "$IOSTAT_CACHE/payload.XXXXXX")
	payload "${payloads[$1]}" "$modules"
}

# chamber KIND SECONDS SEED
chamber()
{
	local kind=$1 seconds=$2 seed=$3 trouble=$TROUBLE dir=$runs/$1-$3 status=0 p f options
	# A guest may itself be kept waiting by a busy machine: no lockup for that.
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
	# The limit is on silence; the other is far behind.
	"$TOP/scripts/vm.sh" --cpus 2 --silence 600 --timeout $((seconds * 5 + 3600)) --trouble "$trouble" \
		--out "$dir" "${options[@]}" "${kernels[$kind]}" "$dir/payload" 2>&1 | tee "$dir/live" |
		{ grep --line-buffered -vE '^\[ *[0-9.]+\]' || true; } | sed -u "s/^/  $label/" || status=$?
	case $status in
	130 | 143) exit "$status" ;; # interrupted
	esac
	rm -r "$dir/payload"
	p=$(grep -c '^ok' "$dir/live") || true
	f=$(grep -c '^not ok' "$dir/live") || true
	# A guest that did not end by itself, or a complaint that no round saw.
	if [ "$status" != 0 ] && [ "$f" = 0 ]; then
		echo "  not ok - $kind: the guest ended with status $status"
		f=1
	fi
	echo "$p $f" >"$dir/result"
	echo "  $kind: seed $seed: $p passed, $f failed"
	[ "$f" = 0 ] || echo "  replay with: make torture KIND=$kind SEED=$seed DURATION=$seconds"
}

# start KIND SECONDS SEED: a chamber in the background, in a process group of its own for
# an interrupt to end.
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
# What no run has touched for two weeks.
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
