#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The stock kernel to build for and boot: resolves the newest point release of
# the newest supported series, unpacks it and prepares a KDIR once per version.
# Prints the directory that holds release, kdir/, vmlinuz and modules/.
# usage: kernel.sh (KERNEL=7.2 asks for one series, FLAVOUR=rt for another of
# Debian's kernels than the one for clouds)

. "$(dirname "$0")/lib.sh"

KERNELS=$IOSTAT_CACHE/kernel

# resolve FLAVOUR WANTED...: writes "release version" of the first series that can be
# had whole. Asked at most once a day; without a network the last answer holds.
resolve()
{
	local answer=$KERNELS/resolved-$(echo "$*" | tr ' ' '-')
	if [ -z "$(find "$answer" -mtime -1 2>/dev/null)" ]; then
		if "$TOP/scripts/enter.sh" scripts/kernel-in-root.sh resolve "$@" \
			>"$answer.tmp" 2>"$LOGS/resolve-kernel.log"; then
			mv "$answer.tmp" "$answer"
		elif [ -s "$answer" ]; then
			echo "  no new answer from the mirror (log: $LOGS/resolve-kernel.log); using $(cat "$answer")" >&2
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
case " $SERIES " in
*" ${KERNEL:-${SERIES%% *}} "*) ;;
*) die "KERNEL=$KERNEL is not a supported series; choose one of: $SERIES" ;;
esac
"$TOP/scripts/root.sh" >/dev/null
read -r release version <<<"$(resolve "${FLAVOUR:-cloud}" ${KERNEL:-$SERIES})"
[ -n "$release" ] || exit 1
[ -e "$KERNELS/$release/ready" ] || locked kernel build "$release" "$version" >&2
echo "$KERNELS/$release"
