#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the test kernel of tests/kernel/KIND.config from the source of a
# stock kernel. Runs inside the build root.
# usage: testkernel-in-root.sh KIND RELEASE OUTPUT

set -euo pipefail
fragment=/src/tests/kernel/$1.config source=/cache/kernel/$2/source out=$3

die()
{
	echo "error: $*" >&2
	exit 1
}

# The kernel's Rust target does not allow the thread sanitizer, which KCSAN is
# to compilers. The target's description is part of every crate's identity, so
# this must be so before anything is built, and must not be so for the stock
# kernels: it is laid over the source in this mount namespace only.
allow_thread_sanitizer()
{
	local file=$source/scripts/generate_rust_target.rs
	sed 's/"supported-sanitizers", \["kcfi", "kernel-address"\]/"supported-sanitizers", ["kcfi", "kernel-address", "thread"]/' \
		"$file" >/tmp/target.rs
	! cmp -s "$file" /tmp/target.rs || die "$file does not list sanitizers as it used to"
	touch -r "$file" /tmp/target.rs
	mount --bind /tmp/target.rs "$file"
}

export KBUILD_BUILD_TIMESTAMP=2026-01-01 KBUILD_BUILD_USER=iostat KBUILD_BUILD_HOST=iostat
! grep -qx 'CONFIG_KCSAN=y' "$fragment" || allow_thread_sanitizer
mkdir -p "$out"
make -C "$source" O="$out" LLVM=-19 KCONFIG_ALLCONFIG="$fragment" allnoconfig
lost=$(grep -E '^(CONFIG|# CONFIG_.* is not set)' "$fragment" | grep -v '=n$' | grep -vxFf "$out/.config" || true)
[ -z "$lost" ] || die "the test kernel's configuration lost: $(echo "$lost" | tr '\n' ' ')"
make -C "$out" LLVM=-19 -j"$(nproc)" vmlinux modules
make -C "$out" LLVM=-19 INSTALL_MOD_PATH="$out/root" INSTALL_MOD_STRIP=1 modules_install
cat "$out/include/config/kernel.release" >"$out/release"
touch "$out/ready"
