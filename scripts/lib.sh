# SPDX-License-Identifier: GPL-2.0
# Shared by every script: the cache's location, and the output of progress and failures. Sourced,
# never run.

set -euo pipefail

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
IOSTAT_CACHE=${IOSTAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/iostat}
# Separates clones that share a cache; inside the build root each clone is at /src.
CLONE=${CLONE:-$(echo "$TOP" | sha256sum | cut -c1-8)}
# A directory per clone: the test scripts count the lines of their logs.
LOGS=$IOSTAT_CACHE/log/$CLONE
JOBS=$(nproc)
mkdir -p "$LOGS" 2>/dev/null || {
	echo "error: cannot create $LOGS; set IOSTAT_CACHE to a directory you can write" >&2
	exit 1
}

# Architecture and flavour of the kernel to build for and to boot, as Debian calls them; the ordinary kernel, whose name
# has no flavour, is called generic.
case ${ARCH:-amd64} in
amd64 | x86_64 | x86) ARCH=amd64 ;;
arm64 | aarch64) ARCH=arm64 ;;
*)
	echo "error: ARCH=$ARCH is not supported; choose one of: amd64 arm64" >&2
	exit 1
	;;
esac
FLAVOUR=${FLAVOUR:-cloud}
# The suite of Debian, or of Ubuntu.
SUITE=${SUITE:-trixie-backports}

# series_of FLAVOUR: prints its supported series, newest first. scripts/kernels.txt names them, and no script.
series_of()
{
	awk -v row="$1 $ARCH $SUITE" '!/^#/ && $2 " " $3 " " $5 == row { print $1 }' "$TOP/scripts/kernels.txt" | xargs
}
SERIES=${SERIES:-$(series_of "$FLAVOUR")}
# The root to build in: see scripts/root.sh.
case "$ARCH $SUITE" in
"amd64 trixie-backports") BUILD_ROOT=build ;;
*" trixie-backports") BUILD_ROOT=$ARCH ;;
*) BUILD_ROOT=$SUITE ;;
esac

die()
{
	echo "error: $*" >&2
	exit 1
}

need_root()
{
	[ "$(id -u)" = 0 ] || die "this needs root (chroot and mmdebstrap); run it with sudo"
}

# need_space DIR MIB: fails before a long step, not in the middle of it.
need_space()
{
	local free
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge "$2" ] ||
		die "$1 has $free MiB free and this step needs $2; free some or set IOSTAT_CACHE elsewhere"
}

# locked NAME COMMAND...: runs one COMMAND of this name at a time across all runs; the second run waits
# and then usually finds the work done.
locked()
{
	local lock=$IOSTAT_CACHE/$1.lock
	shift
	(
		flock -n 9 || {
			echo "  waiting for another run that holds $lock"
			flock 9
		}
		"$@"
	) 9>"$lock"
}

# step TITLE EXPECTED COMMAND...: runs COMMAND with its output in a log, and shows the title, the time
# and the log's last line.
step()
{
	local title=$1 expected=$2 log pid start=$SECONDS rc=0 last
	shift 2
	log=$LOGS/$(echo "$title" | tr -cs 'A-Za-z0-9.\n' '-').log
	# A process group of its own, so that an interrupt ends the whole tree: compilers would go on writing
	# to the directory of the next build.
	set -m
	"$@" >"$log" 2>&1 9>&- </dev/null &
	pid=$!
	set +m
	trap 'kill -- -$pid 2>/dev/null; wait "$pid"; exit 130' INT TERM
	if [ -t 1 ]; then
		while kill -0 "$pid" 2>/dev/null; do
			last=$(tail -c 300 "$log" | tr '\r' '\n' | tail -n 1 | tr -cd '[:print:]')
			printf '\r\033[K  %s  %ds of about %s  %.50s' "$title" $((SECONDS - start)) "$expected" "$last"
			sleep 0.5
		done
		printf '\r\033[K'
	else
		echo "  $title (about $expected)"
	fi
	wait "$pid" || rc=$?
	trap - INT TERM
	if [ $rc != 0 ]; then
		echo "  $title: failed after $((SECONDS - start)) s" >&2
		grep -E '(^|[^a-z])(error|E:|FATAL|fatal|cannot|No space|not found)' "$log" | tail -n 5 >&2 ||
			tail -n 5 "$log" >&2
		die "step \"$title\" failed; its log is $log"
	fi
	echo "  $title: done in $((SECONDS - start)) s"
}
