#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prepares the stock kernel to build for and boot: finds the newest point release of the newest supported
# series, unpacks it and prepares a KDIR once per version. Prints the directory with release, version,
# kdir/, vmlinuz and modules/.
# usage: kernel.sh (KERNEL=7.2 selects a series, FLAVOUR=rt a Debian kernel other than the cloud kernel, ARCH=arm64
# an architecture, SUITE=sid a suite: see scripts/kernels.txt)

. "$(dirname "$0")/lib.sh"

KERNELS=$IOSTAT_CACHE/kernel

# resolve FLAVOUR WANTED...: writes "release version" of the first series that is complete. Queries the
# mirror at most once a day; without a network the last result is used.
resolve()
{
	local answer
	answer=$KERNELS/resolved-$(echo "$*" | tr ' ' '-')
	[ "$ARCH" = amd64 ] || answer+=-$ARCH
	[ "$SUITE" = trixie-backports ] || answer+=-$SUITE
	if [ -z "$(find "$answer" -mtime -1 2>/dev/null)" ]; then
		if "$TOP/scripts/enter.sh" scripts/kernel-in-root.sh resolve "$@" \
			>"$answer.tmp" 2>"$LOGS/resolve-kernel.log"; then
			mv "$answer.tmp" "$answer"
		elif [ -s "$answer" ]; then
			echo "  no answer from the mirror (log: $LOGS/resolve-kernel.log); using $(cat "$answer")" >&2
		else
			die "$(tail -n 1 "$LOGS/resolve-kernel.log" | sed 's/^error: //'); log: $LOGS/resolve-kernel.log"
		fi
	fi
	cat "$answer"
}

build()
{
	local release=$1 version=$2
	[ ! -e "$KERNELS/$release/ready" ] || return 0
	need_space "$IOSTAT_CACHE" 6000
	step "kernel $release: download" "60 s" \
		"$TOP/scripts/enter.sh" scripts/kernel-in-root.sh fetch "$release" "$version"
	step "kernel $release: prepare KDIR" "100 s" \
		"$TOP/scripts/enter.sh" scripts/kernel-in-root.sh prepare "$release" "$version"
}

mkdir -p "$KERNELS"
[ -n "$SERIES" ] || die "FLAVOUR=$FLAVOUR of ARCH=$ARCH and SUITE=$SUITE is not a supported kernel; scripts/kernels.txt lists them"
case " $SERIES " in
*" ${KERNEL:-${SERIES%% *}} "*) ;;
*) die "KERNEL=$KERNEL is not a supported series; choose one of: $SERIES" ;;
esac
"$TOP/scripts/root.sh" "$BUILD_ROOT" >/dev/null
read -r release version <<<"$(resolve "$FLAVOUR" ${KERNEL:-$SERIES})"
[ -n "$release" ] || exit 1
[ -e "$KERNELS/$release/ready" ] || locked kernel build "$release" "$version" >&2
series=$(echo "$version" | cut -d. -f1,2)
rustc=$(awk -v row="$series $FLAVOUR $ARCH $SUITE" '!/^#/ && $1 " " $2 " " $3 " " $5 == row { print $4 }' \
	"$TOP/scripts/kernels.txt")
grep -q "^CONFIG_RUSTC_VERSION_TEXT=\"rustc $rustc " "$KERNELS/$release/config" ||
	die "kernel $release was not built by rustc ${rustc:-unknown}, which scripts/kernels.txt says; correct the table"
[ -e "$KERNELS/$release/version" ] || echo "$version" >"$KERNELS/$release/version"
echo "$KERNELS/$release"
