#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints in one sentence what a kernel tree lacks to build iostat.ko, if anything, and what to do.
# usage: check-kdir.sh KDIR

kdir=$1
lacks()
{
	echo "error: $1; $2" >&2
	exit 1
}

tree="give a prepared tree with KDIR=, or use 'make run', which sets one up"
[ -e "$kdir/Makefile" ] ||
	lacks "$kdir is not a kernel tree" "install the headers of the kernel (Debian: linux-headers-RELEASE), or $tree"
grep -qs '^CONFIG_RUST=y' "$kdir/include/config/auto.conf" ||
	lacks "the kernel of $kdir was configured without CONFIG_RUST" "$tree"
[ -e "$kdir/rust/libkernel.rmeta" ] ||
	lacks "$kdir has no built rust/ directory (Debian's headers do not)" "run 'make kdir', which prepares one"
[ -e "$kdir/Module.symvers" ] || lacks "$kdir has no Module.symvers" "$tree"
exec "$(dirname "$0")/check-rustc.sh" "$kdir/.config"
