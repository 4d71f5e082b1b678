#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints in one sentence what a kernel tree lacks to build iostat.ko, if anything.
# usage: check-kdir.sh KDIR

kdir=$1
lacks()
{
	echo "error: $1; give a prepared tree with KDIR=, or use 'make run', which sets one up" >&2
	exit 1
}

[ -e "$kdir/Makefile" ] || lacks "$kdir is not a kernel tree"
grep -qs '^CONFIG_RUST=y' "$kdir/include/config/auto.conf" ||
	lacks "the kernel of $kdir was configured without CONFIG_RUST"
[ -e "$kdir/rust/libkernel.rmeta" ] ||
	lacks "$kdir holds no built rust/ directory (distributions' headers packages do not)"
[ -e "$kdir/Module.symvers" ] || lacks "$kdir holds no Module.symvers"
text=$(sed -n 's/^CONFIG_RUSTC_VERSION_TEXT="\(.*\)"/\1/p' "$kdir/.config")
here=$(${RUSTC:-rustc} --version 2>/dev/null) || lacks "rustc is not installed"
[ "$text" = "$here" ] || lacks "that kernel was built with \"$text\", this machine has \"$here\""
