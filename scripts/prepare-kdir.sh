#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prepares a kernel tree for building Rust modules for one kernel image. Distributions' headers packages have no
# rust/ directory; the same source with the same configuration and the same compilers gives the one that the image
# was built with.
# usage: prepare-kdir.sh SOURCE CONFIG SYMVERS RELEASE KDIR
#	SOURCE		the source of exactly the image's version
#	CONFIG, SYMVERS	.config and Module.symvers of the headers package
#	KDIR		is created; an incomplete one is replaced

set -euo pipefail
source=$1 config=$2 symvers=$3 release=$4 kdir=$5

die()
{
	echo "error: $*" >&2
	exit 1
}

# same_tool WHAT OPTION ACTUAL: compares the compiler in the kernel's configuration with the one here.
# Rust symbols contain the compiler's version, so a module built by a different rustc cannot be
# linked.
same_tool()
{
	local recorded
	recorded=$(sed -n "s/^$2=\"\(.*\)\"/\1/p" "$config" | sed 's/^[^ ]* //')
	[ "$recorded" = "${3#* }" ] ||
		die "$1 differs: the kernel was built with \"$recorded\", this system has \"${3#* }\""
}

# options FILE: the options of a configuration that do not describe the tools, nor the vDSO of 32-bit programs on arm64,
# which depends on a compiler for arm and is not a part of modules.
options()
{
	grep '^CONFIG' "$1" | grep -vE '_VERSION_TEXT|^CONFIG_(THUMB2_)?COMPAT_VDSO='
}

grep -q '^CONFIG_RUST=y' "$config" || die "kernel $release was built without CONFIG_RUST"
same_tool rustc CONFIG_RUSTC_VERSION_TEXT "$(${RUSTC:-rustc} --version)"
same_tool gcc CONFIG_CC_VERSION_TEXT "$(${CC:-${CROSS_COMPILE:-}gcc} --version | head -n 1)"
rm -rf "$kdir"
mkdir -p "$kdir"
cp "$config" "$kdir/.config"
cp "$symvers" "$kdir/Module.symvers"
make -C "$source" O="$kdir" olddefconfig
differs=$(diff <(options "$config") <(options "$kdir/.config") | grep '^[<>]' | head -n 5 | tr '\n' ' ') || true
[ -z "$differs" ] ||
	die "the configuration of kernel $release changes when its own source reads it: $differs"
make -C "$kdir" -j"$(nproc)" KERNELRELEASE="$release" LOCALVERSION= modules_prepare
built=$(cat "$kdir/include/config/kernel.release")
[ "$built" = "$release" ] || die "the prepared tree says release $built, the image says $release"
touch "$kdir/ready"
