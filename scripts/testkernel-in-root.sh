#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the test kernel of tests/kernel/debug.config from the source of a
# stock kernel. Runs inside the build root.
# usage: testkernel-in-root.sh RELEASE OUTPUT

set -euo pipefail
source=/cache/kernel/$1/source out=$2 fragment=/src/tests/kernel/debug.config

die()
{
	echo "error: $*" >&2
	exit 1
}

export KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_USER=iostat KBUILD_BUILD_HOST=iostat
mkdir -p "$out"
make -C "$source" O="$out" LLVM=-19 KCONFIG_ALLCONFIG="$fragment" allnoconfig
lost=$(grep -E '^(CONFIG|# CONFIG_.* is not set)' "$fragment" | grep -v '=n$' | grep -vxFf "$out/.config" || true)
[ -z "$lost" ] || die "the test kernel's configuration lost: $(echo "$lost" | tr '\n' ' ')"
make -C "$out" LLVM=-19 -j"$(nproc)" vmlinux modules
make -C "$out" LLVM=-19 INSTALL_MOD_PATH="$out/root" INSTALL_MOD_STRIP=1 modules_install
cat "$out/include/config/kernel.release" >"$out/release"
touch "$out/ready"
