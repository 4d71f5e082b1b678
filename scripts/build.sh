#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds iostat.ko for a kernel prepared by kernel.sh or testkernel.sh, and prints the directory of the
# module. usage: build.sh KERNELDIR [MAKE ARGUMENT...]

. "$(dirname "$0")/lib.sh"

kernel=$1
shift
# One output directory per kernel and clone.
out=build/$(basename "$kernel")-$CLONE
kdir=/cache/${kernel#"$IOSTAT_CACHE"/}
[ ! -d "$kernel/kdir" ] || kdir=$kdir/kdir
# One build at a time in a directory.
mkdir -p "$IOSTAT_CACHE/build"
locked "${out%/*}/.${out#*/}" \
	step "build iostat.ko for $(cat "$kernel/release")" "20 s" \
	"$TOP/scripts/enter.sh" scripts/build-in-root.sh "$kdir" "/cache/$out" "$@" >&2
echo "$IOSTAT_CACHE/$out"
