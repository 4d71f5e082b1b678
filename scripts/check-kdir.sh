#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints in one sentence what a kernel tree lacks to build iostat.ko, if anything, and what to do. To install the module no
# compiler is needed.
# usage: check-kdir.sh KDIR [install]

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
series=$(cut -d. -f1,2 "$kdir/include/config/kernel.release")
supported=$(awk '!/^#/ { print $1 }' "$(dirname "$0")/kernels.txt" | sort -Vu)
oldest=$(head -n 1 <<<"$supported")
[ "$(printf '%s\n' "$oldest" "$series" | sort -V | head -n 1)" = "$oldest" ] ||
	lacks "Linux $series of $kdir is not supported" "the oldest series that is supported is $oldest"
grep -qxF "$series" <<<"$supported" ||
	echo "warning: iostat has not been tried on Linux $series, but on" $supported >&2
[ -e "$kdir/rust/libkernel.rmeta" ] ||
	lacks "$kdir has no built rust/ directory (Debian's headers do not; Ubuntu's is in linux-lib-rust-RELEASE)" \
		"run 'make kdir', which prepares one"
[ -e "$kdir/Module.symvers" ] || lacks "$kdir has no Module.symvers" "$tree"
[ "${2:-}" = install ] || exec "$(dirname "$0")/check-rustc.sh" "$kdir/.config"
